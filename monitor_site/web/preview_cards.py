"""What a preview shows, as plain values: the state of each marketplace, the funnel, groups of small cards, the cost."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import zip_longest

from django.utils.safestring import SafeString
from django.utils.translation import gettext, ngettext

from monitor_site import wording
from monitor_site.contract import Sighting
from monitor_site.watches import follow
from monitor_site.watches.asking import Answer, Question
from monitor_site.watches.costs import Cost
from monitor_site.watches.matching import Blocks, Rule, RuleVerdict
from monitor_site.watches.models import Watch
from monitor_site.watches.previewing import Judged, Preview, judge
from monitor_site.watches.rules import rule_of

from . import pictures
from .highlighting import marked
from .loosening import step_of
from .preview_words import chip, rule_name
from .watch_words import error_words, marketplace_title

SHOWN = 8
FEW = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Chip:
    """What a rule says; ``ask`` is what a button sends to loosen it and ``offer`` what that does, else both empty."""

    words: str
    ask: str = ""
    offer: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """One listing in a line; ``chips`` say what speaks against it or is not told."""

    title: SafeString
    url: str
    picture: str
    price: str
    marketplace: str
    chips: Sequence[Chip]


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Cards under a name. ``tone`` is a class of badges, ``more`` how many are not shown, ``help`` a sentence."""

    name: str
    tone: str
    count: int
    cards: Sequence[Card]
    help: str = ""

    @property
    def more(self) -> int:
        """How many are not shown."""
        return self.count - len(self.cards)


