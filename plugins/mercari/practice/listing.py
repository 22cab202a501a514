"""One listing of the practice market and its row in the recorded shape."""

import hashlib
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import orjson

from monitor_site.contract import Status
from monitor_site.contract.practice import fold

ON_SALE = "ITEM_STATUS_ON_SALE"
TRADING = "ITEM_STATUS_TRADING"
SOLD_OUT = "ITEM_STATUS_SOLD_OUT"
STOP = "ITEM_STATUS_STOP"
CANCEL = "ITEM_STATUS_CANCEL"
ADMIN_CANCEL = "ITEM_STATUS_ADMIN_CANCEL"
NO_PRICE = 9_999_999
_STATES = {
    ON_SALE: Status.ON_SALE,
    TRADING: Status.RESERVED,
    SOLD_OUT: Status.SOLD,
    STOP: Status.STOPPED,
    CANCEL: Status.REMOVED,
    ADMIN_CANCEL: Status.REMOVED,
}


@dataclass(slots=True, kw_only=True)
class Auction:
    """A running auction: ``ends`` in virtual unix seconds, ``start_price`` once somebody has bid."""

    ends: float
    bids: int = 0
    start_price: int | None = None


@dataclass(slots=True, kw_only=True)
class Variant:
    """One of the things a shop's product can be bought as."""

    name: str = ""
    size: str = ""
    quantity: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeSale:
    """A shop's lower price for a while; virtual unix seconds."""

    price: int
    starts: float
    ends: float


@dataclass(slots=True, kw_only=True, eq=False)
class Listing:
    """Something offered; times are virtual unix seconds, ``price`` whole yen or ``None`` for none.

    ``fee`` is what shipping costs where the buyer pays it. ``number`` counts all listings ever made, ``edits`` what
    happened to this one. ``removed`` things are refused to
    everybody. Until ``stale_until`` the search shows its row as it was.
    """

    id: str
    title: str
    price: int | None
    created: float
    updated: float
    visible_at: float
    art: str
    category: int
    brand: int = 0
    condition: int = 3
    payer: int = 2
    fee: int | None = 700
    status: str = ON_SALE
    seller: str = "900000001"
    shop: str = ""
    auction: Auction | None = None
    size: str = ""
    description: str = ""
    variants: list[Variant] = field(default_factory=list)
    time_sale: TimeSale | None = None
    removed: bool = False
    number: int = 0
    edits: int = 0
    stale_until: float = 0.0
    folded: str = field(default="")
    row: bytes = field(default=b"", repr=False)

    def __post_init__(self) -> None:
        self.folded = fold(self.title)
        if self.shop and not self.variants:
            self.variants = [Variant(size=self.size)]

    @property
    def checksum(self) -> str:
        """Another one after every edit."""
        return hashlib.blake2b(f"{self.id} {self.edits}".encode(), digest_size=16).hexdigest()

    def asked(self, now: float) -> int:
        """What a buyer pays for the thing itself; 0 when there is no price."""
        sale = self.time_sale
        running = sale is not None and sale.starts <= now < sale.ends
        return sale.price if sale is not None and running else self.price or 0

    def touch(self, now: float) -> None:
        """Something changed: new ``updated``, and the row is made again unless the search lags behind."""
        self.updated = now
        if self.stale_until <= now:
            self.row = b""

    def catch_up(self, now: float) -> None:
        """Let the search show what is, once its lag is over."""
        if 0 < self.stale_until <= now:
            self.stale_until, self.row = 0.0, b""

    def bytes_for(self, base: str) -> bytes:
        """The row as JSON, made once; ``base`` is the address under which the pictures are served."""
        if not self.row:
            self.row = orjson.dumps(self._as_row(base))
        return self.row

    def _as_row(self, base: str) -> dict[str, Any]:
        return self._identity() | self._pictures(base) | self._details()

    def _identity(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "sellerId": "0" if self.shop else self.seller,
            "buyerId": "",
            "status": self.status,
            "name": self.title,
            "price": str(NO_PRICE if self.price is None else self.price),
            "created": str(int(self.created)),
            "updated": str(int(self.updated)),
        }

    def _pictures(self, base: str) -> dict[str, Any]:
        photo = f"{base}/photos/{self.art}/{self.id}_1.webp?{int(self.created)}"
        return {"thumbnails": [photo], "photos": [{"uri": photo}]}

    def _details(self) -> dict[str, Any]:
        size = {"id": "3", "name": self.size} if self.size else None
        return {
            "itemType": "ITEM_TYPE_BEYOND" if self.shop else "ITEM_TYPE_MERCARI",
            "itemConditionId": str(self.condition),
            "shippingPayerId": "0" if self.shop else str(self.payer),
            "itemSizes": [size] if size else [],
            "itemBrand": {"id": str(self.brand), "name": f"Brand {self.brand}", "subName": ""} if self.brand else None,
            "itemPromotions": [],
            "shopName": "",
            "itemSize": size,
            "shippingMethodId": "0" if self.shop else "14",
            "categoryId": str(self.category),
            # An auction without a price yet bears the placeholder and still says it has one.
            "isNoPrice": self.price is None and self.auction is None,
            "title": "",
            "isLiked": False,
            "auction": self._auction(),
            "shop": {"id": self.shop} if self.shop else None,
        }

    def _auction(self) -> dict[str, str] | None:
        if self.auction is None:
            return None
        return {
            "id": "",
            "bidDeadline": _rfc3339(self.auction.ends),
            "totalBid": str(self.auction.bids),
            "highestBid": str(self.price or 0),
        }

    @property
    def state(self) -> Status:
        """Where it stands, in the contract's words."""
        return Status.REMOVED if self.removed else _STATES[self.status]

    def facts(self) -> dict[str, Any]:
        """The listing for the truth log and the control end."""
        return {
            "id": self.id,
            "title": self.title,
            "price": self.price,
            "status": self.status,
            "state": self.state,
            "created": round(self.created, 3),
            "visible_at": round(self.visible_at, 3),
            "auction": self.auction is not None,
            "shop": bool(self.shop),
        }


def _rfc3339(moment: float) -> str:
    """With nine fraction digits, as the real ones come when they have a fraction."""
    whole = int(moment)
    return f"{datetime.fromtimestamp(whole, tz=UTC):%Y-%m-%dT%H:%M:%S}.{int((moment - whole) * 1e9):09d}Z"
