"""A channel's settings and a message as what Apprise is told.

Every part is handed over by its name. No address is put together from them, so nothing in a token or a topic can change
where a message goes; what Apprise itself puts into an address has passed the pattern of its field.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from html import escape
from typing import Any

from .addresses import Place, read_address
from .kinds import KINDS
from .values import Message

CALLS_EVERYBODY = re.compile(r"@(?=everyone|here|all|channel)|<(?=[@!#]|at\b)", re.IGNORECASE)
MARKED = re.compile(r"([\\`*_{}\[\]()#+\-.!|~<>])")
WORD = re.compile(r"\S+")
LINKS = ("https://", "http://")
BETWEEN = "\u200b"

Parts = dict[str, Any] | str


@dataclass(frozen=True, slots=True, kw_only=True)
class Wording:
    """Title and body in one format that Apprise knows."""

    title: str
    body: str
    format: str


def wording(kind: str, message: Message) -> Wording:
    """The message as this kind shows it best."""
    if KINDS[kind].body == "html":
        subject = escape(message.subject, quote=False)
        best = Wording(title="", body=f"<b>{subject}</b><br>{message.html}", format="html")
    elif KINDS[kind].body == "markdown":
        body = f"**{_unmarked(message.subject)}**\n{message.markdown}"
        best = Wording(title="", body=quiet(body), format="markdown")
    else:
        return plainly(kind, message)
    # What is marked up cannot be cut without breaking it.
    return best if len(best.body) <= KINDS[kind].longest else plainly(kind, message)


def plainly(kind: str, message: Message) -> Wording:
    """The message without any format, and no longer than the provider takes."""
    title, text = quiet(message.subject), quiet(message.text)
    if KINDS[kind].body == "markdown":
        title, text = _unmarked(title), _unmarked(text)
    longest = KINDS[kind].longest
    title = title[: longest // 3]
    return Wording(title=title, body=_fitting(text, longest - len(title), message.url), format="text")


def _fitting(text: str, longest: int, url: str) -> str:
    """The text, cut where it is too long; the page that has all of it stays named."""
    if len(text) <= longest:
        return text
    return f"{text[: max(longest - len(url) - 2, 0)]}…\n{url}"


def _unmarked(text: str) -> str:
    """The text with every sign that would format it made plain; bare links stay links."""
    return WORD.sub(lambda word: word[0] if word[0].startswith(LINKS) else MARKED.sub(r"\\\1", word[0]), text)


def quiet(text: str) -> str:
    """Without what calls everybody in a chat, which a seller may have written into a title."""
    return CALLS_EVERYBODY.sub(lambda found: found[0] + BETWEEN, text)


def destination(kind: str, settings: Mapping[str, str], message: Message) -> Parts:
    """Where to, as Apprise understands it. Raises ``ValueError`` when the settings have lost their form."""
    given = {name: value.strip() for name, value in settings.items()}
    return COMPOSERS[kind](given, message)


def _found(kind: str, name: str, given: Mapping[str, str]) -> str:
    return _match(kind, name, given)[0]


def _match(kind: str, name: str, given: Mapping[str, str]) -> re.Match[str]:
    pattern = next(spec.metadata["pattern"] for spec in fields(KINDS[kind].settings) if spec.name == name)
    if (found := re.fullmatch(pattern, given.get(name, ""))) is None:
        raise ValueError(f"{kind} has no usable {name}")
    return found


def _optional(kind: str, name: str, given: Mapping[str, str]) -> str | None:
    return _found(kind, name, given) if given.get(name) else None


def _server(schema: str, place: Place) -> dict[str, Any]:
    """Apprise's word for a server: a schema that ends with s means https."""
    port = None if place.port == {"https": 443, "http": 80}[place.scheme] else place.port
    return {"schema": schema + "s" * (place.scheme == "https"), "host": place.bracketed, "port": port}


def _telegram(given: Mapping[str, str], _message: Message) -> Parts:
    chat, topic = _found("telegram", "chat_id", given), _optional("telegram", "topic", given)
    # The text first: a picture that is not taken then costs nothing but itself.
    parts = {"schema": "tgram", "targets": [chat], "topic": topic, "detect_owner": False, "content": "before"}
    return parts | {"bot_token": _found("telegram", "bot_token", given), "include_image": False}


def _discord(given: Mapping[str, str], _message: Message) -> Parts:
    found = _match("discord", "webhook", given)
    return {"schema": "discord", "webhook_id": found["id"], "webhook_token": found["token"], "avatar": False}


def _slack(given: Mapping[str, str], _message: Message) -> Parts:
    found = _match("slack", "webhook", given)
    tokens = {"token_a": found["a"], "token_b": found["b"], "token_c": found["c"]}
    return {"schema": "slack", "mode": "hook", "targets": [], "include_image": False, "include_footer": False} | tokens


def _line(given: Mapping[str, str], _message: Message) -> Parts:
    token, to = _found("line", "token", given), _found("line", "to", given)
    return {"schema": "line", "token": token, "targets": [to], "include_image": False}


def _wecom(given: Mapping[str, str], _message: Message) -> Parts:
    return {"schema": "wecombot", "key": _match("wecom", "webhook", given)["key"]}


def _dingtalk(given: Mapping[str, str], _message: Message) -> Parts:
    token, secret = _match("dingtalk", "webhook", given)["token"], _optional("dingtalk", "signing_secret", given)
    return {"schema": "dingtalk", "token": token, "secret": secret, "format": "text"}


def _feishu(given: Mapping[str, str], _message: Message) -> Parts:
    found = _match("feishu", "webhook", given)
    schema = {"feishu.cn": "feishu", "larksuite.com": "lark"}[found["site"]]
    return {"schema": schema, "token": found["token"], "format": "text"}


def _ntfy(given: Mapping[str, str], message: Message) -> Parts:
    topic, token = _found("ntfy", "topic", given), _optional("ntfy", "token", given)
    server = _server("ntfy", read_address(given.get("server") or "https://ntfy.sh"))
    parts = {"targets": [topic], "mode": "private", "click": message.url, "include_image": False}
    allowed = {"token": token, "auth": "token"} if token else {}
    return server | parts | allowed | {"priority": "high" if message.urgent else "default"}


def _bark(given: Mapping[str, str], message: Message) -> Parts:
    server = _server("bark", read_address(given.get("server") or "https://api.day.app"))
    level = "timeSensitive" if message.urgent else "active"
    # By its id a message that comes twice replaces itself.
    parts = {"notification_id": message.id, "click": message.url, "level": level, "include_image": False}
    return server | parts | {"targets": [_found("bark", "key", given)]}


def _gotify(given: Mapping[str, str], message: Message) -> Parts:
    place = read_address(given.get("server", ""))
    path = place.rest.partition("?")[0].rstrip("/") + "/"
    parts = {"token": _found("gotify", "token", given), "fullpath": path, "priority": 8 if message.urgent else 5}
    return _server("gotify", place) | parts


def _other(given: Mapping[str, str], _message: Message) -> Parts:
    return given.get("address", "")


COMPOSERS: Mapping[str, Callable[[Mapping[str, str], Message], Parts]] = {
    "telegram": _telegram,
    "discord": _discord,
    "slack": _slack,
    "line": _line,
    "wecom": _wecom,
    "dingtalk": _dingtalk,
    "feishu": _feishu,
    "ntfy": _ntfy,
    "bark": _bark,
    "gotify": _gotify,
    "other": _other,
}
