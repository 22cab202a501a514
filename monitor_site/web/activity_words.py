"""The record in words: who, how, what was done to what, and what changed by it."""

from collections.abc import Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext, pgettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from monitor_site import wording
from monitor_site.accounts.models import ActorKind, AuditEntry, AuditKind
from monitor_site.purchasing.models import Budget, BuyPolicy, OrderStep, Way

from .order_words import ACTORS, state_words
from .watch_diff import Change, changes_between

Words = Mapping[str, "str | Promise"]
THINGS: Words = {
    "order": pgettext_lazy("audit", "Order"),
    "budget": pgettext_lazy("audit", "Budget"),
    "buy_rule": pgettext_lazy("audit", "Buying rule"),
    "spending": pgettext_lazy("audit", "Spending"),
    "watch": pgettext_lazy("audit", "Watch"),
    "account": pgettext_lazy("audit", "Marketplace account"),
    "factor": pgettext_lazy("audit", "Second factor"),
    "user": pgettext_lazy("audit", "Sign-in and roles"),
    "secrets": pgettext_lazy("audit", "All stored secrets"),
    "preferences": pgettext_lazy("audit", "Preferences"),
    "exchange_rate": pgettext_lazy("audit", "Exchange rate"),
    "approval": pgettext_lazy("audit", "Way to approve"),
}
ACTS: Words = {
    "make": pgettext_lazy("audit", "made"),
    "change": pgettext_lazy("audit", "changed"),
    "remove": pgettext_lazy("audit", "removed"),
    "add": pgettext_lazy("audit", "added"),
    "stop": pgettext_lazy("audit", "stopped"),
    "pause": pgettext_lazy("audit", "paused"),
    "resume": pgettext_lazy("audit", "resumed"),
    "connect": pgettext_lazy("audit", "connected"),
    "replace_secrets": pgettext_lazy("audit", "secrets replaced"),
    "renew_secrets": pgettext_lazy("audit", "sign-in renewed"),
    "rotate_secrets": pgettext_lazy("audit", "encrypted with another key"),
    "let_spend": pgettext_lazy("audit", "allowed to spend"),
    "end_spending": pgettext_lazy("audit", "not allowed to spend any more"),
    "sign_in": pgettext_lazy("audit", "signed in"),
    "fail_sign_in": pgettext_lazy("audit", "sign-in failed"),
    "set_password": pgettext_lazy("audit", "password changed"),
    "close": pgettext_lazy("audit", "account closed"),
}
OPERATORS_ACTS: Words = {
    "pause": _("Pause a marketplace"),
    "resume": _("Resume a marketplace"),
    "probe": _("Try a marketplace now"),
    "drain": _("Restart a worker"),
    "requeue": _("Try dead jobs again"),
    "discard": _("Discard dead jobs"),
    "task": _("Run a task now"),
    "stop": _("Pause all spending"),
    "spend": _("Allow spending again"),
    "bundle": _("Diagnostic bundle"),
}
WAYS: Words = {
    "password": pgettext_lazy("sign-in", "password"),
    "link": pgettext_lazy("sign-in", "one-time link"),
    "mfa": pgettext_lazy("sign-in", "second factor"),
    "press": pgettext_lazy("sign-in", "a press"),
}
LABELS: Words = {
    "name": _("Name"),
    "label": _("Name"),
    "watches": _("Watches"),
    "tags": _("Tags"),
    "stopped": pgettext_lazy("audit", "stopped"),
    "paused": pgettext_lazy("audit", "paused"),
    "secrets": pgettext_lazy("audit", "secrets"),
    "changed": pgettext_lazy("audit", "changed"),
    "spends": pgettext_lazy("audit", "may spend"),
    "price_max": _("highest price with shipping"),
    "shipping_estimate": _("shipping when I pay it"),
    "approval_minutes": _("time to answer (minutes)"),
    "policy": _("then"),
    "way": _("how"),
    "until": _("automatic until"),
    "is_active": pgettext_lazy("audit", "may sign in"),
    "is_staff": pgettext_lazy("audit", "staff"),
    "is_superuser": pgettext_lazy("audit", "all permissions"),
    "groups": pgettext_lazy("audit", "groups"),
    "permissions": pgettext_lazy("audit", "permissions"),
    "totp": pgettext_lazy("audit", "app with codes"),
    "webauthn": pgettext_lazy("audit", "passkeys"),
    "recovery_codes": pgettext_lazy("audit", "recovery codes"),
    "account_id": pgettext_lazy("audit", "account number"),
    "language": _("Language"),
    "time_zone": _("Time zone"),
    "theme": _("Appearance"),
    "start_page": _("Start page"),
    "second_currency": _("Second currency"),
    "per_yen": _("what one yen is worth"),
    "one_press": _("One press is enough"),
    "proof_above": _("Prove again that it is me above"),
}
MONEY = {"per_item", "per_day", "per_week", "per_month", "total", "price_max", "shipping_estimate", "proof_above"}
CODES = {"way": Way.choices, "policy": BuyPolicy.choices}
LIMITS = {"per_item", "per_day", "per_week", "per_month", "total", "units"}


def who_did(entry: AuditEntry, reader: Any) -> str:
    """Who did it, as the reader calls them."""
    if entry.actor == ActorKind.PERSON:
        return pgettext("actor", "you") if entry.name == reader.get_username() else entry.name or gettext("somebody")
    if entry.actor == ActorKind.COMMAND:
        return gettext("the command %(name)s") % {"name": entry.name}
    return str(ActorKind(entry.actor).label)


def who_stepped(step: OrderStep) -> str:
    """Who took a step of an order."""
    return str(ACTORS.get(step.actor, step.actor))


def act_words(entry: AuditEntry) -> str:
    """What was done."""
    by_operator = entry.kind == AuditKind.SYSTEM and entry.actor == ActorKind.PERSON
    return str((OPERATORS_ACTS if by_operator else ACTS).get(entry.act, entry.act))


def changes_of(entry: AuditEntry) -> list[Change]:
    """What it was before and after, field by field."""
    if entry.thing == "watch":
        return changes_between(entry.before, entry.after)
    names = [*entry.before, *(name for name in entry.after if name not in entry.before)]
    found = [_change(name, entry) for name in names]
    return [one for one in found if one.gone or one.come]


def _change(name: str, entry: AuditEntry) -> Change:
    gone = value_words(name, entry.before[name]) if name in entry.before else ()
    come = value_words(name, entry.after[name]) if name in entry.after else ()
    return Change(label=_label(name), gone=gone, come=come)


def _label(name: str) -> str:
    if name in LIMITS:
        return str(Budget._meta.get_field(name).verbose_name)  # type: ignore[union-attr]  # noqa: SLF001
    return str(LABELS.get(name, name))


def value_words(name: str, value: Any) -> tuple[str, ...]:
    """A kept value as people read it; nothing for what was not set."""
    if value is None or value in ("", []):
        return ()
    if isinstance(value, list):
        return tuple(str(one) for one in value)
    if isinstance(value, bool):
        return (gettext("yes") if value else gettext("no"),)
    if name in CODES:
        return (str(dict(CODES[name]).get(value, value)),)
    return (wording.money(value) if name in MONEY and isinstance(value, int) else str(value),)


def step_change(step: OrderStep) -> list[Change]:
    """From where to where an order went."""
    state = pgettext("order", "state")
    return [Change(label=state, gone=(state_words(step.before),), come=(state_words(step.after),))]
