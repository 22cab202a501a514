"""Answers that hardly hold what was asked for: a marketplace may search more widely than it was asked, without a word.

Every listing is judged by the rule of its watch, so that nothing false matches; but a person should hear of it.
"""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from .models import Listing, Target, Watch
from .text import contains, read_title

ENOUGH_ROWS = 20
HARDLY_ANY = 0.05
MOST_JUDGED = 100
MOST_QUESTIONS = 10
# The list of one seller's things knows no words, and a search in descriptions finds what no title tells.
NO_WORDS = ("seller", "descriptions")

Place = tuple[str, str]


def straying(watch: Watch) -> dict[str, int]:
    """Marketplace → how many of its last results were judged, where hardly any title has a word that was asked for.

    Two queries, or one when no answer is long enough to judge.
    """
    if watch.paused_at is not None:
        return {}
    judged = [target for target in _questions(watch) if _words(target) and len(target.recent) >= ENOUGH_ROWS]
    titles = _titles(judged) if judged else {}
    found: Counter[str] = Counter()
    for target in judged:
        shown = [titles[place] for place in _places(target) if place in titles]
        if _strays(shown, _words(target)):
            found[target.marketplace] += len(shown)
    return dict(found)


def _questions(watch: Watch) -> Iterable[Target]:
    asked = Target.objects.searches().filter(links__watch=watch).order_by("pk")
    return asked.only("marketplace", "criteria", "recent")[:MOST_QUESTIONS]


def _words(target: Target) -> list[str]:
    """The words of a question; none where it asks for more than words can tell."""
    asked = json.loads(target.criteria)
    return [] if any(asked.get(name) for name in NO_WORDS) else str(asked.get("keyword", "")).split()


def _places(target: Target) -> list[Place]:
    return [(target.marketplace, name) for name in list(target.recent)[:MOST_JUDGED]]


def _titles(targets: Collection[Target]) -> Mapping[Place, str]:
    places = {place for target in targets for place in _places(target)}
    marketplaces, names = ({place[part] for place in places} for part in (0, 1))
    rows = Listing.objects.filter(marketplace__in=marketplaces, external_id__in=names)
    return {(at, name): title for at, name, title in rows.values_list("marketplace", "external_id", "title")}


def _strays(titles: Collection[str], words: Collection[str]) -> bool:
    readings = [read_title(title) for title in titles]
    fitting = sum(any(contains(reading, word) for word in words) for reading in readings)
    return len(titles) >= ENOUGH_ROWS and fitting < HARDLY_ANY * len(titles)
