"""Why a watch needs its user: one reason a watch, the most severe first, decided by the database."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db.models import (
    BooleanField,
    Case,
    DateTimeField,
    DurationField,
    Exists,
    ExpressionWrapper,
    F,
    IntegerChoices,
    IntegerField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Value,
    When,
)
from django.db.models.functions import Cast, Coalesce
from django.utils.translation import gettext_lazy as _

from .models import Match, Target, TargetKind, Watch, WatchKind

GRACE = timedelta(minutes=1)
SILENT_AFTER = timedelta(days=7)
FORGOTTEN_AFTER = timedelta(days=30)
MISSED_INTERVALS = 3
STRANGE_AFTER = 3


class Need(IntegerChoices):
    """What is wrong with a watch; a smaller number is more severe."""

    PLUGIN = 1, _("its marketplace is not available here")
    QUARANTINED = 2, _("taken out of the schedule")
    FAILED = 3, _("its last check failed")
    STALE = 4, _("not checked in time")
    SILENT = 5, _("nothing found for a week")
    FORGOTTEN = 6, _("paused for more than a month")
    PARTLY = 7, _("one of its marketplaces is not available here")
    STRANGE = 8, _("answered with other things")
    NONE = 9, _("nothing")


COVERED = (Need.FAILED, Need.STALE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """How many watches a user has, and how they are.

    ``ok`` run without a need, ``needing`` have one, ``paused`` are all paused ones, also those long forgotten.
    ``uncovered`` are those with a need of which no line about their marketplaces speaks. ``marketplaces`` are the
    names of all that are watched, sorted.
    """

    total: int
    ok: int
    needing: int
    paused: int
    uncovered: int
    marketplaces: tuple[str, ...]


def needing(watches: QuerySet[Watch], *, now: datetime, known: Collection[str]) -> QuerySet[Watch, Any]:
    """The watches with ``need`` (a :class:`Need`), ``error`` (code of the failed check, or empty) and ``failed_at``

    (its marketplace, or empty); ``strange_at`` is the marketplace that answers with other things, or empty. ``known``
    are the names of the marketplaces whose plugins work: nothing is said about the questions to others but that they
    are gone.
    """
    failed = Target.objects.filter(_at(known), links__watch=OuterRef("pk"), failures__gt=0).order_by("-failures", "pk")
    strange = Target.objects.filter(_at(known), links__watch=OuterRef("pk"), strange_streak__gte=STRANGE_AFTER)
    return watches.annotate(
        strange_at=Coalesce(Subquery(strange.order_by("pk").values("marketplace")[:1]), Value("")),
        need=_need(now=now, known=known),
        error=Coalesce(Subquery(failed.values("last_error")[:1]), Value("")),
        failed_at=Coalesce(Subquery(failed.values("marketplace")[:1]), Value("")),
    )


def _need(*, now: datetime, known: Collection[str]) -> Case:
    here, gone = _at(known), ~_at(known)
    return Case(
        When(paused_at__lt=now - FORGOTTEN_AFTER, then=Value(Need.FORGOTTEN.value)),
        When(paused_at__isnull=False, then=Value(Need.NONE.value)),
        When(_asks(gone) & ~_asks(here), then=Value(Need.PLUGIN.value)),
        When(_asks(here, quarantined_at__isnull=False), then=Value(Need.QUARANTINED.value)),
        When(_asks(here, failures__gt=0), then=Value(Need.FAILED.value)),
        When(_is_stale(now, here), then=Value(Need.STALE.value)),
        When(_is_silent(now, here), then=Value(Need.SILENT.value)),
        When(_asks(gone), then=Value(Need.PARTLY.value)),
        When(_is_strange(here), then=Value(Need.STRANGE.value)),
        default=Value(Need.NONE.value),
        output_field=IntegerField(),
    )


def _at(marketplaces: Iterable[str]) -> Q:
    return Q(marketplace__in=list(marketplaces))


def _asks(*conditions: Q, **lookups: Any) -> Exists:
    return Exists(Target.objects.filter(*conditions, links__watch=OuterRef("pk"), **lookups))


def _is_stale(now: datetime, here: Q) -> Q:
    """A watch that was made, changed or resumed a moment ago has its first check still before it."""
    return Q(Exists(_late(now).filter(here, links__watch=OuterRef("pk"))), updated_at__lt=now - GRACE)


def _late(now: datetime) -> QuerySet[Target]:
    """Late; of looks those that are still taken: what is over is looked at no more."""
    last = Coalesce("checked_at", "created_at")
    seconds = Cast(
        Coalesce("planned_seconds", "interval_seconds"), IntegerField()
    )  # SQLite multiplies no other whole number with a duration
    missed = ExpressionWrapper(seconds * Value(timedelta(seconds=MISSED_INTERVALS)), output_field=DurationField())
    due = ExpressionWrapper(Value(now) - missed, output_field=DateTimeField())
    late = Target.objects.alias(last=last, due=due).filter(last__lt=F("due")).filter(last__lt=now - GRACE)
    late = late.exclude(kind=TargetKind.LISTING, active=False)
    return late.filter(Q(times=[]) | Q(due_at__lt=F("due")))


def _is_silent(now: datetime, here: Q) -> Q:
    """It runs, its last page was empty, and a week went by without a match."""
    since = now - SILENT_AFTER
    found = Match.objects.filter(watch=OuterRef("pk"), matched_at__gte=since)
    found_rows = Target.objects.filter(here, links__watch=OuterRef("pk")).exclude(recent={})
    return Q(
        _asks(here, succeeded_at__gte=since),
        ~Exists(found),
        ~Exists(found_rows),
        kind=WatchKind.SEARCH,
        created_at__lt=since,
        updated_at__lt=since,
    )


def _is_strange(here: Q) -> Q:
    """Whoever looks into descriptions too may well be answered with what has its words there alone."""
    return Q(_asks(here, strange_streak__gte=STRANGE_AFTER), in_description=False)


def summary(*, user: Any, now: datetime, known: Collection[str], covered: Iterable[str] = ()) -> Summary:
    """One look at all watches of a user; counted here, since a database would decide every need once a figure."""
    watches: QuerySet[Any, Any] = needing(Watch.objects.of(user), now=now, known=known).order_by()
    watches = watches.annotate(covered=_is_covered(covered, now=now, known=known))
    found = list(watches.values_list("need", "paused_at", "covered", "marketplaces"))
    needy = [told for need, _paused, told, _names in found if need != Need.NONE]
    return Summary(
        total=len(found),
        ok=sum(need == Need.NONE and paused is None for need, paused, *_ in found),
        needing=len(needy),
        paused=sum(paused is not None for _need, paused, *_ in found),
        uncovered=needy.count(False),
        marketplaces=tuple(sorted({name for *_, names in found for name in names})),
    )


def attention(
    *, user: Any, now: datetime, known: Collection[str], covered: Iterable[str] = (), limit: int = 4
) -> list[Watch]:
    """The watches of a user with a need, most severe first, with ``need``, ``error`` and ``failed_at``.

    ``covered`` are marketplaces about which one line speaks for all their watches: those that failed or are late at no
    other are left out.
    """
    watches = needing(Watch.objects.of(user), now=now, known=known).filter(~Q(need=Need.NONE))
    told = _is_covered(covered, now=now, known=known)
    return list(watches.annotate(covered=told).filter(covered=False).order_by("need", "-updated_at", "pk")[:limit])


def _is_covered(marketplaces: Iterable[str], *, now: datetime, known: Collection[str]) -> "ExpressionWrapper[Any]":
    others = _at(set(known) - set(marketplaces))
    ill = _asks(others, failures__gt=0) | Q(Exists(_late(now).filter(others, links__watch=OuterRef("pk"))))
    return ExpressionWrapper(Q(need__in=COVERED) & ~ill, output_field=BooleanField())
