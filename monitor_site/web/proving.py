"""Before what must not happen to an unattended screen, whoever is signed in proves again that it is them.

Nothing that was posted is done afterwards by itself: the person comes back to the page and presses again.
"""

from collections.abc import Callable, Collection
from functools import wraps
from typing import Any, TypeVar
from urllib.parse import urlencode

from allauth.account.adapter import get_adapter
from django.conf import settings
from django.contrib import messages
from django.forms import Field, Form, PasswordInput
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from monitor_site.accounts.proofs import PRESS, may_press, note_proof, proven_recently

from .returning import page_named, page_of

__all__ = ["ask_to_prove", "before_doing", "is_proven", "proves_again", "typed"]

Answer = TypeVar("Answer", bound=HttpResponseBase)
TYPED = "typed"


def is_proven(request: HttpRequest) -> bool:
    """Whether the person has proven it recently enough."""
    return proven_recently(request, now=timezone.now())


def proves_again(view: Callable[..., Answer]) -> Callable[..., Answer | HttpResponse]:
    """A view that only somebody sees who has proven it recently."""

    @wraps(view)
    def wrapper(request: HttpRequest, *args: Any, **kwargs: Any) -> Answer | HttpResponse:
        return view(request, *args, **kwargs) if is_proven(request) else ask_to_prove(request)

    return wrapper


def typed(request: HttpRequest) -> QueryDict | None:
    """What a form is filled with: what is posted, or what was before the person had to prove who they are."""
    return request.POST if request.method == "POST" else _typed_before(request)


def before_doing(
    request: HttpRequest, form: Form, *, asks: Callable[[], bool], page: Callable[[int], HttpResponse]
) -> HttpResponse | None:
    """What is answered instead of doing what a form says: its ``page``, as long as it is not posted and right; or the
    question who is there, if ``asks`` says that only the person may. ``None``: do it.

    ``page`` gets the status of the answer. What was typed is there again afterwards, but for secrets.
    """
    if request.method != "POST" or not form.is_valid():
        return page(422 if request.method == "POST" else 200)
    if is_proven(request) or not asks():
        return None
    return ask_to_prove(request, keep=[name for name, field in form.fields.items() if not _is_secret(field)])


def _is_secret(field: Field) -> bool:
    return isinstance(field.widget, PasswordInput)


def ask_to_prove(request: HttpRequest, *, keep: Collection[str] = (), page: str = "") -> HttpResponse:
    """To the page that asks, and from there back, or to ``page``; ``keep`` names fields nobody should have to repeat.

    Never name a secret there: what is kept stands in the session.
    """
    page = page or page_of(request)
    if request.method == "POST":
        page = _after(page)
        typed = {name: request.POST.getlist(name) for name in keep if name in request.POST}
        request.session[TYPED] = {"path": request.path, "fields": typed}
    way = f"{reverse('prove')}?{urlencode({'next': page})}"
    if request.headers.get("HX-Request"):
        return HttpResponse(status=204, headers={"HX-Redirect": way})
    return HttpResponseRedirect(way)


def _typed_before(request: HttpRequest) -> QueryDict | None:
    """What was typed here when the person had to prove it first; once."""
    kept = request.session.get(TYPED)
    if not kept or kept["path"] != request.path or not kept["fields"]:
        return None
    del request.session[TYPED]
    found = QueryDict(mutable=True)
    for name, values in kept["fields"].items():
        found.setlist(name, values)
    return found


@require_http_methods(["GET", "HEAD", "POST"])
def prove(request: HttpRequest) -> HttpResponse:
    """To the first way the person has; whoever has none is told what there is instead."""
    page = page_named(request, reverse("matches"))
    if is_proven(request):
        return HttpResponseRedirect(page)
    if ways := get_adapter(request).get_reauthentication_methods(request.user):
        return HttpResponseRedirect(f"{ways[0]['url']}?{urlencode({'next': page})}")
    if request.method == "POST" and may_press(request.user):
        note_proof(request, user=request.user, way=PRESS)
        return HttpResponseRedirect(page)
    context = {"page": page, "may_press": may_press(request.user), "minutes": settings.PROOF_MINUTES}
    return render(request, "account/prove.html", context)


@require_safe
def proven(request: HttpRequest) -> HttpResponse:
    """Back to the page whose button was pressed, with the word that nothing has happened yet."""
    if is_proven(request):
        messages.info(request, gettext("Confirmed. Nothing has been done yet: press again."))
    return redirect(page_named(request, reverse("matches")))


def _after(page: str) -> str:
    return f"{reverse('proven')}?{urlencode({'next': page})}"
