"""The one-time sign-in address, as ``make run`` and ``manage.py signin_link`` print it."""

from allauth.account.internal.flows.login import perform_login
from allauth.account.models import Login
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from monitor_site.accounts.models import User
from monitor_site.accounts.proofs import LINK, note_proof
from monitor_site.accounts.signin import claim, user_of


@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def sign_in_once(request: HttpRequest, token: str) -> HttpResponse:
    """Sign in whom the token names; a used or old one gets a page that says how to make another.

    Whoever is signed in already and comes with a used one just goes on. When the token names somebody else, a button
    asks first: no link may put a person into another account unnoticed. A HEAD, as previews of links send it, uses
    nothing up. A second factor is asked for as after a password.
    """
    person, here = user_of(token), request.user
    if here.is_authenticated and person is None:
        return redirect("matches")
    if person is not None and here.is_authenticated and person.pk != here.pk and request.method != "POST":
        return render(request, "account/link_other.html", {"person": person})
    if request.method == "HEAD":
        return HttpResponse(status=410 if person is None else 200)
    claimed = claim(token, now=timezone.now())
    return render(request, "account/link_used.html", status=410) if claimed is None else _signed_in(request, claimed)


def _signed_in(request: HttpRequest, person: User) -> HttpResponse:
    """Whoever is here as this person already has proven it anew; of whoever was here before nothing stays."""
    if request.user.is_authenticated and request.user.pk == person.pk:
        note_proof(request, user=person, way=LINK)
        return redirect("matches")
    logout(request)
    note_proof(request, user=person, way=LINK)
    return perform_login(request, Login(user=person, redirect_url=reverse(person.start_page)))
