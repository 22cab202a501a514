"""Rules about the practice market, asked over real HTTP: it plays the marketplace, well and badly.

Beside what every control end knows (:mod:`monitor_site.contract.practice`) it takes two orders: ``list`` with
``title``, ``price`` (minor units) and ``visible_in`` (seconds), which answers with the new listing's ``id``, and
``change`` with ``id`` and ``price``; ``sell`` with ``id``, if it can. For a market that calls them otherwise a test
class overrides ``offer``, ``reprice`` and ``sell``.
"""

import json
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest

from ..errors import Blocked, LayoutChanged, ListingGone, Throttled, Unavailable
from ..manifest import Capability
from ..rules import Promise, in_words
from ..values import Answer, Sighting, Status
from .asking import Outcome, asked_of, run
from .market import Market, quiet, served
from .over_http import PlainSession
from .rule import Rules, demand, fail
from .samples import Sample

WORD, PRICE, NEW_PRICE = "試運転", 4321, 3210
OVER = {Status.SOLD, Status.RESERVED, Status.ENDED}
NO_ANSWER = Answer(status=0, headers={}, body=b"", url="")


class AboutPractice(Rules):
    """The practice market and the plugin, together."""

    @pytest.fixture(scope="class")
    @classmethod
    def practice_server(cls, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Market]:
        """The practice market on a port, for all rules."""
        try:
            create = import_module(cls.plugin.practice).create
        except Exception as error:  # noqa: BLE001  a plugin's own module
            fail(f"there is no practice market at {cls.plugin.practice}: {in_words(error)}")
        with served(create, tmp_path_factory.mktemp("practice") / "truth.jsonl") as market:
            yield market

    @pytest.fixture
    def practice(self, practice_server: Market) -> Iterator[Market]:
        """The same, in which nothing happens by itself."""
        with quiet(practice_server) as market:
            yield market

    def offer(self, market: Market, *, title: str, price: int) -> str:
        """Let the practice market list something at once; its id."""
        return str(market.do("list", title=title, price=price, visible_in=0)["id"])

    def reprice(self, market: Market, external_id: str, price: int) -> None:
        """Let a listing cost something else."""
        market.do("change", id=external_id, price=price)

    def sell(self, market: Market, external_id: str) -> None:
        """Let a listing be sold; a market that takes no such order skips the rule."""
        if market.ask("sell", {"id": external_id}).status_code != 200:
            pytest.skip("its practice market takes no order to sell")

    def test_the_control_question_has_answers(self, practice: Market) -> None:
        """It tells an empty page from a block, so it must always find something."""
        self.needs(Capability.SEARCH)
        found = self._asked(practice, self._search(self.plugin.manifest.control))
        demand(found.rows, f"the control question finds nothing in the practice market: {found.words}")

    def test_a_search_finds_what_was_listed(self, practice: Market) -> None:
        """With its id and its price."""
        self.needs(Capability.SEARCH)
        listed = self.offer(practice, title=f"{WORD}の品", price=PRICE)
        row = self._found(practice, listed)
        demand(row and _price(row) == PRICE, f"a search does not find {listed}, just listed for {PRICE}: {row!r:.200}")

    def test_what_practice_sells_is_as_the_contract_promises(self, practice: Market) -> None:
        """Also addresses: there they begin with the practice market's own."""
        self.needs(Capability.SEARCH)
        promise = Promise(manifest=self.plugin.manifest, practice=practice.base)
        found = self._asked(practice, self._search(self.plugin.manifest.control))
        odd = [
            row.url for row in found.rows if not str(row.url).startswith(practice.base) or not promise.is_own(row.url)
        ]
        demand(found.rows, f"the practice market sells nothing that could be looked at: {found.words}")
        demand(not odd, f"addresses in a practice market begin with session.web, not {odd[:1]}")

    def test_a_look_tells_what_the_search_told(self, practice: Market) -> None:
        """The same id, price and status."""
        self.needs(Capability.LOOK)
        listed = self.offer(practice, title=f"{WORD}の品", price=PRICE)
        row, look = self._found(practice, listed), self._asked(practice, self._look(listed))
        demand(
            row and isinstance(look.found, Sighting) and _facts(look.found) == _facts(row),
            f"a look and the search tell different things of {listed}: {look.words}, {row!r:.200}",
        )

    def test_a_new_price_is_seen_by_the_next_look(self, practice: Market) -> None:
        """A listing is followed for its price."""
        self.needs(Capability.LOOK)
        listed = self.offer(practice, title=f"{WORD}の品", price=PRICE)
        self.reprice(practice, listed, NEW_PRICE)
        look = self._asked(practice, self._look(listed))
        right = isinstance(look.found, Sighting) and _price(look.found) == NEW_PRICE
        demand(right, f"{listed} costs {NEW_PRICE} now, and the next look does not see it: {look.words}")

    def test_a_sale_is_seen_by_the_next_look(self, practice: Market) -> None:
        """What is sold is shown as on sale for ever otherwise."""
        self.needs(Capability.LOOK)
        listed = self.offer(practice, title=f"{WORD}の品", price=PRICE)
        self.sell(practice, listed)
        look = self._asked(practice, self._look(listed))
        over = isinstance(look.error, ListingGone) or getattr(look.found, "status", None) in OVER
        demand(over, f"{listed} is sold, and the next look does not see it: {look.words}")

    def test_a_listing_nobody_offers_is_gone(self, practice: Market) -> None:
        """A look at an id that never was."""
        self.needs(Capability.LOOK)
        known = self.offer(practice, title=f"{WORD}の品", price=PRICE)
        never = known[:-6] + "000000"
        look = self._asked(practice, self._look(never))
        demand(look.refused and look.found is None, f"a look at {never}, which never was, must raise: {look.words}")

    def test_its_outage_is_unavailable(self, practice: Market) -> None:
        """The fault ``status``."""
        for outcome in self._struck(practice, kind="status", status=500):
            right = isinstance(outcome.error, Unavailable)
            demand(right, f"a practice market that answers 500 must be Unavailable: {outcome.words}")

    def test_its_throttling_is_throttled(self, practice: Market) -> None:
        """The fault ``throttle``."""
        for outcome in self._struck(practice, kind="throttle", retry_after=9):
            right = isinstance(outcome.error, Throttled) and outcome.error.retry_after == 9
            demand(right, f"a practice market that throttles for 9 s must be Throttled for 9 s: {outcome.words}")

    def test_its_cut_answers_are_unreadable(self, practice: Market) -> None:
        """The fault ``truncate``."""
        for outcome in self._struck(practice, kind="truncate"):
            right = isinstance(outcome.error, LayoutChanged | Unavailable)
            demand(right, f"an answer of the practice market cut in the middle must be an error: {outcome.words}")

    def test_its_blocks_are_blocked(self, practice: Market) -> None:
        """Every fault whose name begins with ``block``."""
        kinds = blocks_of(practice)
        demand(kinds, "the practice market cannot block: give it a fault whose name begins with 'block'")
        for kind in kinds:
            for outcome in self._struck(practice, kind=kind):
                demand(isinstance(outcome.error, Blocked), f"{kind} must be Blocked: {outcome.words}")

    def test_its_truth_log_is_only_ever_appended_to(self, practice: Market) -> None:
        """JSON lines with what really happened; tests and people trust it."""
        self.offer(practice, title=f"{WORD}の一つ", price=PRICE)
        before = practice.truth_log.read_bytes() if practice.truth_log.exists() else b""
        listed = self.offer(practice, title=f"{WORD}の次", price=PRICE)
        after = practice.truth_log.read_bytes() if practice.truth_log.exists() else b""
        demand(before and after.startswith(before), "the truth log must only ever be appended to, and the file was not")
        demand(_events(after), "every line of the truth log is a JSON object with an event")
        demand(listed.encode() in after[len(before) :], f"the truth log does not tell of {listed}, just listed")

    def _search(self, question: Any) -> Sample:
        return Sample(file="practice", capability=Capability.SEARCH, case="", answer=NO_ANSWER, question=question)

    def _look(self, external_id: str) -> Sample:
        search = self._search(self.plugin.manifest.control)
        return Sample(
            file="practice",
            capability=Capability.LOOK,
            case="",
            answer=NO_ANSWER,
            question=search.question,
            external_id=external_id,
        )

    def _found(self, market: Market, external_id: str) -> Sighting | None:
        """The listing, as a search for its word shows it."""
        outcome = self._asked(market, self._search(self.plugin.manifest.criteria(keyword=WORD)))
        return next((row for row in outcome.rows if row.external_id == external_id), None)

    def _struck(self, market: Market, **fault: Any) -> list[Outcome]:
        """What everything it can ask becomes while a fault is in force."""
        listed = self.offer(market, title=f"{WORD}の品", price=PRICE)
        asked = [self._search(self.plugin.manifest.control), self._look(listed)]
        market.do("faults", route="*", **fault)
        outcomes = [self._asked(market, each) for each in asked if each.capability in self.plugin.manifest.capabilities]
        market.do("faults/clear")
        return outcomes

    def _asked(self, market: Market, sample: Sample) -> Outcome:
        """What the plugin makes of the practice market."""
        session = PlainSession(market.base, self.account)
        try:
            found = run(lambda: asked_of(self.plugin.connect(session), sample))
        except Exception as error:  # noqa: BLE001  the rule that asked judges it
            return Outcome(sample=sample, error=error, asked=session.asked)
        return Outcome(sample=sample, found=found, asked=session.asked)


def _price(row: Sighting) -> int | None:
    return row.price.amount if row.price else None


def _facts(row: Sighting) -> tuple[Any, ...]:
    return row.external_id, row.price, row.status


def blocks_of(market: Market) -> list[str]:
    """The kinds of faults that are blocks; the control end names all kinds when it does not know one."""
    refusal = market.ask("faults", {"kind": "?"}).json().get("error", "")
    known = refusal.partition("kind is one of ")[2].partition(";")[0].split(", ")
    return [kind for kind in known if kind.startswith("block")]


def _events(log: bytes) -> bool:
    try:
        return all("event" in json.loads(line) for line in log.splitlines())
    except (ValueError, TypeError):
        return False
