"""The second factor of a person: an app with codes, or passkeys. Recovery codes stand in for them and are none."""

from typing import Any

from allauth.mfa.models import Authenticator
from django.db import transaction

FACTORS = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)


def has_second_factor(user: Any) -> bool:
    """Whether the person has set one up; a stranger has none."""
    return bool(user.is_authenticated) and Authenticator.objects.filter(user_id=user.pk, type__in=FACTORS).exists()


@transaction.atomic
def forget_factors(*, user: Any) -> int:
    """Take away all of them, with the recovery codes, for somebody who has lost them; how many there were."""
    rows = Authenticator.objects.filter(user_id=user.pk)
    found = rows.filter(type__in=FACTORS).count()
    rows.delete()
    return found
