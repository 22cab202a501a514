"""The prices of a watch: what such things cost, drawn and in figures."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import chain
from operator import attrgetter

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext
from django.views.decorators.http import require_safe

from monitor_site import wording
from monitor_site.watches.models import Watch
from monitor_site.watches.prices import ENOUGH, Bar, Figures, bars, figures_of, median_time, share_within
from monitor_site.watches.pricing import CARD_DAYS, DAYS, Priced, asked_of, sales_of

from . import charts
from .charts import BLOCK, RINGED, SPOT, Frame, Key, Line
from .prices_fit import limit_words
from .watch_list import Segment
from .watches import head_of, own_watch

IN_TABLE = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column of the table of figures; ``figures`` is ``None`` when too few prices are known."""

    title: str
    known: int
    figures: Figures | None
    within: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """A drawing with its legend, the prices along its axis from low to high, and how often the commonest came."""

    drawing: SafeString
    legend: Sequence[Key]
    axis: Sequence[int]
    bars: Sequence[Bar] = ()
    most: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """What was read for the page."""

    watch: Watch
    sales: Sequence[Priced]
    asked: Sequence[Priced]

    @property
    def paid(self) -> list[int]:
        """The prices that were paid."""
        return [one.paid for one in self.sales if one.paid is not None]

    @property
    def wanted(self) -> list[int]:
        """The prices that were asked."""
        return [one.asked for one in self.asked if one.asked is not None]


@own_watch
@require_safe
def watch_prices(request: HttpRequest, watch: Watch) -> HttpResponse:
    """What such things were sold and offered for in the last 30, 90 or 365 days."""
    now, days = timezone.now(), _days(request.GET.get("days", ""))
    known = Known(watch=watch, sales=sales_of(watch, now=now, days=days), asked=asked_of(watch, now=now, days=days))
    took = median_time(one.lasted for one in known.sales)
    context = {
        "tab": "prices",
        "segments": _segments(watch, days),
        "columns": _columns(known),
        "enough": ENOUGH,
        "took": None if took is None else took.total_seconds(),
        "spread": _spread(known),
        "course": _course(known, since=now - timedelta(days=days), now=now),
        "latest": (shown := _by_time(chain(*_shown(known))))[: -IN_TABLE - 1 : -1],
        "shown": len(shown),
        "since": now - timedelta(days=days),
        "now": now,
    }
    return render(request, "web/prices/tab.html", head_of(watch) | context)


def _days(text: str) -> int:
    return next((days for days in DAYS if str(days) == text), CARD_DAYS)


def _segments(watch: Watch, days: int) -> list[Segment]:
    address = reverse("watch-prices", args=[watch.pk])
    return [
        Segment(label=gettext("%(n)d days") % {"n": one}, url=f"{address}?days={one}", current=one == days)
        for one in DAYS
    ]


def _columns(known: Known) -> list[Column]:
    titles = ((gettext("Sold"), known.paid), (gettext("Asked"), known.wanted))
    low, high = known.watch.price_min, known.watch.price_max
    return [
        Column(
            title=title,
            known=len(prices),
            figures=figures_of(prices),
            within=share_within(prices, low=low, high=high),
        )
        for title, prices in titles
    ]


def _lines(known: Known) -> list[Line]:
    """Quartiles of the sales, of the asked prices where too few were sold; then the most a person wants to pay."""
    figures = figures_of(known.paid) or figures_of(known.wanted)
    quartiles = (figures.p25, figures.median, figures.p75) if figures else ()
    lines = [Line(price=price, mark="mid") for price in quartiles]
    return [*lines, Line(price=most, mark="cap")] if (most := known.watch.price_max) else lines


def _legend(known: Known, *, bars: bool) -> list[Key]:
    keys = [
        Key(mark="bar" if bars else "dot", words=gettext("Sold"), path=BLOCK if bars else SPOT),
        Key(mark="ask" if bars else "", words=gettext("Asked"), path=BLOCK if bars else RINGED),
        Key(mark="mid", words=gettext("Median and quartiles")),
    ]
    return [*keys, Key(mark="cap", words=limit_words(known.watch))] if known.watch.price_max else keys


def _spread(known: Known) -> Chart | None:
    """How many were sold and asked for how much."""
    found = bars(sold=known.paid, asked=known.wanted)
    if not found:
        return None
    low, high = found[0].low, found[-1].high
    return Chart(
        drawing=charts.histogram(found, lines=_lines(known), label=_summary(known)),
        legend=_legend(known, bars=True),
        axis=(low, (low + high) // 2, high),
        bars=found,
        most=max(max(bar.sold, bar.asked) for bar in found),
    )


def _summary(known: Known) -> str:
    """The drawing in one sentence."""
    sold, asked = len(known.paid), len(known.wanted)
    counts = ngettext("%(n)d sale", "%(n)d sales", sold) % {"n": sold}
    counts += " · " + ngettext("%(n)d asked price", "%(n)d asked prices", asked) % {"n": asked}
    if (figures := figures_of(known.paid) or figures_of(known.wanted)) is None:
        return counts
    prices = {"low": figures.p25, "median": figures.median, "high": figures.p75}
    facts = {name: wording.money(price, known.watch.currency) for name, price in prices.items()}
    return f"{counts} · " + gettext("median %(median)s, the middle half from %(low)s to %(high)s") % facts


def _course(known: Known, *, since: datetime, now: datetime) -> Chart | None:
    """Each thing at the time when it was first there, at its price."""
    every = figures_of([*known.paid, *known.wanted])
    if every is None:
        return None
    frame = Frame(low=every.p5, high=every.p95)
    sold, asked = ([(_share(one.at, since, now), one.price) for one in shown] for shown in _shown(known))
    drawing = charts.scatter(sold=sold, asked=asked, frame=frame, lines=_lines(known), label=_summary(known))
    return Chart(
        drawing=drawing,
        legend=_legend(known, bars=False),
        axis=(every.p5, (every.p5 + every.p95) // 2, every.p95),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """A thing as the drawing over time and its table show it; ``sold_at`` is ``None`` for an asked price."""

    at: datetime
    title: str
    price: int
    sold_at: datetime | None


def _shown(known: Known) -> tuple[list[Dot], list[Dot]]:
    """What was sold and what was asked for, oldest first; each thing once."""
    gone = {one.listing_id for one in known.sales}
    sold = [_dot(one, one.paid, one.sold_at) for one in known.sales]
    asked = [_dot(one, one.asked, None) for one in known.asked if one.listing_id not in gone]
    return _by_time(sold), _by_time(asked)


def _dot(one: Priced, price: int | None, sold_at: datetime | None) -> Dot | None:
    return None if price is None else Dot(at=one.began_at, title=one.title, price=price, sold_at=sold_at)


def _by_time(dots: Iterable[Dot | None]) -> list[Dot]:
    return sorted(filter(None, dots), key=attrgetter("at"))


def _share(moment: datetime, since: datetime, now: datetime) -> float:
    """What was there before the time that is shown stands at its beginning."""
    return min(1.0, max(0.0, (moment - since) / (now - since)))
