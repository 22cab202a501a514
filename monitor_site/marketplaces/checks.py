"""What must be right before anything starts, in the operator's words.

``marketplaces.E001``: PROXIES cannot be read. ``marketplaces.E002``: PROXIES names an unknown marketplace.
``marketplaces.E003``: SECRETS_KEYS holds no usable keys; in production none at all will do until there is a secret.
"""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error
from django.db import DatabaseError

from . import vault
from .catalog import catalog
from .proxies import BadProxies, parse_proxies
from .vault import BadKeys, keyring


def check_proxies(**_: Any) -> list[CheckMessage]:
    """A proxy that cannot be read, or is for nobody, would leave a marketplace asked without it."""
    try:
        named = parse_proxies(settings.PROXIES)
    except BadProxies as error:
        return [Error(str(error), id="marketplaces.E001")]
    if not named:
        return []
    known = {*catalog().plugins, *catalog().broken}
    hint = f"Marketplaces here: {', '.join(sorted(known)) or 'none'}."
    sentence = "PROXIES names {}, and no marketplace here is called that."
    return [Error(sentence.format(name), hint=hint, id="marketplaces.E002") for name in sorted(set(named) - known)]


def check_keys(**_: Any) -> list[CheckMessage]:
    """Keys that are none would be noticed only when the first secret is needed."""
    if settings.PRODUCTION and not settings.SECRETS_KEYS and not _has_secrets():
        return []
    try:
        keyring(settings.SECRETS_KEYS)
    except BadKeys as error:
        hint = "Make one with: openssl rand -base64 32 | tr '+/' '-_'"
        return [Error(str(error), hint=hint, id="marketplaces.E003")]
    return []


def _has_secrets() -> bool:
    try:
        return any(rows.exists() for rows in vault.sealed_rows())
    except DatabaseError:  # not made yet, or away: whoever needs it will say so
        return False
