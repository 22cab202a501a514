"""How long pages take the server, and how many questions they ask the database, with a million listings.

    .venv/bin/python benchmarks/pages.py [--listings 1000000] [--rounds 60] [--folder DIR] [--json]

Ten thousand watches of a hundred people; the one who looks has matches of all her hundred watches, each with prices to
compare with. Pages are asked for in this process, without a socket, in turns. ``--folder`` keeps the rows: two versions
of the program that read the same ones are compared by running them one after the other.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

PAGES = ("/matches/", "/matches/?show=drops", "/matches/?q=ルミナ", "/auctions/", "/watches/", "/healthz")
PEOPLE, WATCHES, QUESTIONS, MATCHES = 100, 10_000, 1_000, 3_000
VARIETY, EVERY_AUCTION, LONGEST_AUCTION_MINUTES = 5_000, 5, 7 * 1440
PAST = timedelta(days=10)


@contextmanager
def installation(folder: Path) -> Iterator[None]:
    """Django with its rows in a folder and a Redis of its own."""
    from monitor_site.engine.home.ports import free_port

    port = free_port()
    os.environ |= {"DATA_DIR": str(folder), "REDIS_URL": f"redis://127.0.0.1:{port}/0", "LOG_LEVEL": "ERROR"}
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "monitor_site.settings")
    import django

    django.setup()
    from monitor_site.engine.home.broker import binary

    command = [binary(), "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        yield
    finally:
        server.terminate()
        server.wait(10)


def fill(listings: int) -> None:
    """Make the rows, unless they are there."""
    from django.core.management import call_command

    from monitor_site.accounts.models import User
    from monitor_site.watches.models import Listing

    call_command("migrate", verbosity=0)
    call_command("collectstatic", interactive=False, verbosity=0)
    if Listing.objects.exists():
        return
    people = [User(username=f"person{number}", time_zone="Asia/Tokyo") for number in range(PEOPLE)]
    User.objects.bulk_create(people)
    fill_listings(listings)
    fill_watches(list(User.objects.order_by("pk")))
    fill_matches()


def fill_listings(count: int) -> None:
    """A few thousand listings of all kinds, doubled by the database until there are enough."""
    from django.db import connection

    from monitor_site.watches.models import Listing

    now = datetime.now(UTC)
    moments = dict.fromkeys(("first_seen_at", "seen_at", "observed_at"), now)
    shown = {
        "title": "ルミナ T2 フィルムカメラ ボディ 動作品 ケース付き", "url": "https://jp.mercari.com/item/m1",
        "currency": "JPY", "status": "on_sale", "condition": "good", "shipping": "included", "seller_id": "900",
        "seller_name": "みかん堂", "seller_rating": 4.9, "seller_count": 120, "listed_at": now, "digest": "d",
        "images": ["https://static.mercdn.net/thumb/1.jpg"], "trace": "t",
    }  # fmt: skip
    rows = [Listing(pk=n, external_id=f"m{n}", **kind_of(n, now), **shown, **moments) for n in range(1, VARIETY + 1)]
    Listing.objects.bulk_create(rows, batch_size=500)
    columns = [field.column for field in Listing._meta.concrete_fields]  # noqa: SLF001 - what Django knows of a table
    own = {"id": "id + {have}", "external_id": "'m' || (id + {have})"}
    made, have = ", ".join(own.get(name, name) for name in columns), VARIETY
    with connection.cursor() as cursor:
        while have < count:
            rest = f"SELECT {made.format(have=have)} FROM watches_listing WHERE id <= {count - have}"
            cursor.execute(f"INSERT INTO watches_listing ({', '.join(columns)}) {rest}")
            have = min(count, 2 * have)


def kind_of(number: int, now: datetime) -> dict[str, Any]:
    """Every fifth is an auction that ends within the next days."""
    if number % EVERY_AUCTION:
        return {"marketplace": "mercari", "kind": "flea", "price": 1000 + 97 * number % 90_000}
    ends_at = now + timedelta(minutes=7919 * number % LONGEST_AUCTION_MINUTES)
    return {"marketplace": "yahoo_auctions", "kind": "auction", "price": 1000 + number, "bids": 3, "ends_at": ends_at}


def fill_watches(people: list[Any]) -> None:
    """Watches and questions, many watches to one question, with prices to compare with."""
    from monitor_site.watches.models import Target, Watch, WatchPrices, WatchTarget

    now = datetime.now(UTC)
    common = {
        "marketplaces": ["mercari", "yahoo_auctions"],
        "must": ["ルミナ"],
        "created_at": now - PAST,
        "updated_at": now,
    }
    names = [(people[n % PEOPLE], f"watch {n:05d}") for n in range(WATCHES)]
    Watch.objects.bulk_create([Watch(user=user, name=name, **common) for user, name in names], batch_size=1000)
    asked = {
        "marketplace": "mercari",
        "interval_seconds": 60,
        "created_at": now - PAST,
        "succeeded_at": now,
        "checked_at": now,
    }
    Target.objects.bulk_create(
        [Target(key=f"{n:064d}", criteria="{}", **asked) for n in range(QUESTIONS)], batch_size=500
    )
    targets, watches = list(Target.objects.order_by("pk")), list(Watch.objects.order_by("pk"))
    links = [
        WatchTarget(watch=w, target=targets[n % QUESTIONS], began_at=now - PAST, baselined_at=now - PAST)
        for n, w in enumerate(watches)
    ]
    WatchTarget.objects.bulk_create(links, batch_size=1000)
    figures = {"sales": 40, "p5": 20_000, "p25": 40_000, "median": 52_000, "p75": 61_000, "p95": 80_000}
    WatchPrices.objects.bulk_create(
        [WatchPrices(watch=w, worked_out_at=now, **figures) for w in watches], batch_size=1000
    )


def fill_matches() -> None:
    """Matches of everybody; the first person has a long feed."""
    from monitor_site.watches.models import Listing, Match, Watch

    now, first = datetime.now(UTC), Watch.objects.order_by("pk").first()
    assert first is not None
    hers, others = Watch.objects.filter(user=first.user_id), Watch.objects.exclude(user=first.user_id)
    pks = Listing.objects.order_by("-pk").values_list("pk", flat=True)[: MATCHES + WATCHES]
    mine = [watch for _ in range(MATCHES // len(hers)) for watch in hers]
    pairs = zip([*others, *mine], pks, strict=False)
    said = {"rule": "must", "verdict": "pass", "saw": "", "wanted": "ルミナ", "words": ["ルミナ"]}
    priced = {"rule": "price", "verdict": "pass", "saw": "48000", "wanted": "–60000", "words": []}
    common = {"cause": "listed", "trace": "t", "matched_at": now, "decision": [said, priced]}
    rows = [Match(user_id=w.user_id, watch=w, listing_id=pk, **common) for w, pk in pairs]
    Match.objects.bulk_create(rows, batch_size=500)


def measure(rounds: int) -> dict[str, Any]:
    """Milliseconds of each page, the pages in turns, and how many questions each asks."""
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    from monitor_site.accounts.models import User

    client = Client(headers={"host": "127.0.0.1", "accept-language": "ja"})
    client.force_login(User.objects.order_by("pk")[0])
    took: dict[str, list[tuple[float, float]]] = {page: [] for page in PAGES}
    asked: dict[str, int] = {}
    for number in range(rounds + 2):
        for page in PAGES:
            with CaptureQueriesContext(connection) as caught:
                began = time.perf_counter(), time.process_time()
                answer = client.get(page)
                spent = time.perf_counter() - began[0], time.process_time() - began[1]
            assert answer.status_code == 200, page
            asked[page] = len(caught)
            took[page] += [spent] if number > 1 else []  # the first rounds fill caches
    return {page: _figures(spent, asked[page]) for page, spent in took.items()}


def _figures(spent: list[tuple[float, float]], queries: int) -> dict[str, Any]:
    """On the wall, where a busy machine waits; and of a processor."""
    from home import quantile

    wall, processor = (sorted(1000 * one for one in each) for each in zip(*spent, strict=True))
    return {
        "p50_ms": round(quantile(wall, 0.5), 1),
        "p95_ms": round(quantile(wall, 0.95), 1),
        "processor_p50_ms": round(quantile(processor, 0.5), 1),
        "processor_p95_ms": round(quantile(processor, 0.95), 1),
        "queries": queries,
    }


def main() -> None:
    """Fill, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--listings", type=int, default=1_000_000)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="monitor-bench-") as own:
        folder = options.folder or Path(own)
        folder.mkdir(parents=True, exist_ok=True)
        with installation(folder):
            fill(options.listings)
            figures = measure(options.rounds)
    print(json.dumps(figures) if options.json else "\n".join(f"{page}: {told}" for page, told in figures.items()))


if __name__ == "__main__":
    main()
