"""How long from the commit of a match to its order at the marketplace, idle or while checks saturate the processors.

    .venv/bin/python benchmarks/ordering.py [--orders 200] [--gap-ms 500] [--busy] [--json]

A running installation on PostgreSQL, with Mercari's practice market and automatic rules of many people, each with an
account and a budget. Matches are committed one after the other, as a recording would commit them. The end is the moment
that the practice market writes into its truth log, when it has taken the order. ``--busy`` has more checks due than the
workers can do, at the other practice market: a marketplace is no part of what is measured, so checks saturate the
processors but not the very process that takes the orders. The first tenth of the orders warms up and does not count.
The stages, each from the one before to its own moment, as rows hold it: proposed (its job has begun), ready (money
held), begun (the submission is being written), looked (the listing was seen again), allowed (the last leave was asked
for), taken (the market sold it).
"""

import argparse
import json
import os
import sys
import tempfile
import time
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

from home import ROOT, Home, fresh_home, quantile, wait_until

# The moments on the way, each by the rows or the truth log that hold it.
STAGES = ("proposed", "ready", "begun", "looked", "allowed", "taken")
SHARES = {"p50": 0.5, "p95": 0.95, "p99": 0.99, "max": 1.0}
GOAL_MS = 300.0
# Of one person: five within ten minutes would trip the velocity breaker.
EACH = 4
# Far more than the checks workers of two cores can ask.
BUSY_WATCHES = 1500
BUSY_MARKETPLACE = "yahoo_auctions"


def people(count: int) -> list[Any]:
    """Watches of as many people, each with an automatic rule, an account that may spend, and a budget."""
    from django.utils import timezone

    from monitor_site.accounts.models import User
    from monitor_site.marketplaces.models import MarketplaceAccount
    from monitor_site.marketplaces.services import connect_account
    from monitor_site.purchasing.budgeting import Limits, set_overall_budget
    from monitor_site.purchasing.models import BuyRule
    from monitor_site.watches.services import Wish, create_watch

    now, watches = timezone.now(), []
    for number in range(count):
        user = User.objects.create(username=f"bench-{number}")
        set_overall_budget(user=user, limits=Limits(total=1_000_000), now=now)
        values, secrets = credentials(f"bench{number}")
        account = connect_account(
            marketplace="mercari", user=user, label="bench", values=values, secrets=secrets, now=now
        )
        MarketplaceAccount.objects.filter(pk=account.pk).update(spends_since=now)
        wish = Wish(name=f"Bench {number}", marketplaces=["mercari"], must=[f"ベンチ{number}"], interval_seconds=3600)
        watch = create_watch(user=user, wish=wish, now=now)
        rule = {"policy": "buy", "price_max": 100_000, "way": "partner_api", "account": account}
        until = now.date() + timedelta(days=2)
        BuyRule.objects.create(watch=watch, user=user, until=until, confirmed_at=now, updated_at=now, **rule)
        watches.append(watch)
    return watches


def credentials(buyer: str) -> tuple[dict[str, str], dict[str, str]]:
    """What the practice market knows of a buyer: values and secrets."""
    from dataclasses import fields

    from plugins.mercari.partner_account import PartnerAccount
    from plugins.mercari.practice import account

    secret = {spec.name for spec in fields(PartnerAccount) if spec.metadata.get("secret")}
    given = account(buyer)
    return {k: v for k, v in given.items() if k not in secret}, {k: v for k, v in given.items() if k in secret}


def listed(home: Home, count: int) -> list[str]:
    """New listings at the practice market, which nobody but us wants; their ids."""
    names = [f"m{90_000_000_000 + number}" for number in range(count)]
    for name in names:
        home.practice("list", id=name, title=f"品物 {name}", price=1000)
    return names


def commit_match(watch: Any, name: str, number: int) -> datetime:
    """One match of a listing, and its outbox row, in one transaction; when it was committed."""
    from django.db import transaction
    from django.utils import timezone

    from monitor_site.outbox import services as outbox
    from monitor_site.watches import joining
    from monitor_site.watches.models import Listing, Match

    now = timezone.now()
    moments = dict.fromkeys(("first_seen_at", "seen_at", "observed_at"), now)
    fields = {"kind": "fixed", "status": "on_sale", "condition": "good", "shipping": "included", "currency": "JPY"}
    with transaction.atomic():
        listing = Listing.objects.create(
            marketplace="mercari", external_id=name, title=name, url="https://jp.mercari.com/",
            price=1000, digest=name, trace=f"b{number}", **moments, **fields,
        )  # fmt: skip
        match = Match.objects.create(
            user=watch.user, watch=watch, listing=listing, cause="listed", trace=f"b{number}", matched_at=now
        )
        outbox.write(topic=joining.TOPIC, object_ids=[match.pk], now=now)
    return timezone.now()


