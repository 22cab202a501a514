"""The one-time sign-in address, as ``make run`` and ``manage.py signin_link`` print it."""

from django.conf import settings
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET

from monitor_site.accounts.signin import user_of


@require_GET
def sign_in_once(request: HttpRequest, token: str) -> HttpResponse:
    """Sign in whom the token names; a used or old one gets a page that says how to make another.

    Whoever is signed in already just goes on.
    """
    user = user_of(token)
    if user is None and request.user.is_authenticated:
        return redirect("matches")
    if user is None:
        return render(request, "account/link_used.html", status=410)
    login(request, user, backend=settings.AUTHENTICATION_BACKENDS[0])
    return redirect("matches")
