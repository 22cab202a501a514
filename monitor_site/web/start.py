"""The one-time sign-in address, as ``make run`` and ``manage.py signin_link`` print it."""

from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from monitor_site.accounts.signin import claim, user_of


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in_once(request: HttpRequest, token: str) -> HttpResponse:
    """Sign in whom the token names; a used or old one gets a page that says how to make another.

    Whoever is signed in already just goes on. When the token names somebody else, a button asks first: no link may
    put a person into another account unnoticed. A HEAD, as previews of links send it, uses nothing up.
    """
    person, here = user_of(token), request.user
    if here.is_authenticated and (person is None or person.pk == here.pk):
        return redirect("matches")
    if person is not None and here.is_authenticated and request.method != "POST":
        return render(request, "account/link_other.html", {"person": person})
    if request.method == "HEAD":
        return HttpResponse(status=410 if person is None else 200)
    claimed = claim(token, now=timezone.now())
    if claimed is None:
        return render(request, "account/link_used.html", status=410)
    login(request, claimed, backend=settings.AUTHENTICATION_BACKENDS[0])
    return redirect("matches")
