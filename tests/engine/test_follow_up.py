"""What a person sees of a match whose price falls and that is then sold: from the practice market to the pages."""

import re
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.test import Client

from monitor_site.engine import jobs, recording
from monitor_site.engine.checking import Checker
from monitor_site.engine.flight import Landed
from monitor_site.engine.members import member
from monitor_site.engine.schedule import Lease
from monitor_site.watches.models import Listing, ListingEvent, Match, Target
from tests.plugins.standins import Market
from tests.watches.makers import watch_of

pytestmark = pytest.mark.django_db(transaction=True)

WORD = "追跡の見本"
FENCES = count(1)


class Person:
    """Reads the two pages as they are now."""

    def __init__(self, client: Client) -> None:
        self.client = client

    def card(self) -> str:
        """Her one match in the feed."""
        html = self.client.get("/matches/", headers={"accept-language": "en"}).content.decode()
        found = re.search(r"<article.*?</article>", html, re.DOTALL)
        assert found
        return _words(found[0])

    def page(self) -> str:
        """The page of its listing."""
        address = f"/listings/{Match.objects.get().listing_id}/"
        html = self.client.get(address, headers={"accept-language": "en"}).content.decode()
        return _words(html.split("<main", 1)[1])


def _words(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


async def check(checker: Checker, target: Target) -> None:
    lease = Lease(marketplace=target.marketplace, id=member(target), fence=next(FENCES), due_ms=1)
    row = (await sync_to_async(recording.load_targets)([lease.id]))[lease.id]
    landed = Landed(lease=lease, result=await checker.check(lease, row), target=row)
    await sync_to_async(recording.write)([landed])


def begin(user: Any) -> Target:
    watch_of(user, datetime.now(UTC), must=[WORD], pattern="箱$", tell_existing=True, price_max=60_000)
    return Target.objects.searches().get()


def followed() -> Target:
    jobs.follow_listings(list(Listing.objects.values_list("pk", flat=True)))
    return Target.objects.looks().get()


async def test_a_match_that_gets_cheaper_and_is_sold_says_so_on_card_and_page(
    alice: Any, client: Client, market: Market, checker: Checker
) -> None:
    await sync_to_async(client.force_login)(alice)
    person = Person(client)
    made = market.do("list", title=f"{WORD} 箱", price=50_000, visible_in=0)["id"]
    search = await sync_to_async(begin)(alice)
    await check(checker, search)
    assert "¥50,000" in await sync_to_async(person.card)()
    began = datetime.now(UTC)
    look = await sync_to_async(followed)()
    assert look.due_at is not None
    assert began + timedelta(minutes=9) < look.due_at <= datetime.now(UTC) + timedelta(minutes=11)

    market.do("change", id=made, price=40_000, search_after=86_400)
    await check(checker, search)
    assert "¥40,000" not in await sync_to_async(person.card)()
    await check(checker, look)
    card, page = await sync_to_async(person.card)(), await sync_to_async(person.page)()
    assert "20% cheaper ¥40,000 ¥50,000" in card
    assert "Price fell from ¥50,000 to ¥40,000" in page
    assert "Price history your limit, ¥60,000" in page
    assert "¥40,000 -20%" in page

    market.do("sell", id=made, done=True)
    await check(checker, search)
    assert "Sold" not in await sync_to_async(person.card)()
    await check(checker, look)
    card, page = await sync_to_async(person.card)(), await sync_to_async(person.page)()
    assert "Sold to someone else" in card
    assert "Sold, price ¥40,000" in page
    await look.arefresh_from_db()
    assert (look.active, look.due_at) == (False, None)
    kinds = [
        one
        async for one in ListingEvent.objects.filter(listing__external_id=made)
        .order_by("pk")
        .values_list("kind", flat=True)
    ]
    assert kinds == ["listed", "price_drop", "sold"]
