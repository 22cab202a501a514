"""Whether what a person typed can be a channel; if not, a sentence says what to change."""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import MISSING, Field, fields
from typing import Any

from django.conf import settings
from django.utils.translation import gettext

from .addresses import BadAddress, ResolveNow, Wrong, judge, read_address
from .apprise_schemas import OFFERED, REFUSED
from .guard import networks_now, site_names
from .mail_server import BadMailServer, read_mail_server
from .shapes import ChannelSettings

SCHEME = re.compile(r"([A-Za-z0-9]{1,20})://\S{1,2000}")


class BadChannel(ValueError):
    """A field cannot stay as it is; ``sentence`` tells the person what to change, in the language that is active."""

    def __init__(self, field: str, sentence: str) -> None:
        super().__init__(sentence)
        self.field = field
        self.sentence = sentence


def check_shape(shape: type[ChannelSettings], given: Mapping[str, str], kept: Collection[str]) -> None:
    """Raises :class:`BadChannel` for the first value that is missing, of no use, or no field of this kind."""
    specs = {spec.name: spec for spec in fields(shape)}
    if unknown := sorted(set(given) - set(specs)):
        raise BadChannel(unknown[0], gettext("A channel of this kind has no such field."))
    for name, spec in specs.items():
        _check_value(name, spec, given.get(name, "").strip(), is_kept=name in kept)


def _check_value(name: str, spec: "Field[Any]", value: str, *, is_kept: bool) -> None:
    if not value:
        if spec.default is MISSING and not is_kept:
            raise BadChannel(name, gettext("Fill this in."))
        return
    if not value.isprintable() or not re.fullmatch(spec.metadata["pattern"], value):
        example = spec.metadata["example"]
        raise BadChannel(name, gettext("This cannot be right. It looks like this: %(example)s") % {"example": example})


def check_addresses(shape: type[ChannelSettings], given: Mapping[str, str], resolve: ResolveNow) -> None:
    """Raises :class:`BadChannel` for an address that leads to where we do not go, as its name is known now."""
    for spec in fields(shape):
        default = "" if spec.default is MISSING else spec.default
        if spec.metadata["address"] and (value := given.get(spec.name, "").strip() or default):
            try:
                judge(read_address(value), networks_now(), resolve=resolve, ours=site_names())
            except BadAddress as error:
                raise BadChannel(spec.name, SENTENCES[error.wrong](error.host)) from error


def check_bare_server(given: Mapping[str, str]) -> None:
    """Raises :class:`BadChannel` for a server whose address goes on after the host; Apprise could not say that."""
    try:
        bare = read_address(given.get("server") or "https://example.com").rest == "/"
    except BadAddress:
        return  # another check says it better
    if not bare:
        raise BadChannel("server", gettext("Only the server itself, with nothing after its name."))


def check_mail_is_set_up() -> None:
    """Raises :class:`BadChannel` where no mail can be sent at all."""
    try:
        known = read_mail_server(settings.EMAIL_URL) and settings.EMAIL_FROM
    except BadMailServer:
        known = None
    if not known:
        raise BadChannel(
            "to", gettext("The operator of this site has not set up sending mail (EMAIL_URL, EMAIL_FROM).")
        )


def check_apprise_address(given: Mapping[str, str]) -> None:
    """Raises :class:`BadChannel` for an address that Apprise does not know or that is none of a service."""
    text = given.get("address", "").strip()
    if not text:
        return
    found = SCHEME.fullmatch(text)
    scheme = found[1].lower() if found else ""
    if scheme in REFUSED:
        sentence = gettext("%(scheme)s:// works on this server itself and is not offered.")
    elif scheme not in OFFERED:
        sentence = gettext(
            "Apprise does not know this address. It begins with the name of a service, such as %(scheme)s."
        )
        scheme = "pover://"
    else:
        return
    raise BadChannel("address", sentence % {"scheme": scheme})


def _form(_host: str) -> str:
    return gettext("Write a whole address that begins with https://.")


def _user(_host: str) -> str:
    return gettext("An address with a user name or a password in it is not taken.")


def _not_found(host: str) -> str:
    return gettext("%(host)s was not found. Is it spelled right?") % {"host": host}


def _http(_host: str) -> str:
    return gettext(
        "Only https:// is taken, unless the operator allows http:// in a network of their own (ALERT_NETWORKS)."
    )


def _port(_host: str) -> str:
    return gettext("This port is not taken, only 443, 80 and 8443. The operator can allow more (ALERT_NETWORKS).")


def _home(host: str) -> str:
    return gettext(
        "%(host)s leads to this server or into a private network, so nothing is sent there. "
        "The operator can allow networks (ALERT_NETWORKS)."
    ) % {"host": host}


SENTENCES: Mapping[Wrong, Callable[[str], str]] = {
    Wrong.FORM: _form,
    Wrong.USER: _user,
    Wrong.NOT_FOUND: _not_found,
    Wrong.HTTP: _http,
    Wrong.PORT: _port,
    Wrong.HOME: _home,
}
