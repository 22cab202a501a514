"""Everything a lane may run. A job is a table of contents; it may run never, once or many times, early or late."""

from collections.abc import Sequence
from datetime import UTC, datetime

from monitor_site.alerts import happenings, telling
from monitor_site.connections import redis_client
from monitor_site.marketplaces import services as accounts
from monitor_site.outbox import services as outbox
from monitor_site.outbox import stream
from monitor_site.purchasing import moving as orders
from monitor_site.purchasing import proposing, reconciling, sweeping
from monitor_site.watches import asking, changes, crossing, doubts, follow, joining, moving, questions, sold, wants
from monitor_site.watches.models import Crossing, Match

from . import housekeeping, ordering, outcomes, planning, previews, settling, verifying
from .schedule import Schedule
from .worker import current_clerk, current_holder, current_loop, current_postman

PATH = "monitor_site.engine.jobs"


def register() -> None:
    """Say which job follows from which fact."""
    outbox.register(questions.TOPIC, lane="express", job=f"{PATH}.settle_targets")
    outbox.register(questions.CHECK_NOW, lane="express", job=f"{PATH}.hurry_targets")
    # What may be bought at once waits behind nothing that is only told.
    outbox.register(joining.TOPIC, lane="alerts", job=f"{PATH}.announce_matches", hurried=proposing.bought_unasked)
    outbox.register(crossing.TOPIC, lane="alerts", job=f"{PATH}.announce_crossings")
    outbox.register(changes.TOPIC, lane="alerts", job=f"{PATH}.announce_changes")
    outbox.register(orders.TOPIC, lane="express", job=f"{PATH}.advance_orders")
    outbox.register(reconciling.TOPIC, lane="express", job=f"{PATH}.ask_outcomes")
    outbox.register(sweeping.TOPIC, lane="express", job=f"{PATH}.sweep_accounts")
    outbox.register(telling.TOPIC, lane="alerts", job=f"{PATH}.deliver")
    outbox.register(follow.FOLLOW, lane="upkeep", job=f"{PATH}.follow_listings")
    outbox.register(questions.SALES, lane="upkeep", job=f"{PATH}.settle_sales")
    asking.register(lane="express", job=f"{PATH}.ask_preview")
    outbox.register(doubts.ASK, lane="express", job=f"{PATH}.look_at_listings")
    outbox.register(accounts.TEST, lane="express", job=f"{PATH}.verify_accounts")


def run_checks(marketplace: str, ticket: str) -> None:
    """A ticket: there is due work at this marketplace. The work itself streams through the worker's loop."""
    current_loop().serve(marketplace, ticket)


def settle_targets(target_ids: Sequence[int]) -> None:
    """Targets were made, changed or given up."""
    taken = outbox.take(topic=questions.TOPIC, object_ids=target_ids)
    schedule = Schedule(redis_client())
    settling.settle(schedule, target_ids=list(taken))
    planning.soon(schedule)
    outbox.finish(topic=questions.TOPIC, taken=taken, now=datetime.now(UTC))


def hurry_targets(target_ids: Sequence[int]) -> None:
    """A person asked for a check now."""
    taken = outbox.take(topic=questions.CHECK_NOW, object_ids=target_ids)
    settling.hurry(Schedule(redis_client()), target_ids=list(taken))
    outbox.finish(topic=questions.CHECK_NOW, taken=taken, now=datetime.now(UTC))


def announce_matches(match_ids: Sequence[int]) -> None:
    """Tell the open pages of a match's user, and have their channels tell of it."""
    taken = outbox.take(topic=joining.TOPIC, object_ids=match_ids)
    proposed = ordering.propose(match_ids=taken, now=datetime.now(UTC))
    happenings.tell_of_matches(match_ids=set(taken) - proposed, now=datetime.now(UTC))
    for pk, user_id, watch_id in Match.objects.filter(pk__in=taken).values_list("pk", "user_id", "watch_id"):
        stream.append(redis_client(), user_id=user_id, event="match", data={"match": pk, "watch": watch_id})
    outbox.finish(topic=joining.TOPIC, taken=taken, now=datetime.now(UTC))


def announce_crossings(crossing_ids: Sequence[int]) -> None:
    """Tell the open pages of a crossing's user, and have their channels tell of it."""
    taken = outbox.take(topic=crossing.TOPIC, object_ids=crossing_ids)
    happenings.tell_of_crossings(crossing_ids=taken, now=datetime.now(UTC))
    found = Crossing.objects.filter(pk__in=taken)
    for match_id, user_id, watch_id in found.values_list("match_id", "match__user_id", "match__watch_id"):
        stream.append(redis_client(), user_id=user_id, event="match", data={"match": match_id, "watch": watch_id})
    outbox.finish(topic=crossing.TOPIC, taken=taken, now=datetime.now(UTC))


