"""One-time sign-in addresses: signed for one person, good for a day, dead after any sign-in."""

from datetime import datetime

from django.core import signing
from django.utils.crypto import constant_time_compare, salted_hmac

from .models import User

LIFETIME_SECONDS = 24 * 3600
SALT = "monitor_site.accounts.signin"


def make_token(user: User) -> str:
    """A token that signs ``user`` in once. It dies with the next sign-in, a new password, or after a day."""
    return signing.dumps([user.pk, _fingerprint(user)], salt=SALT)


def user_of(token: str) -> User | None:
    """Whom a token signs in; ``None`` when it is forged, used, too old, or the person may not sign in."""
    try:
        pk, fingerprint = signing.loads(token, salt=SALT, max_age=LIFETIME_SECONDS)
    except (signing.BadSignature, ValueError, TypeError):
        return None
    user = User.objects.filter(pk=pk, is_active=True).first()
    if user is None or not constant_time_compare(fingerprint, _fingerprint(user)):
        return None
    return user


def claim(token: str, *, now: datetime) -> User | None:
    """Use a token up: of two who come with it at once only one gets the person, the other ``None``."""
    user = user_of(token)
    if user is None:
        return None
    untouched = User.objects.filter(pk=user.pk, is_active=True, password=user.password, last_login=user.last_login)
    return user if untouched.update(last_login=now) else None


def _fingerprint(user: User) -> str:
    """Changes with every sign-in and every password, as the token of a password reset does."""
    return salted_hmac(SALT, f"{user.pk}{user.password}{_stamp(user.last_login)}", algorithm="sha256").hexdigest()[:32]


def _stamp(moment: datetime | None) -> str:
    return "" if moment is None else moment.replace(tzinfo=None).isoformat()