def bought(truth: Path) -> dict[str, float]:
    """Listing → when the practice market took its order, in unix seconds."""
    lines = [json.loads(line) for line in truth.read_text().splitlines() if '"purchased"' in line]
    return {line["id"]: line["wall"] for line in lines}


def moments(committed: float, order: Any, taken: float) -> list[float]:
    """When each stage of an order began, and its end, in unix seconds."""
    from monitor_site.purchasing.transitions import Verb

    tried = order.submissions.latest("epoch")
    ready = order.history.get(verb=Verb.MAKE_READY).at
    looked = datetime.fromisoformat(tried.evidence["seen"]["at"])
    known = (order.created_at, ready, tried.begun_at, looked, tried.committing_at)
    return [committed, *(at.timestamp() for at in known), taken]


def stages(committed: dict[str, float], taken: dict[str, float]) -> dict[str, str]:
    """How long each stage took at the median and at p95, in milliseconds."""
    from monitor_site.purchasing.models import Order

    took: dict[str, list[float]] = {stage: [] for stage in STAGES}
    for order in Order.objects.filter(state="placed").select_related("listing"):
        if (name := order.listing.external_id) in committed and name in taken:
            for stage, (begun, ended) in zip(
                STAGES, pairwise(moments(committed[name], order, taken[name])), strict=True
            ):
                took[stage].append(1000 * (ended - begun))
    return {stage: f"{quantile(ms, 0.5):.0f} / {quantile(ms, 0.95):.0f}" for stage, ms in took.items()}


def measure(home: Home, options: argparse.Namespace) -> dict[str, Any]:
    """Commit evenly; compare when each was committed with when it was taken."""
    [truth] = home.folder.rglob("mercari*.jsonl")
    watches, names = people(options.orders // EACH + 1), listed(home, options.orders)
    if options.busy:
        seed = {"--watches": BUSY_WATCHES, "--questions": BUSY_WATCHES, "--marketplace": BUSY_MARKETPLACE}
        home.manage("seed_watches", *(str(part) for pair in seed.items() for part in pair))
        time.sleep(10)
    committed, gap = {}, options.gap_ms / 1000
    for number, name in enumerate(names):
        began = time.monotonic()
        committed[name] = commit_match(watches[number // EACH], name, number).timestamp()
        time.sleep(max(0.0, began + gap - time.monotonic()))
    wait_until(lambda: len(bought(truth)) >= len(names) * 0.99, what="the orders were taken", seconds=60)
    taken = bought(truth)
    counted = {name: committed[name] for name in list(committed)[len(committed) // 10 :] if name in taken}
    ms = [1000 * (taken[name] - at) for name, at in counted.items()]
    kept = quantile(ms, 0.99) <= GOAL_MS
    found = {f"{name}_ms": round(quantile(ms, share)) for name, share in SHARES.items()}
    told = {"orders": len(names), "bought": len(taken), "counted": len(ms)} | found | {"goal_kept": kept}
    return told | {f"{stage}_ms_p50_p95": took for stage, took in stages(counted, taken).items()}


def main() -> None:
    """Parse, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--orders", type=int, default=200)
    parser.add_argument("--gap-ms", type=float, default=500)
    parser.add_argument("--busy", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    from tests import servers

    with tempfile.TemporaryDirectory(prefix="monitor-bench-pg-") as name:
        folder = Path(name) / "pg"
        folder.mkdir()
        keeper = servers.start_postgres(folder)
        try:
            with fresh_home(DATABASE_URL=servers.postgres_url(folder)) as home:
                own = {"DATA_DIR": str(home.folder), "DATABASE_URL": servers.postgres_url(folder)}
                os.environ |= own | {"DJANGO_SETTINGS_MODULE": "monitor_site.settings"}
                import django

                django.setup()
                found = measure(home, options)
        finally:
            servers.stop_postgres(keeper)
    print(json.dumps(found) if options.json else "\n".join(f"{name}: {value}" for name, value in found.items()))


if __name__ == "__main__":
    main()