def announce_changes(listing_ids: Sequence[int]) -> None:
    """Tell the open pages of everybody whose matches these listings are, and have their channels tell of it."""
    taken = outbox.take(topic=changes.TOPIC, object_ids=listing_ids)
    ordering.ask_whose(listing_ids=taken, now=datetime.now(UTC))
    ordering.renew(listing_ids=taken, now=datetime.now(UTC))
    happenings.tell_of_changes(listing_ids=taken, now=datetime.now(UTC))
    matches = wants.wanted().filter(listing_id__in=taken).order_by()
    for user_id, listing_id in matches.values_list("user_id", "listing_id").distinct():
        stream.append(redis_client(), user_id=user_id, event="listing", data={"listing": listing_id})
    outbox.finish(topic=changes.TOPIC, taken=taken, now=datetime.now(UTC))


def advance_orders(order_ids: Sequence[int]) -> None:
    """Orders took a step, or begin."""
    taken = outbox.take(topic=orders.TOPIC, object_ids=order_ids)
    if for_sender := ordering.advance(order_ids=taken, now=datetime.now(UTC)):
        current_clerk().serve(for_sender)
    ordering.follow_up(order_ids=taken, now=datetime.now(UTC))
    outbox.finish(topic=orders.TOPIC, taken=taken, now=datetime.now(UTC))


def ask_outcomes(order_ids: Sequence[int]) -> None:
    """Nobody knows what became of these orders; the rows say when they are due again, whatever becomes of this job."""
    taken = outbox.take(topic=reconciling.TOPIC, object_ids=order_ids)
    outcomes.begin(outcomes.ask, list(taken))
    outbox.finish(topic=reconciling.TOPIC, taken=taken, now=datetime.now(UTC))


def sweep_accounts(account_ids: Sequence[int]) -> None:
    """The purchases of these accounts are to be compared with our orders."""
    taken = outbox.take(topic=sweeping.TOPIC, object_ids=account_ids)
    outcomes.begin(outcomes.sweep, list(taken))
    outbox.finish(topic=sweeping.TOPIC, taken=taken, now=datetime.now(UTC))


def deliver(channel_ids: Sequence[int]) -> None:
    """These channels have something to tell; the sending itself goes on in the worker's loop.

    The rows of notices and deliveries say what is left, so nothing hangs on this job.
    """
    taken = outbox.take(topic=telling.TOPIC, object_ids=channel_ids)
    current_postman().serve(channel_ids)
    outbox.finish(topic=telling.TOPIC, taken=taken, now=datetime.now(UTC))


def follow_listings(listing_ids: Sequence[int]) -> None:
    """Somebody began or ceased to want these listings followed, or they are gone and were listed again."""
    taken = outbox.take(topic=follow.FOLLOW, object_ids=listing_ids)
    moving.move_on(listing_ids=taken, now=datetime.now(UTC))
    follow.settle(listing_ids=taken, now=datetime.now(UTC))
    outbox.finish(topic=follow.FOLLOW, taken=taken, now=datetime.now(UTC))


def settle_sales(search_ids: Sequence[int]) -> None:
    """Somebody began or ceased to ask these searches."""
    taken = outbox.take(topic=questions.SALES, object_ids=search_ids)
    sold.settle(search_ids=taken, now=datetime.now(UTC))
    outbox.finish(topic=questions.SALES, taken=taken, now=datetime.now(UTC))


def ask_preview(user_id: int, question: str) -> None:
    """A person waits for an answer that nobody records."""
    previews.ask(user_id, question)


def look_at_listings(listing_ids: Sequence[int]) -> None:
    """Some watch cannot tell yet whether these listings fit."""
    taken = outbox.take(topic=doubts.ASK, object_ids=listing_ids)
    follow.settle(listing_ids=taken, now=datetime.now(UTC))
    outbox.finish(topic=doubts.ASK, taken=taken, now=datetime.now(UTC))


def verify_accounts(account_ids: Sequence[int]) -> None:
    """People want to know whether their accounts work; a test that is lost is asked for again by a press."""
    taken = outbox.take(topic=accounts.TEST, object_ids=account_ids)
    verifying.verify(taken)
    outbox.finish(topic=accounts.TEST, taken=taken, now=datetime.now(UTC))


def run_exact(name: str) -> None:
    """An instant is near; the worker's own thread waits for it."""
    current_holder().hold(name)


def run_upkeep(ticket: str) -> None:
    """A ticket of the upkeep schedule: run what is due, one task after the other."""
    housekeeping.run_due(ticket)


ALLOWED = frozenset(
    f"{PATH}.{job.__name__}"
    for job in (
        run_checks, settle_targets, hurry_targets, announce_matches, announce_crossings, announce_changes, deliver,
        advance_orders, ask_outcomes, sweep_accounts, follow_listings, settle_sales, ask_preview, look_at_listings,
        verify_accounts, run_exact, run_upkeep,
    )
)  # fmt: skip
