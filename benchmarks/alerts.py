"""How long from the commit of a match to its message at the sink, while another sink hangs.

    .venv/bin/python benchmarks/alerts.py [--a-minute 1000] [--minutes 2] [--people 50] [--json]

Each of ``--people`` has a webhook at one sink; one more person's webhook takes every message and never answers. Matches
are committed evenly, as a recording would commit them, straight into the database of a running installation.
"""

import argparse
import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from home import ROOT, Home, fresh_home, quantile, wait_until

NETWORKS = "127.0.0.0/8"


class Sink(BaseHTTPRequestHandler):
    """Notes when each alert arrived; below ``/hang`` it reads and never answers."""

    protocol_version = "HTTP/1.1"
    arrived: dict[str, list[float]]
    ended = threading.Event()

    def do_POST(self) -> None:
        """Take a message."""
        now, body = time.time(), self.rfile.read(int(self.headers["content-length"]))
        if self.path == "/hang":
            self.ended.wait(60)
            return
        for alert in json.loads(body)["alerts"]:
            self.arrived.setdefault(alert["trace"], []).append(now)
        self.send_response(200)
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def people(count: int, sink: str) -> list[Any]:
    """Watches of as many people, each with a webhook, and of one more whose sink hangs."""
    from django.utils import timezone

    from monitor_site.accounts.models import User
    from monitor_site.alerts.services import Manner, Place, create_channel
    from monitor_site.alerts.ways.webhook import new_secret
    from monitor_site.watches.services import Wish, create_watch

    now, watches = timezone.now(), []
    for number in range(count + 1):
        user = User.objects.create(username=f"bench-{number}")
        place = f"{sink}/hang" if number == count else f"{sink}/take"
        where = Place(kind="webhook", values={"url": place}, secrets={"secret": new_secret()})
        create_channel(user=user, place=where, manner=Manner(name="Bench", cool_down_minutes=0), now=now)
        wish = Wish(name=f"Bench {number}", marketplaces=["mercari"], must=[f"ベンチ{number}"], interval_seconds=3600)
        watches.append(create_watch(user=user, wish=wish, now=now))
    return watches


def commit_match(watch: Any, number: int) -> str:
    """One match with a listing of its own, and its outbox row, in one transaction; its trace."""
    from django.db import transaction
    from django.utils import timezone

    from monitor_site.outbox import services as outbox
    from monitor_site.watches import joining
    from monitor_site.watches.models import Listing, Match

    now, trace = timezone.now(), f"bench-{number}"
    moments = dict.fromkeys(("first_seen_at", "seen_at", "observed_at"), now)
    fields = {"kind": "fixed", "status": "on_sale", "condition": "good", "shipping": "included", "currency": "JPY"}
    with transaction.atomic():
        listing = Listing.objects.create(
            marketplace="mercari", external_id=f"m{number:011d}", title=f"見本 {number}", url="https://jp.mercari.com/",
            price=1000 + number, digest=str(number), trace=trace, **moments, **fields,
        )  # fmt: skip
        match = Match.objects.create(
            user=watch.user, watch=watch, listing=listing, cause="listed", trace=trace, matched_at=now
        )
        outbox.write(topic=joining.TOPIC, object_ids=[match.pk], now=now)
    return trace


def measure(home: Home, options: argparse.Namespace, sink: str) -> dict[str, Any]:
    """Commit evenly; compare when each was committed with when it arrived."""
    sys.path.insert(0, str(ROOT))
    own = {"DATA_DIR": str(home.folder), "ALERT_NETWORKS": NETWORKS}
    os.environ |= own | {"DJANGO_SETTINGS_MODULE": "monitor_site.settings"}
    import django

    django.setup()
    watches, committed, hung = people(options.people, sink), {}, 0
    count, pause = round(options.a_minute * options.minutes), 60 / options.a_minute
    first = commit_match(watches[0], 20_000_000)
    wait_until(lambda: first in Sink.arrived, what="the workers have started")
    begun = time.monotonic()
    for number in range(count):
        time.sleep(max(0.0, begun + number * pause - time.monotonic()))
        trace = commit_match(watches[number % options.people], number)
        committed[trace] = time.time()
        if number % 20 == 0:
            commit_match(watches[-1], 10_000_000 + number)
            hung += 1
    wait_until(lambda: committed.keys() <= Sink.arrived.keys(), what="every message arrived")
    seconds = [Sink.arrived[trace][0] - moment for trace, moment in committed.items()]
    repeated = sum(len(times) - 1 for times in Sink.arrived.values())
    return figures(seconds, repeated, hung, time.monotonic() - begun)


def figures(seconds: list[float], repeated: int, hung: int, took: float) -> dict[str, Any]:
    """What the run comes to."""
    quantiles = {f"{name}_ms": round(1000 * quantile(seconds, share)) for name, share in SHARES.items()}
    counts = {"messages": len(seconds), "repeated": repeated, "to_the_sink_that_hangs": hung}
    return counts | quantiles | {"a_minute": round(60 * len(seconds) / took)}


SHARES = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "max": 1.0}


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--a-minute", type=int, default=1000)
    parser.add_argument("--minutes", type=float, default=2)
    parser.add_argument("--people", type=int, default=50)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    Sink.arrived = {}
    server = ThreadingHTTPServer(("127.0.0.1", 0), Sink)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with fresh_home(ALERT_NETWORKS=NETWORKS) as home:
        found = measure(home, options, f"http://127.0.0.1:{server.server_address[1]}")
    Sink.ended.set()
    print(json.dumps(found) if options.json else "\n".join(f"{name}: {value}" for name, value in found.items()))


if __name__ == "__main__":
    main()
