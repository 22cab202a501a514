"""A person goes: what that ends, what it leaves, and what must be settled first."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.db.models.expressions import Combinable

from monitor_site.accounts import auditing
from monitor_site.accounts.factors import forget_factors
from monitor_site.accounts.models import AuditKind, User
from monitor_site.alerts import feeding
from monitor_site.alerts import services as alerts
from monitor_site.alerts.models import Channel, Feed
from monitor_site.marketplaces.models import MarketplaceAccount
from monitor_site.purchasing import account_use, switching
from monitor_site.purchasing.cancelling import UNSETTLED
from monitor_site.purchasing.models import Cancellation, Order
from monitor_site.purchasing.moving import Because, move
from monitor_site.purchasing.transitions import ASKING, BOUGHT, HELD, State, Verb
from monitor_site.watches import services as watches
from monitor_site.watches.models import Watch

from .order_words import PERSON

REASON = "closed"


class NotSettled(Exception):
    """Money is held, nobody knows an outcome, or nobody else could open the doors again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Closing:
    """What closing a person's account meets. As long as orders are ``held``, it stays open."""

    held: list[Order]
    asking: int
    on_the_way: list[Order]
    watches: int
    channels: int
    accounts: int
    is_last: bool

    @property
    def possible(self) -> bool:
        """Nothing speaks against it."""
        return not self.held and not self.is_last


def closing_of(user: Any) -> Closing:
    """What would happen now."""
    orders = Order.objects.of(user).select_related("listing").order_by("-pk")
    return Closing(
        held=list(orders.filter(_is_held())),
        asking=orders.filter(state__in=ASKING).count(),
        on_the_way=list(orders.filter(state__in=BOUGHT - {State.RECEIVED})),
        watches=Watch.objects.of(user).filter(paused_at=None).count(),
        channels=Channel.objects.of(user).count(),
        accounts=_accounts(user).count(),
        is_last=_is_last(user),
    )


def _is_held() -> Combinable:
    """Money is held, or nobody knows yet whether a purchase was cancelled."""
    return Q(state__in=HELD) | Exists(Cancellation.objects.filter(order=OuterRef("pk"), outcome__in=UNSETTLED))


def _accounts(user: Any) -> Any:
    return MarketplaceAccount.objects.filter(user=user, removed_at=None).order_by("pk")


def _is_last(user: Any) -> bool:
    """Whether nobody else could administer the site."""
    others = User.objects.filter(is_superuser=True, is_active=True).exclude(pk=user.pk)
    return bool(user.is_superuser) and not others.exists()


@transaction.atomic
def close_account(*, user: Any, now: datetime) -> None:
    """Stop, forget the secrets, shut the doors; orders, ledger and record stay. Raises :class:`NotSettled`.

    Spending is stopped first, so that nothing that is approved meanwhile is ever sent.
    """
    switching.stop(user=user, reason=REASON, now=now)
    if not closing_of(user).possible:
        raise NotSettled
    for order in Order.objects.of(user).filter(state__in=ASKING):
        move(order=order, verb=Verb.CANCEL, because=Because(actor=PERSON, fields={"reason": REASON}), now=now)
    for watch in Watch.objects.of(user).filter(paused_at=None):
        watches.pause_watch(watch=watch, now=now)
    _forget(user, now)
    _shut(user, now)


def _forget(user: Any, now: datetime) -> None:
    for feed in Feed.objects.filter(user=user):
        feeding.revoke_feed(feed=feed)
    for channel in Channel.objects.of(user):
        alerts.remove_channel(channel=channel)
    for account in _accounts(user):
        account_use.remove_account(account=account, now=now)


def _shut(user: Any, now: datetime) -> None:
    """No session, password, factor or address opens it any more; staff can."""
    forget_factors(user=user, now=now)
    user.set_unusable_password()
    user.is_active = False
    user.save(update_fields=["password", "is_active"])
    on, shut = auditing.Thing(kind="user", id=user.pk, words=user.get_username()), {"is_active": False}
    told: dict[str, Any] = {"user_id": user.pk, "on": on, "before": {"is_active": True}, "after": shut, "now": now}
    auditing.write(kind=AuditKind.SECURITY, act="close", **told)
