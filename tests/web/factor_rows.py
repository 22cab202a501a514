"""Second factors of people in tests."""

import time

from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, generate_totp_secret, hotp_value

from monitor_site.accounts.models import User


def app_of(user: User) -> str:
    """An app with codes, set up; its key."""
    secret = generate_totp_secret()
    TOTP.activate(user, secret)
    return secret


def code_of(secret: str) -> str:
    """What the app shows now."""
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30))


def recovery_of(user: User) -> list[str]:
    """Recovery codes, made."""
    return RecoveryCodes.activate(user).get_unused_codes()
