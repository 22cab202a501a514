"""Secrets at rest: encrypted with the keys of ``SECRETS_KEYS``, and bound to the row they stand in.

The first key encrypts, all of them decrypt, so a key is changed by putting the new one in front and running
``manage.py rotate_secrets``.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.apps import apps
from django.conf import settings
from django.db.models import Model, QuerySet


class CannotOpen(Exception):
    """These secrets were sealed with a key that is not here, or for another row; the text is safe to log."""


class BadKeys(ValueError):
    """``SECRETS_KEYS`` holds something that is no key; the text shows none of it."""


_keepers: set[str] = set()
_elsewhere: list[Callable[[], int]] = []


def keep(label: str) -> None:
    """Say at the start that the rows of a model, ``app.Model``, hold what :func:`seal` wrote, in ``sealed``."""
    _keepers.add(label)


def keep_elsewhere(rotate: Callable[[], int]) -> None:
    """Say at the start what encrypts with the first key the secrets that stand in no ``sealed``; it counts rows."""
    _elsewhere.append(rotate)


def rotate_elsewhere() -> int:
    """Encrypt those with the first key; how many rows. Raises :class:`CannotOpen`."""
    return sum(rotate() for rotate in _elsewhere)


def sealed_rows() -> Iterator[QuerySet[Model]]:
    """All rows that hold secrets, of one model after the other."""
    for label in sorted(_keepers):
        yield QuerySet(apps.get_model(label)).exclude(sealed="")


def keyring(keys: Sequence[str]) -> MultiFernet:
    """The keys, ready to use. Raises :class:`BadKeys`."""
    if not keys:
        raise BadKeys("SECRETS_KEYS is not set, and in production no key is made up.")
    try:
        return MultiFernet([Fernet(key) for key in keys])
    except ValueError:
        raise BadKeys(
            "SECRETS_KEYS needs keys of 32 random bytes in URL-safe base64, comma separated, the newest first."
        ) from None


def seal(secrets: Mapping[str, str], *, identity: str) -> str:
    """Encrypt secrets for the row of that identity."""
    plain = json.dumps({"of": identity, "secrets": dict(secrets)}, ensure_ascii=False)
    return keyring(settings.SECRETS_KEYS).encrypt(plain.encode()).decode()


def unseal(sealed: str, *, identity: str) -> dict[str, str]:
    """The secrets of that row; none when nothing was sealed. Raises :class:`CannotOpen`."""
    if not sealed:
        return {}
    try:
        found = json.loads(keyring(settings.SECRETS_KEYS).decrypt(sealed.encode()))
    except InvalidToken:
        raise CannotOpen("the secrets were encrypted with a key that SECRETS_KEYS does not hold") from None
    if found["of"] != identity:
        raise CannotOpen("the secrets were encrypted for another row")
    return dict(found["secrets"])


def rotate(sealed: str) -> str:
    """The same secrets, encrypted with the first key. Raises :class:`CannotOpen`."""
    if not sealed:
        return sealed
    try:
        return keyring(settings.SECRETS_KEYS).rotate(sealed.encode()).decode()
    except InvalidToken:
        raise CannotOpen("the secrets were encrypted with a key that SECRETS_KEYS does not hold") from None
