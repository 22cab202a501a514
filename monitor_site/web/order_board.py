"""The board of orders as plain values: columns with count and sum, and what stands in them."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from monitor_site import second_currency
from monitor_site.marketplaces.named import ERRORS
from monitor_site.purchasing import board, queries, sweeping
from monitor_site.purchasing.board import Column
from monitor_site.purchasing.models import Order, Sweep
from monitor_site.purchasing.transitions import BOUGHT, State

from .order_filters import Wanted
from .order_lines import Line, line_of
from .order_words import budget_name
from .query_filters import query_string

SHOWN, SHOWN_ALONE = 10, 50
TITLES: Mapping[str, "str | Promise"] = {
    "problem": _("Problems"),
    "proposed": pgettext_lazy("column of orders", "Proposed"),
    "to_order": _("To order"),
    "ordered": pgettext_lazy("column of orders", "Ordered"),
    "to_pay": _("To pay"),
    "to_ship": _("To ship"),
    "on_the_way": pgettext_lazy("column of orders", "On the way"),
    "received": pgettext_lazy("column of orders", "Received"),
    "rehearsed": _("Dry runs"),
    "ended": _("Ended"),
}
# What these would have cost was never spent.
WITHOUT_SUM = {"rehearsed", "ended"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """An order on the board. ``due`` is its next deadline, of which ``due_words`` say what it is for."""

    line: Line
    account: str
    budgets: str
    due: datetime | None
    due_words: str
    in_hand: bool


@dataclass(slots=True, kw_only=True)
class Shelf:
    """A column with its first cards; ``more`` is the query that shows what did not fit."""

    name: str
    title: str
    count: int = 0
    sum: str = ""
    cards: list[Card] = field(default_factory=list)
    more: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Board:
    """What has a problem on top, the columns side by side, and what is over below."""

    top: list[Shelf]
    columns: list[Shelf]
    below: list[Shelf]

    @property
    def empty(self) -> bool:
        """Whether nothing stands anywhere."""
        return not any(shelf.count for shelf in (*self.top, *self.columns, *self.below))

    @property
    def in_hand(self) -> bool:
        """Whether anything is shown that can be put into a parcel."""
        return any(card.in_hand for shelf in (*self.top, *self.columns) for card in shelf.cards)


def board_of(orders: QuerySet[Order], wanted: Wanted, *, now: datetime) -> Board:
    """Every column, also those without an order; of one that was chosen a longer part, and only that."""
    shelves = _shelves(orders, wanted, now)
    alone = list(shelves.values()) if wanted.column else []
    return Board(
        top=alone or _filled(shelves, "problem"),
        columns=[] if alone else [shelves[name] for name in board.ON_THE_BOARD],
        below=[] if alone else _filled(shelves, "rehearsed", "ended"),
    )


def _filled(shelves: Mapping[str, Shelf], *names: str) -> list[Shelf]:
    return [shelves[name] for name in names if shelves[name].count]


def _shelves(orders: QuerySet[Order], wanted: Wanted, now: datetime) -> dict[str, Shelf]:
    rows = board.on_board(orders.select_related("listing", "account"), now=now)
    columns = board.columns_of(rows)
    shelves = {name: _shelf(name, columns.get(name)) for name in board.COLUMNS if wanted.column in {"", name}}
    for card_column, card in _cards(_part(rows, wanted)):
        shelves[card_column].cards.append(card)
    for shelf in shelves.values():
        _lead_on(shelf, wanted)
    return shelves


def _part(rows: Any, wanted: Wanted) -> list[Order]:
    if not wanted.column:
        return list(board.first_of_each(rows, SHOWN + 1))
    rows = rows.filter(column=wanted.column)
    rows = rows.filter(pk__lt=wanted.before) if wanted.before else rows
    return list(rows[: SHOWN_ALONE + 1])


def _shelf(name: str, column: Column | None) -> Shelf:
    if column is None:
        return Shelf(name=name, title=str(TITLES[name]))
    total = " + ".join(second_currency.both(amount, currency) for currency, amount in column.sums.items())
    return Shelf(name=name, title=str(TITLES[name]), count=column.count, sum="" if name in WITHOUT_SUM else total)


def _lead_on(shelf: Shelf, wanted: Wanted) -> None:
    """One more than is shown was asked for: whether there is more is known without counting."""
    most = SHOWN_ALONE if wanted.column else SHOWN
    if len(shelf.cards) > most:
        del shelf.cards[most:]
        place = {"column": shelf.name, "before": str(shelf.cards[-1].line.order.pk)}
        shelf.more = "&".join(part for part in (wanted.query(), query_string(place)) if part)


def _cards(orders: Collection[Order]) -> Iterable[tuple[str, Card]]:
    budgets = queries.budgets_by_order([order.pk for order in orders])
    for order in orders:
        yield order.column, _card(order, [budget_name(one) for one in budgets.get(order.pk, [])])  # type: ignore[attr-defined]


def _card(order: Order, budgets: list[str]) -> Card:
    due, words = deadline_of(order)
    return Card(
        line=line_of(order),
        account=order.account.label or order.account.known_as if order.account else "",
        budgets=" · ".join(budgets),
        due=due,
        due_words=words,
        in_hand=order.state in BOUGHT,
    )


def deadline_of(order: Order) -> tuple[datetime | None, str]:
    """What happens to an order next at the latest, and when; marketplaces tell nothing of theirs."""
    if order.state == State.AWAITING_APPROVAL:
        return order.expires_at, gettext("To be answered:")
    if order.state == State.HANDED_OVER and not order.ask_at:
        return order.expires_at, gettext("To be ordered:")
    return (order.ask_at, gettext("Asked again:")) if order.state == State.UNKNOWN else (None, "")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stale:
    """An account whose orders stand as they were ``since``, and why; ``since`` is unknown before a first look."""

    account: Any
    why: str
    since: datetime | None


def stale_of(user: Any, *, now: datetime) -> list[Stale]:
    """Accounts of a person whose purchases could not be looked at, while orders of theirs are under way."""
    found = sweeping.stuck_of(user, now=now)
    return [Stale(account=one.account, why=_why(one), since=one.swept_at) for one in found]


def _why(sweep: Sweep) -> str:
    return str(ERRORS.get(sweep.error) or gettext("nobody has looked for a while"))
