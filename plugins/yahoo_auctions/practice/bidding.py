"""The rules of bidding by proxy. Pure: a state and a bid in, what became of it out."""

from dataclasses import dataclass
from enum import StrEnum

_UNITS = ((1_000, 10), (5_000, 100), (10_000, 250), (50_000, 500))
LARGEST_UNIT = 1_000


class Outcome(StrEnum):
    """What became of a bid."""

    LEADS = "leads"
    OUTBID = "outbid"
    REFUSED = "refused"
    BOUGHT = "bought"


@dataclass(slots=True, kw_only=True)
class Bidding:
    """The state of one auction in whole yen: ``maximum`` is what the leader would pay at most."""

    start: int
    price: int
    buy_now: int | None = None
    leader: str = ""
    maximum: int = 0
    bids: int = 0

    @property
    def minimum(self) -> int:
        """The lowest bid that is taken."""
        return self.price + unit(self.price) if self.bids else self.price

    def place(self, bidder: str, amount: int) -> Outcome:
        """Place a bid; the price is what it takes to beat the second, a tie goes to the earlier."""
        if amount < self.minimum:
            return Outcome.REFUSED
        self.bids += 1
        if self.buy_now is not None and amount >= self.buy_now:
            self.leader, self.maximum, self.price = bidder, self.buy_now, self.buy_now
            return Outcome.BOUGHT
        if bidder == self.leader:
            self.maximum = amount
            return Outcome.LEADS
        return self._lead(bidder, amount) if amount > self.maximum else self._lose(amount)

    def _lead(self, bidder: str, amount: int) -> Outcome:
        if self.leader:
            self.price = min(amount, self.maximum + unit(self.maximum))
        self.leader, self.maximum = bidder, amount
        return Outcome.LEADS

    def _lose(self, amount: int) -> Outcome:
        self.price = min(self.maximum, amount + unit(amount))
        return Outcome.OUTBID


def unit(price: int) -> int:
    """By how much a price rises at least."""
    return next((step for below, step in _UNITS if price < below), LARGEST_UNIT)