@dataclass(frozen=True, slots=True, kw_only=True)
class Market:
    """How far a marketplace is; ``dot`` is a class of the stylesheet."""

    title: str
    words: str
    dot: str
    is_done: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What is left after a rule, of what was fetched; ``percent`` of it."""

    name: str
    left: int
    percent: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """Everything of a preview that changes while answers come."""

    markets: Sequence[Market]
    steps: Sequence[Step]
    groups: Sequence[Group]
    advice: str
    total: int

    @property
    def is_done(self) -> bool:
        """Every marketplace has answered, or will not."""
        return all(market.is_done for market in self.markets)


def shown(watch: Watch, answers: Mapping[Question, Answer], *, blocks: Mapping[str, Blocks], now: datetime) -> Shown:
    """What has come so far, under the rule of this watch and what its user has blocked at each marketplace."""
    rule = rule_of(watch)
    preview = judge(rule, _in_turns(answers), blocks=blocks, now=now)
    return Shown(
        markets=[_market(name, answers, now) for name in watch.marketplaces],
        steps=_steps(preview),
        groups=_groups(preview, rule),
        advice=_advice(preview),
        total=preview.total,
    )


def _in_turns(answers: Mapping[Question, Answer]) -> Iterator[tuple[str, Sighting]]:
    """The first of each answer, then the second of each: no marketplace pushes another one out of sight."""
    columns = [[(asked.marketplace, one) for one in answer.sightings] for asked, answer in answers.items()]
    return (pair for row in zip_longest(*columns) for pair in row if pair is not None)


def _market(name: str, answers: Mapping[Question, Answer], now: datetime) -> Market:
    mine = [answer for asked, answer in answers.items() if asked.marketplace == name]
    first = min(mine, key=lambda answer: ORDER.index(answer.state))
    count = sum(len(answer.sightings) for answer in mine)
    dots = {"found": "", "failed": "dot--warn", "stopped": "dot--warn"}
    return Market(
        title=marketplace_title(name),
        words=market_words(first, count, now=now),
        dot=dots.get(first.state, "dot--off"),
        is_done=all(answer.is_done for answer in mine),
    )


ORDER = ("asked", "waiting", "stopped", "failed", "found")


def market_words(answer: Answer, count: int, *, now: datetime) -> str:
    """How far a question is, in words."""
    again = datetime.fromtimestamp(answer.again_at or 0, tz=UTC)
    if answer.state == "waiting":
        seconds = max(1, round((again - now).total_seconds()))
        return gettext("waits for its turn, about %(time)s") % {"time": wording.duration(seconds)}
    if answer.state == "stopped":
        told = {"reason": error_words(answer.error), "time": wording.clock(again, now=now)}
        return gettext("not asked until %(time)s: %(reason)s") % told
    if answer.state == "failed":
        return error_words(answer.error)
    if answer.state == "asked":
        return gettext("is being asked …")
    return ngettext("%(n)d listing", "%(n)d listings", count) % {"n": count}


def _steps(preview: Preview) -> list[Step]:
    if not preview.total:
        return []
    rules = [(rule_name(name), left) for name, left in preview.funnel]
    every = [(gettext("fetched"), preview.total), *rules]
    return [Step(name=name, left=left, percent=100 * left // preview.total) for name, left in every]


def _groups(preview: Preview, rule: Rule) -> list[Group]:
    return [
        _group(gettext("Would match"), "badge--ok", preview.matching, rule),
        _group(gettext("Unclear"), "badge--warn", preview.unclear, rule, help=_unclear(preview.unclear)),
        _group(gettext("Would be rejected"), "", preview.rejected, rule),
    ]


def _group(name: str, tone: str, judged: Sequence[Judged], rule: Rule, *, help: str = "") -> Group:
    cards = [card_of(one, rule) for one in judged[:SHOWN]]
    return Group(name=name, tone=tone, count=len(judged), cards=cards, help=help)


def _unclear(judged: Iterable[Judged]) -> str:
    names = {one.marketplace for one in judged}
    if not names:
        return ""
    if all(map(follow.can_look, names)):
        return gettext("The results do not tell enough. It is decided after one look at the listing.")
    return gettext(
        "The results do not tell enough. It is decided after one look, where the marketplace can be looked at."
    )


def card_of(one: Judged, rule: Rule) -> Card:
    """A judged sighting as a card."""
    sighting, decision = one.sighting, one.decision
    hits = [word for said in decision.rules if said["rule"] in {"must", "any_of"} for word in said["words"]]
    unknown = [said for said in decision.rules if said["rule"] in decision.open_rules]
    return Card(
        title=marked(sighting.title, hits),
        url=sighting.url,
        picture=pictures.address(sighting.images[0], size=160) if sighting.images else "",
        price=wording.money(sighting.price.amount, sighting.price.currency) if sighting.price else wording.money(None),
        marketplace=marketplace_title(one.marketplace),
        chips=[_against(decision.rejection, rule)] if decision.rejection else _open(unknown, rule),
    )


def _open(unknown: Iterable[RuleVerdict], rule: Rule) -> list[Chip]:
    return [Chip(words=chip(said, rule)) for said in unknown]


def _against(said: RuleVerdict, rule: Rule) -> Chip:
    step = step_of(said, rule)
    if step is None:
        return Chip(words=chip(said, rule))
    return Chip(words=chip(said, rule), ask=step.ask, offer=step.words(rule.currency))


def _advice(preview: Preview) -> str:
    """Which rule to loosen when nothing meets all of them."""
    if preview.matching or not preview.total or not preview.hardest:
        return ""
    return gettext("Nothing meets every rule. Most is removed by: %(rule)s.") % {"rule": rule_name(preview.hardest)}


def cost_lines(costs: Iterable[Cost]) -> list[tuple[str, bool]]:
    """What a wish costs at each marketplace, each with whether it is a warning."""
    return [line for cost in costs for line in _cost(cost)]


def _cost(cost: Cost) -> list[tuple[str, bool]]:
    told = {
        "marketplace": marketplace_title(cost.marketplace),
        "questions": ngettext("%(n)d question", "%(n)d questions", cost.questions) % {"n": cost.questions},
        "new": cost.new,
        "time": wording.duration(cost.seconds),
        "own": f"{cost.own:.2g}" if cost.own < FEW else f"{cost.own:,.0f}",
        "all": f"{cost.all:,.0f}",
        "pace": f"{cost.pace:,}",
    }
    words = gettext("%(marketplace)s: %(questions)s, %(new)d new; every %(time)s: %(own)s of %(pace)s a minute.")
    lines = [(words % told, False)]
    if cost.too_much:
        told["time"] = wording.duration(cost.planned or cost.seconds)
        told |= {"sharing": f"{cost.sharing:,}", "room": f"{cost.room:.3g}"}
        more = gettext(
            "%(marketplace)s: all questions together want %(all)s a minute. This one is asked every %(time)s:"
            " %(sharing)s questions share %(room)s a minute."
        )
        lines.append((more % told, True))
    return lines
