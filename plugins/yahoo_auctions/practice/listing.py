"""One listing of the practice market."""

from dataclasses import dataclass, field
from typing import Any

from monitor_site.contract import Status
from monitor_site.contract.practice import fold

from .bidding import Bidding, Outcome

EXTENSION = 300.0
OPEN, SOLD, UNSOLD, CANCELLED = "open", "sold", "unsold", "cancelled"
_STATES = {OPEN: Status.ON_SALE, SOLD: Status.SOLD, UNSOLD: Status.ENDED, CANCELLED: Status.REMOVED}


@dataclass(slots=True, kw_only=True, eq=False)
class Listing:
    """Something offered; times are virtual unix seconds, prices whole yen without tax.

    ``fee`` is the shipping cost, ``None`` when it is not settled, 0 when the seller pays. ``tax`` is in percent.
    ``gone`` is how its page is gone once the seller took it back.
    """

    id: str
    title: str
    bidding: Bidding
    created: float
    ends: float
    visible_at: float
    art: str
    category: int
    seller: str
    fee: int | None = 0
    unused: bool = False
    flea: bool = False
    tax: int = 0
    extends: bool = True
    status: str = OPEN
    gone: str = "404"
    planned: float = 0.0
    version: int = 0
    folded: str = ""
    cards: dict[str, tuple[object, bytes]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self.folded = fold(self.title)
        self.planned = self.planned or self.ends

    @property
    def store(self) -> bool:
        """Whether a store sells it."""
        return self.tax > 0

    @property
    def fixed(self) -> bool:
        """Whether it is for sale at a fixed price."""
        return self.flea or self.bidding.start == self.bidding.buy_now

    def shown(self, amount: int) -> int:
        """An amount as buyers see it, with tax."""
        return amount * (100 + self.tax) // 100

    def bid(self, bidder: str, amount: int, now: float) -> Outcome:
        """Take a bid; a price that rises in the last five minutes moves the end by five."""
        before = self.bidding.price
        outcome = self.bidding.place(bidder, amount)
        if outcome == Outcome.BOUGHT:
            self.status, self.ends = SOLD, now
        elif self.extends and self.bidding.price > before and self.ends - EXTENSION <= now < self.ends:
            self.ends += EXTENSION
        self.version += 1
        return outcome

    def facts(self) -> dict[str, Any]:
        """The listing for the truth log and the control end."""
        return {
            "id": self.id,
            "title": self.title,
            "price": self.shown(self.bidding.price),
            "buy_now": None if self.bidding.buy_now is None else self.shown(self.bidding.buy_now),
            "bids": self.bidding.bids,
            "status": self.status,
            "state": _STATES[self.status],
            "created": round(self.created, 3),
            "visible_at": round(self.visible_at, 3),
            "ends": round(self.ends, 3),
            "flea": self.flea,
            "store": self.store,
        }
