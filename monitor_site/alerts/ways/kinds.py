"""Which kinds of channel there are, what each must be told, and what is known of its provider."""

from collections.abc import Collection, Mapping
from dataclasses import MISSING, dataclass, fields
from types import MappingProxyType
from typing import Literal

from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from . import shapes
from .addresses import ResolveNow, resolve_now
from .checking import (
    BadChannel,
    check_addresses,
    check_apprise_address,
    check_bare_server,
    check_mail_is_set_up,
    check_shape,
)

__all__ = ["BadChannel", "ChannelKind", "check", "kinds", "target_of"]

Body = Literal["text", "html", "markdown"]
ENDING = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelKind:
    """One kind. ``per_minute`` is what its provider is known to bear for one channel, ``own_host`` whether the user
    names the host, ``body`` which of a message's bodies it shows, ``takes_picture`` whether a picture goes along,
    ``longest`` how many letters of any script it surely takes.
    """

    name: str
    title: str | Promise
    group: Literal["push", "chat", "mail", "webhook", "other"]
    settings: type[shapes.ChannelSettings]
    per_minute: int
    own_host: bool = False
    body: Body = "text"
    takes_picture: bool = False
    longest: int = 4_000


ALL = (
    ChannelKind(
        name="webpush",
        title=_("Browser notifications"),
        group="push",
        settings=shapes.WebPush,
        per_minute=60,
        own_host=True,
    ),
    ChannelKind(
        name="ntfy",
        title="ntfy",
        group="push",
        settings=shapes.Ntfy,
        per_minute=12,
        longest=1_300,
        own_host=True,
        takes_picture=True,
    ),
    ChannelKind(
        name="bark", title="Bark", group="push", settings=shapes.Bark, per_minute=60, longest=1_000, own_host=True
    ),
    ChannelKind(name="gotify", title="Gotify", group="push", settings=shapes.Gotify, per_minute=120, own_host=True),
    ChannelKind(
        name="telegram",
        title="Telegram",
        group="chat",
        settings=shapes.Telegram,
        per_minute=20,
        body="html",
        takes_picture=True,
    ),
    ChannelKind(
        name="discord",
        title="Discord",
        group="chat",
        settings=shapes.Discord,
        per_minute=30,
        longest=1_900,
        body="markdown",
        takes_picture=True,
    ),
    ChannelKind(name="line", title="LINE", group="chat", settings=shapes.Line, per_minute=60),
    ChannelKind(name="wecom", title=_("WeCom"), group="chat", settings=shapes.WeCom, per_minute=20, longest=640),
    ChannelKind(name="dingtalk", title=_("DingTalk"), group="chat", settings=shapes.DingTalk, per_minute=20),
    ChannelKind(name="feishu", title=_("Feishu"), group="chat", settings=shapes.Feishu, per_minute=100),
    ChannelKind(name="slack", title="Slack", group="chat", settings=shapes.Slack, per_minute=60, longest=3_000),
    ChannelKind(
        name="mail",
        title=_("Mail"),
        group="mail",
        settings=shapes.Mail,
        per_minute=30,
        body="html",
        takes_picture=True,
    ),
    ChannelKind(
        name="webhook", title=_("Webhook"), group="webhook", settings=shapes.Webhook, per_minute=120, own_host=True
    ),
    ChannelKind(
        name="other", title=_("Other service"), group="other", settings=shapes.Other, per_minute=20, own_host=True
    ),
)
KINDS = MappingProxyType({kind.name: kind for kind in ALL})


def kinds() -> Mapping[str, ChannelKind]:
    """All kinds by name, in the order in which a page offers them."""
    return KINDS


def check(
    kind: str,
    values: Mapping[str, str],
    secrets: Mapping[str, str],
    *,
    kept: Collection[str] = (),
    resolve: ResolveNow = resolve_now,
) -> None:
    """Whether these settings can be a channel, as far as can be told without sending. Raises :class:`BadChannel`.

    ``kept`` names secrets that are stored already and were left empty. Names are looked up now: this takes a moment.
    """
    if kind not in KINDS:
        raise BadChannel("kind", gettext("There is no such kind of channel."))
    shape, given = KINDS[kind].settings, {**values, **secrets}
    if kind == "mail":
        check_mail_is_set_up()
    check_shape(shape, given, kept)
    if kind in {"ntfy", "bark"}:
        check_bare_server(given)
    if kind == "other":
        check_apprise_address(given)
    check_addresses(shape, given, resolve)


def target_of(kind: str, given: Mapping[str, str]) -> str:
    """Where a channel leads, fit to be shown to its user: values as they are, of secrets the last four letters."""
    shown = []
    for spec in fields(KINDS[kind].settings):
        default = "" if spec.default is MISSING else spec.default
        if value := given.get(spec.name, "").strip() or default:
            shown.append(f"…{value.rstrip('/')[-ENDING:]}" if spec.metadata["secret"] else value)
    return " ".join(shown[:2])
