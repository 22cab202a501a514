"""A person who has used everything, made by the services as a life here makes it: what tours of all pages look at."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from monitor_site.accounts import auditing
from monitor_site.accounts.models import ActorKind, User
from monitor_site.alerts import feeding
from monitor_site.alerts.claiming import claim
from monitor_site.alerts.concluding import conclude
from monitor_site.alerts.models import FeedKind
from monitor_site.alerts.services import begin_test, set_watch_alerts
from monitor_site.alerts.ways.values import Answer, Outcome
from monitor_site.contract import Kind, Money, Seller, Shipping, Sighting
from monitor_site.engine.home.demo_buying import let_buy
from monitor_site.marketplaces import services as market_services
from monitor_site.purchasing import budgeting, handing, proposing, rules
from monitor_site.purchasing.budgeting import BudgetWish, Limits
from monitor_site.purchasing.models import Order, Stray
from monitor_site.purchasing.moving import Because, move
from monitor_site.purchasing.transitions import Verb
from monitor_site.watches import blocking, noting, services, tagging
from monitor_site.watches.models import Match, Target, Watch
from monitor_site.watches.record import record
from monitor_site.watches.services import Wish
from tests.alerts.rows import RATES, channel_of
from tests.purchasing.market import lost
from tests.purchasing.rows import order_of
from tests.watches.makers import result, sighting

LONG = "ルミナ T2 チタン 35㎜ コンパクトフィルムカメラ 動作確認済 ケース・説明書付 " * 2
UNBROKEN = "ＷＷＷＷＷＷＷＷＷＷ" * 8
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
# From a proposal to each end that an order can come to.
ENDS = (
    (Verb.MAKE_READY,),
    (Verb.MAKE_READY, Verb.CANCEL),
    (Verb.ASK, Verb.DECLINE),
    (Verb.MAKE_READY, Verb.SUBMIT, Verb.REFUSE),
    (Verb.MAKE_READY, Verb.SUBMIT, Verb.PLACE, Verb.PAY, Verb.SHIP, Verb.RECEIVE),
    (Verb.MAKE_READY, Verb.SUBMIT, Verb.PLACE, Verb.CANCEL_AT_MARKET),
    (Verb.MAKE_READY, Verb.SUBMIT, Verb.LEAD),
    (Verb.MAKE_READY, Verb.SUBMIT, Verb.LEAD, Verb.OUTBID, Verb.LOSE),
    (Verb.MAKE_READY, Verb.SUBMIT, Verb.LOSE_SIGHT, Verb.RULE_OUT),
    (Verb.MAKE_READY, Verb.SUBMIT, Verb.LOSE_SIGHT, Verb.RULE_OUT, Verb.FIND_LATE),
    (Verb.MAKE_READY, Verb.SUBMIT, Verb.LOSE_SIGHT, Verb.GIVE_TO_PERSON),
)


def live(user: User, *, now: datetime) -> None:
    """Give ``user`` watches, matches, auctions, orders, budgets, channels, accounts, feeds and a history."""
    began = now - 3 * DAY
    with auditing.acting(auditing.Actor(kind=ActorKind.PERSON, name=user.username, way="mfa")):
        watches = _watches(user, began)
        _look(watches, now)
        _label(user, watches, now)
        _tell(user, watches, now)
        _spend(user, watches, now)


def _watches(user: User, began: datetime) -> list[Watch]:
    both = ("mercari", "yahoo_auctions")
    cameras = Wish(
        name="ルミナのカメラ", marketplaces=both, must=("ルミナ",), any_of=("カメラ", "レンズ"), none_of=("ジャンク",),
        price_max=90_000, interval_seconds=60, weekdays=(0, 1, 2, 3, 4, 5, 6), tell_existing=True,
    )  # fmt: skip
    long = replace(cameras, name=UNBROKEN, must=(UNBROKEN[:40],), price_min=1, bids_max=9, cron="0 7,19 * * *")
    thing = Wish(name=LONG[:60], marketplaces=("mercari",), kind="listing", external_id="m00000000001", fall_percent=10)
    made = [services.create_watch(user=user, wish=wish, now=began) for wish in (cameras, long, thing)]
    services.pause_watch(watch=made[1], now=began + HOUR)
    return made


def _look(watches: list[Watch], now: datetime) -> None:
    """Three days of checks: a first one, one that failed, one that brought something new and changed prices."""
    for target in Target.objects.filter(links__watch__in=watches).distinct().order_by("pk"):
        first, later = _shelf(target.marketplace, now, low=1), _shelf(target.marketplace, now, low=3)
        cheaper = [replace(first[0], price=Money(amount=43_210, currency="JPY")), *later]
        record([result(target, first, at=now - 2 * DAY)], now=now - 2 * DAY)
        record([result(target, at=now - DAY, error="unavailable")], now=now - DAY)
        record([result(target, cheaper, at=now - MINUTE)], now=now)


def _shelf(marketplace: str, now: datetime, *, low: int) -> list[Sighting]:
    numbers = range(low, low + 6)
    return [_auction(n, now) if marketplace == "yahoo_auctions" else _thing(n, now) for n in numbers]


def _thing(number: int, now: datetime) -> Sighting:
    title = {1: LONG, 3: f"ルミナ カメラ {UNBROKEN}"}.get(number, f"ルミナ カメラ {number}号")
    seller = Seller(id="900", name=UNBROKEN[:30], rating=98.7, count=12_345)
    images = tuple(f"https://static.mercdn.net/{number}-{n}.jpg" for n in range(number % 4))
    shipping = Shipping.BUYER_PAYS if number % 2 else Shipping.INCLUDED
    changes = {"title": title, "seller": seller, "images": images, "shipping": shipping, "description": LONG * 4}
    return sighting(number, price=None if number == 7 else 8_000 * number, created=now - number * HOUR, **changes)


def _auction(number: int, now: datetime) -> Sighting:
    page = f"https://auctions.yahoo.co.jp/jp/auction/x{number:010d}"
    ends = {"kind": Kind.AUCTION, "bids": number, "ends_at": now + number * number * 40 * MINUTE - 35 * MINUTE}
    ends["buy_now"] = Money(amount=987_654_321, currency="JPY") if number % 2 else None
    return replace(_thing(number, now), external_id=f"x{number:010d}", url=page, **ends)


def _label(user: User, watches: list[Watch], now: datetime) -> None:
    tagging.set_tags(watch=watches[0], names=["佐藤さま", UNBROKEN[:30]])
    blocking.block_phrase(user=user, phrase="訳あり", now=now, note="壊れたもの")
    seller = blocking.SellerOf(marketplace="mercari", id="901", name=UNBROKEN[:30])
    blocking.block_seller(user=user, seller=seller, now=now)
    for match in Match.objects.of(user)[:2]:
        noting.write_note(user=user, listing=match.listing, text=LONG, now=now)


def _tell(user: User, watches: list[Watch], now: datetime) -> None:
    hook = channel_of(user, now=now, name=UNBROKEN[:40], is_default=True)
    topic = channel_of(user, now=now, kind="ntfy", values={"topic": "t"}, name="電話")
    set_watch_alerts(watch=watches[0], importance=2, channels=[hook, topic])
    begin_test(channel=hook, now=now - HOUR)
    parcel = claim(channel_id=hook.pk, rates=RATES, now=now - HOUR)
    assert parcel is not None
    conclude(parcel=parcel, answer=Answer(outcome=Outcome.GONE, status=404, seconds=0.4), now=now - HOUR)
    feeding.create_feed(user=user, wish=feeding.Wish(kind=FeedKind.WATCH, name="新着", watch=watches[0]), now=now)


def _spend(user: User, watches: list[Watch], now: datetime) -> None:
    let_buy(user=user, watch=watches[1], now=now)
    account = user.marketplace_accounts.get()
    market_services.connect_account(
        marketplace="yahoo_auctions", user=user, label=UNBROKEN[:40], values={}, secrets={}, now=now
    )
    budgeting.set_overall_budget(user=user, limits=Limits(per_item=990_000, per_month=9_000_000), now=now)
    pots = {"レンズ": Limits(per_day=300_000, per_month=900_000), UNBROKEN[:60]: Limits(total=9_999_999)}
    for name, limits in pots.items():
        wish = BudgetWish(name=name, limits=limits, watches=watches[:1])
        budgeting.create_budget(user=user, wish=wish, now=now)
    _propose(user, watches[0], now)
    _end(user, account, watches[0], now)
    Stray.objects.create(account=account, external_id="m-old", number="T-4711", first_seen_at=now)


def _propose(user: User, watch: Watch, now: datetime) -> None:
    """Several proposals wait, one was approved and is ordered by hand, one of those was bought, one nobody answered."""
    rules.set_rule(
        watch=watch, wish=rules.BuyWish(price_max=90_000, shipping_estimate=700, approval_minutes=30), now=now
    )
    ids = list(Match.objects.of(user).filter(watch=watch).values_list("pk", flat=True))
    proposed = proposing.propose(match_ids=ids, now=now)
    for order in proposed[:2]:
        proposing.approve(order=order, seen=order.shown, actor="person", now=now)
        handing.advance(order_ids=[order.pk], now=now)
        order.refresh_from_db()
    handing.say_bought(order=proposed[1], paid=15_900, reference="m-4711", actor="person", now=now)
    Order.objects.filter(pk=proposed[2].pk).update(expires_at=now)
    proposing.expire(now=now)


def _end(user: User, account: Any, watch: Watch, now: datetime) -> None:
    """Orders at every end there is, and one whose outcome nobody knows."""
    for number, verbs in enumerate(ENDS, start=200):
        at = now - DAY + number * MINUTE
        order = order_of(user, number, now=at, price=12_000, watch=watch, account=account, way="partner_api")
        for verb in verbs:
            at += MINUTE
            move(order=order, verb=verb, because=Because(actor="sender", evidence={"status": 200}), now=at)
    second = market_services.connect_account(
        marketplace="mercari", user=user, label="二つ目", values={}, secrets={}, now=now
    )
    lost(user, second, 300, now=now, watch=watch)
