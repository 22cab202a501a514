"""What pages say of an order that this site sends itself: why it waits, and what a dry run would have sent."""

import json
from collections.abc import Sequence
from datetime import datetime

from django.utils.translation import gettext

from monitor_site import wording
from monitor_site.order_reasons import pause_words
from monitor_site.purchasing import queries
from monitor_site.purchasing.models import MOST_EPOCHS, Mode, Order, Way
from monitor_site.purchasing.queries import Stop
from monitor_site.purchasing.transitions import State


def waits_words(order: Order, stops: Sequence[Stop], *, now: datetime) -> str:
    """Why an approved order has not gone on yet; empty for any other."""
    if order.state != State.READY:
        return ""
    if stops:
        return gettext("It goes on once spending is not paused any more.")
    if order.way == Way.ASSISTED:
        return gettext("In a moment it is yours to order.")
    return _of_the_account(order, now) or _of_the_tries(order)


def _of_the_account(order: Order, now: datetime) -> str:
    account = order.account
    if account is None or account.spends_since is None:
        return gettext("The account may not spend, so nothing is sent.")
    if account.paused_until and account.paused_until > now:
        values = {"why": pause_words(account.pause_reason), "when": wording.clock(account.paused_until, now=now)}
        return gettext("Nothing goes out with this account until %(when)s: %(why)s.") % values
    if queries.account_waits(account_id=account.pk):
        return gettext("It goes on once the outcome of another order of this account is known.")
    return ""


def _of_the_tries(order: Order) -> str:
    if not order.epoch:
        return gettext("It is ordered in a moment.")
    values = {"n": order.epoch, "most": MOST_EPOCHS}
    return gettext("It could not be sent and is tried again; %(n)d of %(most)d tries are used up.") % values


def would_send(order: Order) -> str:
    """What a dry run would have sent, as it would have been sent; empty where nothing would."""
    if order.mode != Mode.DRY_RUN:
        return ""
    last = order.history.order_by("-number").first()
    would = last.evidence.get("would_send") if last else None
    return f"POST {would['url']}\n{json.dumps(would['json'], ensure_ascii=False, indent=2)}" if would else ""
