"""How a person approves: with one press or two, and from which amount on only after a proof that it is them."""

from datetime import datetime
from typing import Any

from django.db import transaction

from monitor_site.accounts import auditing
from monitor_site.accounts.models import AuditKind

from .models import ApprovalStyle

YEN = "JPY"


def style_of(user: Any) -> ApprovalStyle:
    """The person's choice, else two presses and no proof; nothing is written."""
    return ApprovalStyle.objects.filter(user=user.pk).first() or ApprovalStyle(user_id=user.pk)


def asks_for_proof(style: ApprovalStyle, *, amount: int, currency: str) -> bool:
    """Whether this much is approved only after a proof; what is no yen is above any threshold."""
    return style.proof_above is not None and (currency != YEN or amount > style.proof_above)


@transaction.atomic
def set_style(*, user: Any, one_press: bool, proof_above: int | None, now: datetime) -> None:
    """Approve like this from now on; 0 is no threshold."""
    before = _said(style_of(user))
    fields = {"one_press": one_press, "proof_above": proof_above or None, "updated_at": now}
    style, _made = ApprovalStyle.objects.update_or_create(user=user, defaults=fields)
    on = auditing.Thing(kind="approval", id=user.pk, words=user.get_username())
    auditing.write(
        kind=AuditKind.SECURITY, act="change", user_id=user.pk, on=on, now=now, before=before, after=_said(style)
    )


def _said(style: ApprovalStyle) -> dict[str, Any]:
    return {"one_press": style.one_press, "proof_above": style.proof_above}
