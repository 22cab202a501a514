"""The second factor of a person: an app with codes, or passkeys. Recovery codes stand in for them and are none."""

from collections import Counter
from datetime import datetime
from typing import Any

from allauth.mfa.models import Authenticator
from django.db import transaction

from . import auditing
from .models import AuditKind

FACTORS = (Authenticator.Type.TOTP, Authenticator.Type.WEBAUTHN)


def has_second_factor(user: Any) -> bool:
    """Whether the person has set one up; a stranger has none."""
    return bool(user.is_authenticated) and Authenticator.objects.filter(user_id=user.pk, type__in=FACTORS).exists()


@transaction.atomic
def forget_factors(*, user: Any, now: datetime) -> int:
    """Take away all of them, with the recovery codes, for somebody who has lost them; how many there were."""
    rows = Authenticator.objects.filter(user_id=user.pk)
    found = rows.filter(type__in=FACTORS).count()
    kinds = factor_kinds(user)
    rows.delete()
    record_factors(user=user, before=kinds, now=now)
    return found


def factor_kinds(user: Any) -> dict[str, int]:
    """How many of which factor the person has, recovery codes too."""
    kinds = Authenticator.objects.filter(user_id=user.pk).order_by("type").values_list("type", flat=True)
    return dict(Counter(kinds))


def record_factors(*, user: Any, before: dict[str, int], now: datetime) -> None:
    """Write down what was added or removed since there were those ``before``."""
    after = factor_kinds(user)
    grown = sum(after.values()) >= sum(before.values())
    on = auditing.Thing(kind="factor", words=user.get_username())
    if before != after:
        act = "add" if grown else "remove"
        told: dict[str, Any] = {"kind": AuditKind.SECURITY, "act": act, "user_id": user.pk, "on": on, "now": now}
        auditing.write(before=before, after=after, **told)
