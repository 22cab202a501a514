"""What is done to a channel with one press: muting, the default, its signing secret, a message once more."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_POST

from monitor_site.alerts import joining, services, signing
from monitor_site.alerts.models import Channel, Delivery
from monitor_site.marketplaces import vault

from .channel_pages import own_channel, secret_page
from .channel_words import forever, muted_words
from .proving import proves_again
from .resting_words import HOUR, RESTS, until_of
from .returning import back


@own_channel
@require_POST
def mute(request: HttpRequest, channel: Channel) -> HttpResponse:
    """Hold what comes for a while."""
    now, choice = timezone.now(), request.POST.get("for", "")
    until = until_of(choice if choice in RESTS else HOUR, now=now) or forever(now=now)
    services.mute_channel(channel=channel, until=until, now=now)
    channel.muted_until = until
    facts = {"name": channel.name, "muted": muted_words(channel, now=now)}
    undo = reverse("channel-unmute", args=[channel.pk])
    messages.success(request, gettext("“%(name)s”: %(muted)s") % facts, extra_tags=undo)
    return back(request, reverse("channels"))


@own_channel
@require_POST
def unmute(request: HttpRequest, channel: Channel) -> HttpResponse:
    """Tell again, also what was held."""
    services.mute_channel(channel=channel, until=None, now=timezone.now())
    messages.success(request, gettext("“%(name)s” is not muted any more.") % {"name": channel.name})
    return back(request, reverse("channels"))


@own_channel
@require_POST
def default(request: HttpRequest, channel: Channel) -> HttpResponse:
    """Use it for the watches that name no channel, or not; ``join`` adds it to the others, too."""
    chosen, join = request.POST.get("on") == "1", request.POST.get("join") == "1"
    joined = joining.set_default(channel=channel, is_default=chosen, join=join, now=timezone.now())
    words = gettext("“%(name)s” is used by all watches that name no channel.")
    if not chosen:
        words = gettext("“%(name)s” is used only by watches that name it.")
    aside = ngettext("%(n)d other watch names it now, too.", "%(n)d other watches name it now, too.", joined)
    said = words % {"name": channel.name}
    messages.success(request, f"{said} {aside % {'n': joined}}" if joined else said)
    return back(request, reverse("channels"))


@own_channel
@require_POST
@proves_again
def rotate(request: HttpRequest, channel: Channel) -> HttpResponse:
    """Sign with another secret, shown once; the former one signs too until ``end`` is posted."""
    if channel.kind != "webhook":
        raise Http404
    try:
        if request.POST.get("end") == "1":
            signing.forget_former_secret(channel=channel, now=timezone.now())
            messages.success(request, gettext("Only the newest secret signs now."))
            return redirect("channel", channel.pk)
        return secret_page(request, channel, signing.rotate_secret(channel=channel, now=timezone.now()))
    except vault.CannotOpen:
        messages.error(request, gettext("What is stored cannot be opened any more. Make a new channel."))
        return redirect("channel", channel.pk)


@require_POST
def again(request: HttpRequest, public_id: str) -> HttpResponse:
    """Try a message again that was not delivered."""
    mine = Delivery.objects.filter(channel__in=Channel.objects.of(request.user))
    delivery = get_object_or_404(mine, public_id=public_id.replace("\x00", ""))
    if services.send_again(delivery=delivery, now=timezone.now()):
        messages.success(request, gettext("It is sent again."))
    else:
        messages.warning(request, gettext("This message is not among the undelivered ones any more."))
    return back(request, reverse("channels"))
