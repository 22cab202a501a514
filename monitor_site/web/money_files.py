"""Orders and ledgers as files for accounting. Amounts are whole units of their currency; unknown is empty, never 0."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from monitor_site.purchasing import queries
from monitor_site.purchasing.models import Budget, LedgerEntry, Order
from monitor_site.watches import tagging

from .budget_pages import own_budget
from .order_filters import decided, wanted_of
from .order_words import budget_name
from .spreadsheets import csv_answer

MOST = 50_000
CHUNK = 500
ORDER_HEAD = (
    "order", "proposed", "state", "since", "title", "marketplace", "listing", "account", "price", "shipping",
    "at most", "paid", "currency", "order number", "watch", "tags", "budgets", "parcel", "problem",
)  # fmt: skip
LEDGER_HEAD = ("time", "kind", "amount", "currency", "order", "title", "order number")


@require_safe
def orders(request: HttpRequest) -> HttpResponse:
    """What the filters of the page of orders find, as far as it was decided."""
    found = decided(request.user, wanted_of(request.GET)).select_related("listing", "account", "watch")[:MOST]
    return csv_answer("orders", ORDER_HEAD, _rows(found))


def _rows(found: Any) -> Iterator[tuple[Any, ...]]:
    rows = found.iterator(chunk_size=CHUNK)
    while part := list(islice(rows, CHUNK)):
        tags = tagging.tags_by_watch({one.watch_id for one in part if one.watch_id})
        budgets = queries.budgets_by_order([one.pk for one in part])
        for one in part:
            shared = [budget_name(budget) for budget in budgets.get(one.pk, [])]
            worn = [tag.name for tag in tags.get(one.watch_id, [])]
            yield (*_of_order(one), "; ".join(worn), "; ".join(shared), one.parcel, one.problem)


def _of_order(order: Order) -> tuple[Any, ...]:
    thing, moments = order.listing, (order.created_at.isoformat(), order.stood_since.isoformat())
    what = (order.public_id, moments[0], order.state, moments[1], thing.title, thing.marketplace, thing.external_id)
    money = (order.price, order.shipping, order.price_max, order.paid, order.currency)
    return (*what, str(order.account or ""), *money, order.reference, order.watch.name if order.watch else "")


@own_budget
@require_safe
def ledger(request: HttpRequest, budget: Budget) -> HttpResponse:  # noqa: ARG001 - the budget is the reader's
    """Every movement of a budget's money."""
    return csv_answer(f"budget-{budget.pk}", LEDGER_HEAD, map(_of_entry, queries.entries_of(budget)[:MOST]))


def _of_entry(entry: LedgerEntry) -> tuple[object, ...]:
    order = entry.order
    what = (entry.at.isoformat(), entry.kind, entry.amount, order.currency)
    return (*what, order.public_id, order.listing.title, order.reference)
