"""Does the database say only what is true, and all of it? Recorded rows beside the truth logs of practice markets."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from monitor_site.contract import Kind, Status, criteria_from
from monitor_site.contract.practice import fold
from monitor_site.marketplaces.catalog import catalog
from monitor_site.watches.models import Check, EventKind, Listing, ListingEvent, Outcome, PricePoint, Target

from .truth import Life, Moment

# What is recorded bears the time at which its check began: it may have been true until the check was cut, and where a
# search and its cache lag, some time before.
BEFORE_SECONDS, AFTER_SECONDS = 60.0, 25.0
# A listing that became visible a moment before a check may just have missed it.
MARGIN_SECONDS = 10.0
STATES = {
    EventKind.RESERVED: {Status.RESERVED},
    EventKind.SOLD: {Status.SOLD},
    EventKind.STOPPED: {Status.STOPPED},
    EventKind.ENDED: {Status.ENDED},
    EventKind.REMOVED: {Status.REMOVED},
    EventKind.BACK: {Status.ON_SALE},
}

Lives = Mapping[str, Mapping[str, Life]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """How many facts were compared with the truth, and a sentence for each that is false or missing."""

    compared: int
    wrong: tuple[str, ...]


def check(lives: Lives) -> Verdict:
    """Compare everything recorded with the truth; ``lives`` is marketplace → external id → life."""
    compared, wrong = 0, []
    for look in (_listings, _prices, _events, _empties, _missing):
        for sentence in look(lives):
            compared += 1
            wrong += [sentence] if sentence else []
    return Verdict(compared=compared, wrong=tuple(wrong))


def _listings(lives: Lives) -> Iterator[str]:
    """Each listing exists, under its own title."""
    for row in Listing.objects.filter(marketplace__in=lives).iterator():
        life = lives[row.marketplace].get(row.external_id)
        if life is None:
            yield f"{row}: no such listing was ever offered"
        else:
            yield "" if row.title == life.title else f"{row}: called {row.title!r}, offered as {life.title!r}"


def _prices(lives: Lives) -> Iterator[str]:
    """Each price was asked for at about that time."""
    points = PricePoint.objects.filter(listing__marketplace__in=lives).select_related("listing")
    for point in points.iterator():
        life = lives[point.listing.marketplace].get(point.listing.external_id)
        asked = {moment.price for moment in _about(life, point.at)}
        yield "" if point.price in asked else f"{point.listing}: {point.price} at {point.at}, truly {asked}"


def _events(lives: Lives) -> Iterator[str]:
    """Each change of state happened."""
    events = ListingEvent.objects.filter(listing__marketplace__in=lives, kind__in=list(STATES))
    for event in events.select_related("listing").iterator():
        life = lives[event.listing.marketplace].get(event.listing.external_id)
        stood = {Status(moment.state) for moment in _about(life, event.at)}
        kind = EventKind(event.kind)
        yield (
            ""
            if stood & _true_of(event.listing, kind)
            else f"{event.listing}: {kind} at {event.at}, truly {sorted(stood)}"
        )


def _true_of(listing: Listing, kind: EventKind) -> set[Status]:
    """The states in which an event is true; of a flea item "ended" is all that anybody tells, sold or not."""
    return STATES[kind] | ({Status.SOLD} if kind == EventKind.ENDED and listing.kind == Kind.FLEA else set())


def _about(life: Life | None, at: datetime) -> list[Moment]:
    begins = at.timestamp()
    return life.between(begins - BEFORE_SECONDS, begins + AFTER_SECONDS) if life else []


def _empties(lives: Lives) -> Iterator[str]:
    """Nothing was found only where there was nothing."""
    checks = Check.objects.filter(outcome=Outcome.EMPTY, target__marketplace__in=lives, target__kind="search")
    for run in checks.select_related("target").iterator():
        start, end = run.started_at.timestamp(), run.finished_at.timestamp()
        there = [name for name, life in _answering(run.target, lives) if life.is_on_sale(start, end)]
        yield f"{run.target}: nothing found at {run.started_at}, yet {there[:3]} were there" if there else ""


def _missing(lives: Lives) -> Iterator[str]:
    """What became visible while a question was asked, and still is on sale, is known."""
    for target in Target.objects.filter(marketplace__in=lives, kind="search").exclude(succeeded_at=None):
        known = set(Listing.objects.filter(marketplace=target.marketplace).values_list("external_id", flat=True))
        asked = target.succeeded_at.timestamp() if target.succeeded_at else 0.0
        for name, life in _answering(target, lives):
            new = life.visible_at > target.created_at.timestamp()
            if new and life.is_on_sale(asked - MARGIN_SECONDS, asked):
                yield "" if name in known else f"{target}: {name} was on sale and never seen"


def _answering(target: Target, lives: Lives) -> Iterator[tuple[str, Life]]:
    """The listings whose titles hold all words of a question; none for one that asks for more than words."""
    shape = catalog().get(target.marketplace).manifest.criteria
    criteria = criteria_from(target.criteria, shape)
    if criteria != shape(keyword=criteria.keyword):
        return
    words = fold(criteria.keyword).split()
    for name, life in lives[target.marketplace].items():
        folded = fold(life.title)
        if all(word in folded for word in words):
            yield name, life
