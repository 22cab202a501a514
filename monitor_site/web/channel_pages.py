"""The pages about channels: the list, the form, the secret that is shown once, and removing."""

import json
from collections.abc import Callable
from functools import wraps
from typing import Any
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import get_language, gettext
from django.views.decorators.http import require_http_methods, require_safe

from monitor_site.alerts import faring, joining, services
from monitor_site.alerts.models import Channel
from monitor_site.alerts.sampling import sample_message
from monitor_site.alerts.ways.kinds import ChannelKind, kinds
from monitor_site.alerts.ways.webpush import public_key
from monitor_site.marketplaces import vault

from . import channel_list
from .channel_form import BROWSER, ChannelForm, initial_of
from .channel_words import GROUPS, LANGUAGES, secrets_of
from .once import make_once

LARGEST_ID = 2**63 - 1


def own_channel(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Give the view the channel instead of its number; 404 when it is not the reader's own, whatever the method."""

    @wraps(view)
    def wrapper(request: HttpRequest, pk: int) -> HttpResponse:
        return view(request, get_object_or_404(Channel.objects.of(request.user), pk=min(pk, LARGEST_ID)))

    return wrapper


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """All channels of the reader."""
    return render(request, "web/channels/list.html", channel_list.page_of(request.user, now=timezone.now()))


@require_safe
def choose(request: HttpRequest) -> HttpResponse:
    """Which kind of channel to add."""
    groups = [(title, [one for one in kinds().values() if one.group == name]) for name, title in GROUPS.items()]
    full = Channel.objects.of(request.user).count() >= services.MOST_CHANNELS
    return render(request, "web/channels/choose.html", {"groups": groups, "full": full, "most": services.MOST_CHANNELS})


@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest, kind: str) -> HttpResponse:
    """Make a channel of a kind."""
    chosen = _kind(kind)
    form = ChannelForm(
        request.POST if request.method == "POST" else None,
        kind=chosen,
        user=request.user,
        initial=initial_of(chosen, None),
    )
    if request.method != "POST":
        return _form_page(request, form)
    if not form.is_valid():
        return _form_page(request, form, status=422)
    return _made(request, form)


def _kind(name: str) -> ChannelKind:
    if name not in kinds():
        raise Http404
    return kinds()[name]


def _made(request: HttpRequest, form: ChannelForm) -> HttpResponse:
    place, manner = form.place(), form.manner()

    def make() -> int:
        made = services.create_channel(user=request.user, place=place, manner=manner, now=timezone.now())
        if form.cleaned_data.get("join"):
            joining.join_watches(channel=made)
        return made.pk

    try:
        pk, fresh = make_once(request, user=request.user, key=form.cleaned_data["form_key"], make=make)
    except services.TooManyChannels:
        form.refuse(gettext("You have %(n)d channels already, and more are not kept.") % {"n": services.MOST_CHANNELS})
        return _form_page(request, form, status=422)
    if fresh and "secret" in place.secrets and form.kind.name == "webhook":
        return secret_page(request, get_object_or_404(Channel, pk=pk), place.secrets["secret"])
    messages.success(request, gettext("Saved. Send a test to be certain that messages arrive."))
    return redirect("channel", pk)


def secret_page(request: HttpRequest, channel: Channel, secret: str) -> HttpResponse:
    """The one look at a secret that we made."""
    return render(request, "web/channels/secret.html", {"channel": channel, "secret": secret})


@own_channel
@require_http_methods(["GET", "HEAD", "POST"])
def channel(request: HttpRequest, channel: Channel) -> HttpResponse:
    """Look at a channel and change it."""
    kind, stored = _kind(channel.kind), secrets_of(channel)
    form = ChannelForm(
        request.POST if request.method == "POST" else None,
        kind=kind,
        user=request.user,
        channel=channel,
        kept=frozenset(name for name, value in (stored or {}).items() if value),
        initial=initial_of(kind, channel),
    )
    facts = {"unreadable": stored is None, "former": bool((stored or {}).get("former_secret"))}
    if request.method != "POST":
        return _form_page(request, form, **facts)
    if not form.is_valid() or not _changed(form, channel):
        return _form_page(request, form, status=422, **facts)
    messages.success(request, gettext("Saved."))
    return redirect("channel", channel.pk)


def _changed(form: ChannelForm, channel: Channel) -> bool:
    try:
        services.change_channel(channel=channel, place=form.place(), manner=form.manner(), now=timezone.now())
    except vault.CannotOpen:
        form.refuse(gettext("What is stored cannot be opened any more. Make a new channel and remove this one."))
        return False
    if form.cleaned_data.get("join"):
        joining.join_watches(channel=channel)
    return True


def _form_page(request: HttpRequest, form: ChannelForm, *, status: int = 200, **facts: Any) -> HttpResponse:
    channel, now = form.channel, timezone.now()
    context = {
        "form": form,
        "kind": form.kind,
        "channel": channel,
        "line": channel_list.line_of(channel, now=now) if channel else None,
        "key": public_key() if form.kind.name == BROWSER else "",
        "samples": samples(request.user, channel.language if channel else ""),
        **facts,
    }
    return render(request, "web/channels/form.html", context, status=status)


def samples(user: Any, chosen: str) -> list[dict[str, Any]]:
    """A message in each language, the channel's own first."""
    own = chosen or user.language or get_language() or "en"
    order = sorted((code for code in LANGUAGES if code), key=lambda code: code != own)
    zone, now = ZoneInfo(user.time_zone), timezone.now()
    messages = {code: sample_message(language=code, zone=zone, now=now) for code in order}
    return [
        {
            "code": "zh-Hans" if code == "zh-hans" else code,
            "title": LANGUAGES[code],
            "message": message,
            "payload": json.dumps(message.payload, ensure_ascii=False, indent=1),
        }
        for code, message in messages.items()
    ]


@own_channel
@require_http_methods(["GET", "HEAD", "POST"])
def remove(request: HttpRequest, channel: Channel) -> HttpResponse:
    """Ask whether to remove, naming what depends on it; then remove."""
    if request.POST.get("sure") != "yes":
        watches, backed = joining.naming_watches(channel=channel), joining.backed_up(channel=channel)
        waiting = faring.waiting(channel)
        context = {"channel": channel, "watches": watches, "backed": backed, "waiting": waiting}
        return render(request, "web/channels/remove.html", context)
    services.remove_channel(channel=channel)
    messages.success(request, gettext("“%(name)s” is removed.") % {"name": channel.name})
    return redirect("channels")
