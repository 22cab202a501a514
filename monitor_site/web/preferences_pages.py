"""How the reader wants the pages, and the page that comes first."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone, translation
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from monitor_site.accounts.models import StartPage
from monitor_site.accounts.preferences import preferences_of, set_preferences

from . import matches
from .preferences_form import PreferencesForm


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """What the reader sees first."""
    person: Any = request.user
    return matches.feed(request) if person.start_page == StartPage.MATCHES else redirect(person.start_page)


@require_http_methods(["GET", "HEAD", "POST"])
def page(request: HttpRequest) -> HttpResponse:
    """All preferences in one form."""
    person: Any = request.user
    form = PreferencesForm(request.POST if request.method == "POST" else None, initial=preferences_of(person))
    if request.method != "POST" or not form.is_valid():
        return render(request, "web/preferences.html", {"form": form}, status=422 if form.is_bound else 200)
    set_preferences(user=person, wish=form.cleaned_data, now=timezone.now())
    with translation.override(person.language or translation.get_language()):
        messages.success(request, gettext("Saved."))
    return redirect("preferences")
