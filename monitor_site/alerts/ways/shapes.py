"""What each kind of channel must be told: dataclasses of fields that a form can be drawn from.

Labels and helps are English and marked for translation; whoever draws the form translates them. ``pattern`` is what a
value must look like, ``address`` marks the address of a server of the user's own.
"""

from dataclasses import MISSING, dataclass, field
from typing import Any

from monitor_site.contract.fields import gettext_noop

OPAQUE = r"[A-Za-z0-9._~+/=-]{5,400}"
SERVER = r".{1,300}"


def setting(  # noqa: PLR0913  all of them by name
    *,
    label: str,
    help: str = "",
    example: str = "",
    pattern: str = r".{1,2048}",
    default: Any = MISSING,
    secret: bool = False,
    shown: bool = True,
    address: bool = False,
) -> Any:
    """A field of a kind's settings; with a default it may stay empty, without ``shown`` it stands in no form."""
    words = {"label": label, "help": help, "example": example, "choices": None}
    rules = {"pattern": pattern, "secret": secret, "shown": shown, "address": address}
    return field(default=default, repr=not secret, metadata=words | rules)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChannelSettings:
    """Values are text; the ones marked ``secret`` are encrypted where they are kept and never shown again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Telegram(ChannelSettings):
    """A bot and a chat."""

    bot_token: str = setting(
        label=gettext_noop("Bot token"),
        help=gettext_noop("@BotFather gives it to you when you make a bot with /newbot."),
        example="123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw",
        pattern=r"\d{5,20}:[A-Za-z0-9_-]{30,60}",
        secret=True,
    )
    chat_id: str = setting(
        label=gettext_noop("Chat ID"),
        help=gettext_noop(
            "Write to the bot first; @userinfobot tells your number. Groups begin with a minus, channels with @."
        ),
        example="-1001234567890",
        pattern=r"-?\d{1,20}|@[A-Za-z][A-Za-z0-9_]{3,31}",
    )
    topic: str = setting(
        label=gettext_noop("Topic"),
        help=gettext_noop("The number of a topic in a group; empty for none."),
        example="42",
        pattern=r"\d{1,12}",
        default="",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Discord(ChannelSettings):
    """A channel's webhook."""

    webhook: str = setting(
        label=gettext_noop("Webhook address"),
        help=gettext_noop("In Discord: the channel's settings, Integrations, Webhooks, Copy Webhook URL."),
        example="https://discord.com/api/webhooks/123456789012345678/AbCd…",
        pattern=r"https://(?:ptb\.|canary\.)?discord(?:app)?\.com/api/(?:v\d{1,2}/)?webhooks/"
        r"(?P<id>\d{5,25})/(?P<token>[A-Za-z0-9_-]{20,100})/?",
        secret=True,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Slack(ChannelSettings):
    """An incoming webhook."""

    webhook: str = setting(
        label=gettext_noop("Webhook address"),
        help=gettext_noop("In Slack: your app's settings, Incoming Webhooks, Add New Webhook."),
        example="https://hooks.slack.com/services/T000/B000/XXXX",
        pattern=r"https://hooks\.slack\.com/services/(?P<a>T[A-Z0-9]{2,20})/(?P<b>B[A-Z0-9]{2,20})/"
        r"(?P<c>[A-Za-z0-9]{10,60})/?",
        secret=True,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Line(ChannelSettings):
    """A bot of the LINE Messaging API, and whom it writes to."""

    token: str = setting(
        label=gettext_noop("Channel access token"),
        help=gettext_noop("In the LINE Developers console: your channel, Messaging API, Channel access token."),
        example="eyJhbGciOiJIUzI1NiJ9…",
        pattern=OPAQUE,
        secret=True,
    )
    to: str = setting(
        label=gettext_noop("Your user ID"),
        help=gettext_noop(
            "In the same console: Basic settings, Your user ID. A group's ID begins with C, a room's with R."
        ),
        example="U4af4980629…",
        pattern=r"[UCR][0-9a-f]{32}",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class WeCom(ChannelSettings):
    """A group robot of WeCom."""

    webhook: str = setting(
        label=gettext_noop("Webhook address"),
        help=gettext_noop("In the WeCom group: Group robots, add one, copy its webhook address."),
        example="https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=693a91f6-7xxx-4bc4-97a0-0ec2sifa5aaa",
        pattern=r"(?:https://qyapi\.weixin\.qq\.com/cgi-bin/webhook/send\?key=)?(?P<key>[A-Za-z0-9_-]{16,64})",
        secret=True,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class DingTalk(ChannelSettings):
    """A custom robot of DingTalk."""

    webhook: str = setting(
        label=gettext_noop("Webhook address"),
        help=gettext_noop("In the DingTalk group: Group settings, Robots, Custom; copy its webhook address."),
        example="https://oapi.dingtalk.com/robot/send?access_token=…",
        pattern=r"(?:https://oapi\.dingtalk\.com/robot/send\?access_token=)?(?P<token>[A-Za-z0-9]{32,80})",
        secret=True,
    )
    signing_secret: str = setting(
        label=gettext_noop("Signing secret"),
        help=gettext_noop("Needed where the robot's security setting is a signature; it begins with SEC."),
        example="SEC…",
        pattern=r"SEC[A-Za-z0-9]{32,80}",
        default="",
        secret=True,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Feishu(ChannelSettings):
    """A custom bot of Feishu or Lark."""

    webhook: str = setting(
        label=gettext_noop("Webhook address"),
        help=gettext_noop(
            "In the group: Settings, Bots, Custom bot; copy its webhook address. Leave its signature check off."
        ),
        example="https://open.feishu.cn/open-apis/bot/v2/hook/…",
        pattern=r"https://open\.(?P<site>feishu\.cn|larksuite\.com)/open-apis/bot/v2/hook/(?P<token>[A-Za-z0-9-]{16,64})/?",
        secret=True,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Ntfy(ChannelSettings):
    """A topic at ntfy.sh or at a server of one's own."""

    server: str = setting(
        label=gettext_noop("Server"),
        help=gettext_noop("https://ntfy.sh, or the address of your own server."),
        example="https://ntfy.sh",
        pattern=SERVER,
        default="https://ntfy.sh",
        address=True,
    )
    topic: str = setting(
        label=gettext_noop("Topic"),
        help=gettext_noop("Whoever knows the name can read along, so choose one that nobody guesses."),
        example="mm-7f3k9q",
        pattern=r"[A-Za-z0-9_-]{1,64}",
    )
    token: str = setting(
        label=gettext_noop("Access token"),
        help=gettext_noop("Only where the topic is protected: Account, Access tokens."),
        example="tk_AgQdq7mVBoFD37zQVN29RhuMzNIz2",
        pattern=OPAQUE,
        default="",
        secret=True,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Bark(ChannelSettings):
    """A device with the app Bark."""

    server: str = setting(
        label=gettext_noop("Server"),
        help=gettext_noop("https://api.day.app, or the address of your own server."),
        example="https://api.day.app",
        pattern=SERVER,
        default="https://api.day.app",
        address=True,
    )
    key: str = setting(
        label=gettext_noop("Device key"),
        help=gettext_noop("The app shows it: the part of its sample address that follows the server."),
        example="yZ6hzfq3iWqmDkKpnT9vQe",
        pattern=r"[A-Za-z0-9]{6,64}",
        secret=True,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Gotify(ChannelSettings):
    """An application at a Gotify server."""

    server: str = setting(
        label=gettext_noop("Server"),
        help=gettext_noop("The address of your Gotify server."),
        example="https://gotify.example.com",
        pattern=SERVER,
        address=True,
    )
    token: str = setting(
        label=gettext_noop("Application token"),
        help=gettext_noop("In Gotify: Apps, Create application, the token of it."),
        example="AeXmVlF3gDqVhKZ",
        pattern=OPAQUE,
        secret=True,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Mail(ChannelSettings):
    """A mailbox."""

    to: str = setting(
        label=gettext_noop("Mail address"),
        example="you@example.com",
        pattern=r"[^@\s,;:<>()\[\]\\\"]{1,64}@[^@\s,;:<>()\[\]\\\"]{1,253}",
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Webhook(ChannelSettings):
    """A program of the user's own. ``secret`` is made by us; the former one signs too while a rotation lasts."""

    url: str = setting(
        label=gettext_noop("Address"),
        help=gettext_noop("Gets a signed POST with JSON, in the manner of Standard Webhooks."),
        example="https://example.com/hooks/monitor",
        secret=True,
        address=True,
    )
    secret: str = setting(label="", pattern=r"whsec_[A-Za-z0-9+/=]{32,88}", secret=True, shown=False, default="")
    former_secret: str = setting(label="", pattern=r"whsec_[A-Za-z0-9+/=]{32,88}", secret=True, shown=False, default="")


@dataclass(frozen=True, slots=True, kw_only=True)
class WebPush(ChannelSettings):
    """A browser's subscription, as the browser gives it to the page."""

    endpoint: str = setting(label="", secret=True, shown=False, address=True)
    p256dh: str = setting(label="", pattern=r"[A-Za-z0-9_-]{86,88}=?", secret=True, shown=False)
    auth: str = setting(label="", pattern=r"[A-Za-z0-9_-]{20,24}(==)?", secret=True, shown=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Other(ChannelSettings):
    """Any address that Apprise understands."""

    address: str = setting(
        label=gettext_noop("Apprise address"),
        help=gettext_noop("How it is written for each service stands in the documentation of Apprise."),
        example="pover://user@token",
        secret=True,
    )
