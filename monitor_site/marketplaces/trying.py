"""One question to one marketplace, as a worker would ask it, told in words: for operators who wonder what happens."""

import time
from collections.abc import Iterator
from dataclasses import dataclass

from monitor_site.connections import async_redis_client, redis_client
from monitor_site.contract import MarketplaceError, Money, Pauses, Tells

from .accounts import Accounts
from .catalog import Catalog
from .gateway import Found, Gateway, History
from .overview import Standing, standings

FIRST = History(known=frozenset(), usual=False, empty_streak=0)
SHOWN = 3
HINTS = {
    "unavailable": "Is the address right, and does the proxy work? If only this marketplace is silent, wait.",
    "no_pace": "Others have used up the pace, or Redis is away. Try again in a minute.",
    "throttled": "Wait. If it comes back, this address is asked for more than the marketplace bears.",
    "blocked": "This installation is refused. Asking again does not help; what may be asked, their terms say.",
    "challenge_required": "Open the marketplace in a browser and do what it asks for.",
    "sign_in_needed": "Connect an account, or replace its secrets, on the page Marketplaces of the administration.",
    "layout_changed": "The plugin has to learn the new form of the answer: look for a newer version of it.",
    "listing_gone": "The marketplace says that there is no such listing.",
    "plugin_fault": "The plugin has a fault; the log above has its traceback.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """How it went: ``lines`` for a person, ``ok`` whether there was a usable answer."""

    ok: bool
    lines: list[str]


def refusal(catalog: Catalog, name: str) -> str:
    """Why a marketplace cannot be tried at all, in a sentence; empty when it can."""
    if name in catalog.broken:
        return f"the plugin {name} does not work: {catalog.broken[name]}"
    if name not in catalog.plugins:
        return f"no marketplace here is called {name}; there are {', '.join(sorted(catalog.plugins)) or 'none'}"
    return ""


def standing_of(catalog: Catalog, name: str) -> Standing:
    """How the marketplace is before it is asked. Raises ``redis.RedisError``, since without Redis nobody asks."""
    redis_client().ping()
    return next(one for one in standings(catalog, redis_client()) if one.name == name)


def before(standing: Standing) -> Iterator[str]:
    """From where, through which proxy, with which account."""
    kind = "its practice market" if standing.practice else "the real one"
    yield f"Asking {standing.name} at {standing.address}, {kind}." if standing.address else f"Asking {standing.name}."
    yield f"Proxy: {standing.proxy or 'none'}."
    if standing.needs_account:
        yield f"Account: {standing.account or 'none connected'}."


def stopped(standing: Standing) -> list[str]:
    """Why nobody asks it at the moment; nothing while its breaker is closed or half-open."""
    if not standing.address:
        return ["Not asked: no practice market plays it, and this installation does not ask real ones (LIVE=1 does)."]
    state = standing.breaker
    if not state or state["state"] != "open" or standing.breaker_until is None:
        return []
    until = f"{standing.breaker_until:%Y-%m-%d %H:%M:%S} UTC"
    return [
        f"Not asked: its breaker is open because of {state['reason']}, until {until}.",
        "Hint: wait, or close it on the page Marketplaces of the administration, and try again.",
    ]


async def ask(catalog: Catalog, name: str, *, keyword: str, look: str) -> Trial:
    """Ask once, through the gateway that workers use: with its pace, account, proxy and consequences."""
    client = async_redis_client()
    gateway = Gateway(redis=client, catalog=catalog, accounts=Accounts())
    began = time.monotonic()
    try:
        found = await _asked(gateway, catalog, name, keyword, look)
    except MarketplaceError as error:
        return Trial(ok=False, lines=[*_failed(error, time.monotonic() - began)])
    finally:
        await gateway.close()
        await client.aclose()
    return Trial(ok=True, lines=[*_answered(found, time.monotonic() - began)])


async def _asked(gateway: Gateway, catalog: Catalog, name: str, keyword: str, look: str) -> Found:
    if look:
        return await gateway.look(marketplace=name, external_id=look)
    manifest = catalog.get(name).manifest
    criteria = manifest.criteria(keyword=keyword) if keyword else manifest.control
    return await gateway.search(marketplace=name, criteria=criteria, history=FIRST)


def _answered(found: Found, seconds: float) -> Iterator[str]:
    rows = len(found.sightings)
    yield f"Answered in {seconds:.1f} s: {rows} {'row' if rows == 1 else 'rows'}, {found.bytes:,} bytes."
    if found.bad_rows:
        yield f"{found.bad_rows} more could not be read."
    yield from (f"  {_plain(sighting.title)}  {_price(sighting.price)}" for sighting in found.sightings[:SHOWN])
    if not rows:
        yield "Nothing found. Without --keyword a question is asked that should always have answers."


def _plain(text: str) -> str:
    """What strangers wrote, harmless to a terminal."""
    return "".join(letter if letter.isprintable() else "?" for letter in text)


def _price(price: Money | None) -> str:
    return f"{price.amount:,} {price.currency}" if price else "price unknown"


def _failed(error: MarketplaceError, seconds: float) -> Iterator[str]:
    yield f"Failed after {seconds:.1f} s: {error.code}: {_plain(error.detail)}"
    yield f"Consequence: {_pause_words(error)} {_told_words(error)}"
    if hint := HINTS.get(error.code):
        yield f"Hint: {hint}"


def _pause_words(error: MarketplaceError) -> str:
    length = f" for {error.retry_after:.0f} s" if error.retry_after is not None else ""
    words = {
        Pauses.NOTHING: "nothing pauses, the next beat asks again.",
        Pauses.TARGET: "the question that asks this waits longer each time it fails.",
        Pauses.ACCOUNT: f"the account pauses{length}; where none is used, all of the marketplace.",
        Pauses.MARKETPLACE: f"all of the marketplace pauses{length}.",
    }
    return words[error.pauses]


def _told_words(error: MarketplaceError) -> str:
    words = {
        Tells.NOBODY: "Nobody is told.",
        Tells.USER: "Whoever watches it sees it on the watch.",
        Tells.OPERATOR: "The operator finds it in the log.",
    }
    return words[error.tells]
