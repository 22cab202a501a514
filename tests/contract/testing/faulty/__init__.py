"""A plugin that breaks every rule of the contract, each in the way that people do."""

import itertools
import json
import re
import socket
import time
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from monitor_site.contract import (
    Access,
    AccountInfo,
    AccountSettings,
    Answer,
    BadRow,
    BuyRequest,
    CancelReceipt,
    CancelRequest,
    Capability,
    Kind,
    ListingGone,
    ListingUrl,
    Manifest,
    MarketplaceError,
    Money,
    Pace,
    Plugin,
    Purchase,
    PurchasePage,
    PurchaseStage,
    Receipt,
    SearchCriteria,
    SearchPage,
    Session,
    Sighting,
    Status,
    option,
)

socket.getaddrinfo("127.0.0.1", 80)

ADDRESS = "http://127.0.0.1:9"
READ = itertools.count()
KEPT: list[Answer] = []

wait = time.sleep


@dataclass(frozen=True, slots=True, kw_only=True)
class Criteria(SearchCriteria):
    grade: int = option(label="", default=0, choices={1: ""})

    def __post_init__(self) -> None:
        object.__setattr__(self, "grade", self.grade + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings(AccountSettings):
    api_key: str = option(label="Key", default="")
    pin: int = 0
    token: str = option(label="Token", default="", secret=True)


class Market:
    def __init__(self, session: Session) -> None:
        self.session = session

    async def search(self, criteria: SearchCriteria, *, page_token: str | None = None) -> SearchPage:
        misbehave()
        object.__setattr__(criteria, "keyword", f"{criteria.keyword}+")
        try:
            await self.session.get(f"{ADDRESS}/warm-up", weight=0)
            answer = await self.session.get(f"{ADDRESS}/search", headers={"Host": "www.faulty.example"})
        except MarketplaceError:
            return SearchPage(sightings=())
        KEPT.append(answer)
        if answer.status != 200:
            return SearchPage(sightings=())
        found = tuple(map(sighting, ids(answer)))
        return SearchPage(
            sightings=found * 2, bad_rows=(BadRow(position=0, reason="no id"),) if found else (), next_token="2"
        )

    async def look(self, external_id: str) -> Sighting:
        try:
            answer = await self.session.get(f"{ADDRESS}/listing")
        except MarketplaceError:
            return sighting("nothing")
        if answer.status in {403, 429, 503}:
            raise ListingGone(f"refused {self.session.settings and self.session.settings.token}")
        return sighting("promoted")

    async def sold_prices(self, criteria: SearchCriteria, *, page_token: str | None = None) -> SearchPage:
        return await self.search(criteria)

    async def buy(self, request: BuyRequest) -> Receipt:
        for _ in range(2):
            await self.spend()
        return Receipt(external_id=request.external_id, transaction_id="bought")

    async def cancel(self, request: CancelRequest) -> CancelReceipt:
        for _ in range(2):
            await self.spend()
        return CancelReceipt(external_id=request.external_id, transaction_id="another")

    async def spend(self) -> None:
        try:
            await self.session.commit(f"{self.session.base}/purchase", json={})
        except MarketplaceError:
            return

    async def find_purchase(self, external_id: str) -> Purchase:
        return Purchase(external_id=external_id, transaction_id="another", stage=PurchaseStage.RECEIVED)

    async def purchases(self, page_token: str | None = None) -> PurchasePage:
        return PurchasePage(purchases=())

    async def verify(self) -> AccountInfo:
        await self.spend()
        return AccountInfo(label="somebody")


def misbehave() -> None:
    for deed in (lambda: socket.getaddrinfo("127.0.0.1", 80), lambda: wait(0.001)):
        try:
            deed()
        except RuntimeError:
            continue


def ids(answer: Answer) -> list[str]:
    text = answer.body.decode("latin-1")
    try:
        rows = json.loads(text)["rows"]
    except ValueError:
        return re.findall(r'"id": "([^"]+)', text)
    return [row["id"] for row in rows]


def sighting(external_id: str) -> Sighting:
    return Sighting(
        external_id=external_id,
        title=f"read as number {next(READ)}",
        url=f"https://elsewhere.example/{external_id}",
        price=Money(amount=0, currency="JPY"),
        kind=Kind.AUCTION,
        status=Status.ON_SALE,
        created=datetime(2026, 5, 1),  # noqa: DTZ001
    )


def parse_url(url: str) -> Any:
    if not url.strip():
        raise IndexError(url)
    return "a listing" if "?" in url else ListingUrl(external_id="wrong")


def link(external_id: str, *, web: str) -> str:
    return f"https://elsewhere.example/buy/{external_id}"


plugin = Plugin(
    manifest=Manifest(
        name="faulty",
        title={"en": "Faulty"},
        contract=1,
        home="https://www.faulty.example",
        hosts=("api.faulty.example",),
        picture_hosts=(),
        currency="yen",
        time_zone="Asia/Tokyo",
        capabilities=frozenset(
            {
                Capability.SEARCH,
                Capability.LOOK,
                Capability.SOLD_PRICES,
                Capability.LINK,
                Capability.BUY,
                Capability.CANCEL,
                Capability.OUTCOME,
                Capability.BID,
            }
        ),
        criteria=Criteria,
        pace=Pace(per_minute=600, ceiling_per_minute=600, floor_seconds=1),
        access=Access.PUBLIC_PAGES,
        control=Criteria(keyword="x"),
        search_tells=frozenset({"bids"}),
        settings=Settings,
        lists_purchases=True,
    ),
    connect=Market,
    api="https://api.faulty.example",
    practice=f"{__name__}.practice",
    parse_url=parse_url,
    link=link,
)
