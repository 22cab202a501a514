"""Rules about buying, over the practice market: one request that spends, and an honest word about how it ended.

The practice market marks the requests that spend by the route ``purchase``, writes ``purchased`` with the listing's
``id`` into its truth log, and lists under ``refusals`` what it can refuse a purchase for: objects with the ``kind`` of
the refusal and the ``fault`` that brings it about. A test class whose market calls the route otherwise sets
``purchase_route``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest

from ..errors import MarketplaceError, OutcomeUnknown, Refused
from ..manifest import Capability
from ..orders import AccountInfo, BuyRequest, Purchase, PurchasePage, Receipt
from ..values import Money
from .about_practice import PRICE, WORD, AboutPractice, blocks_of
from .asking import run
from .market import Market
from .over_http import PlainSession
from .rule import demand

REFERENCE = "order-of-the-kit"
DEARER = PRICE + 1
# Faults that leave nobody knowing; the first two after the purchase was taken.
SILENT: tuple[dict[str, Any], ...] = (
    {"kind": "cut"},
    {"kind": "truncate"},
    {"kind": "close"},
    {"kind": "status", "status": 500},
    {"kind": "status", "status": 409},
    {"kind": "throttle"},
    {"kind": "no_body"},
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """What came of asking a plugin in an account's name: found, or raised as the core would understand it."""

    found: Any = None
    error: BaseException | None = None
    commits: int = 0

    @property
    def words(self) -> str:
        """What happened, for a person."""
        ended = f"{type(self.error).__name__}: {self.error}" if self.error is not None else f"{self.found!r}"
        return f"{ended[:200]}, after {self.commits} commits"


class AboutOrders(AboutPractice):
    """The practice market and the plugin, when money is spent."""

    purchase_route: ClassVar[str] = "purchase"

    def test_a_purchase_commits_exactly_once(self, practice: Market) -> None:
        """And the practice market's truth log knows of exactly one."""
        listed = self._offered(practice)
        ended = self._bought(practice, listed)
        right = isinstance(ended.found, Receipt) and ended.found.external_id == listed
        demand(right and ended.found.transaction_id, f"buying {listed} for its price gives no receipt: {ended.words}")
        demand(ended.commits == 1, f"a purchase must commit exactly once: {ended.words}")
        taken = [event for event in practice.truth("purchased") if event.get("id") == listed]
        demand(len(taken) == 1, f"the truth log must have one event purchased for {listed}, and has {len(taken)}")

    def test_a_purchase_is_found_again(self, practice: Market) -> None:
        """By its listing, with its transaction."""
        listed = self._offered(practice)
        receipt, found = self._bought(practice, listed).found, self._purchase_of(practice, listed)
        same = isinstance(found.found, Purchase) and found.found.external_id == listed
        demand(
            same and found.found.transaction_id == getattr(receipt, "transaction_id", None),
            f"{listed} was bought, and find_purchase does not find that transaction: {found.words}",
        )

    def test_what_was_not_bought_is_no_purchase(self, practice: Market) -> None:
        """The marketplace says so itself."""
        listed = self._offered(practice)
        found = self._purchase_of(practice, listed)
        demand(found.found is None and found.error is None, f"nobody bought {listed}, and it says: {found.words}")

    def test_a_purchase_whose_answer_is_lost_is_never_told_as_known(self, practice: Market) -> None:
        """Cut, broken or failed after it was sent: neither a receipt nor a refusal, and never sent again."""
        self.needs(Capability.BUY)
        for fault in SILENT:
            listed = self._offered(practice)
            self._break(practice, fault)
            ended = self._bought(practice, listed)
            practice.do("faults/clear")
            unknown = isinstance(ended.error, OutcomeUnknown) and ended.commits == 1
            demand(unknown, f"after {fault} nobody knows how a purchase ended: {ended.words}")

    def test_what_costs_more_is_refused_before_it_is_sent(self, practice: Market) -> None:
        """Dearer than it was seen, dearer than allowed."""
        listed = self._offered(practice)
        self.reprice(practice, listed, DEARER)
        for most, seen in ((DEARER, PRICE), (PRICE, DEARER)):
            why = f"it costs {DEARER}, was seen at {seen} and may cost {most}"
            self._refused_unsent(practice, listed, why, most=most, seen=seen)

    def test_what_is_sold_is_refused_before_it_is_sent(self, practice: Market) -> None:
        """The look before a purchase sees it."""
        listed = self._offered(practice)
        self.sell(practice, listed)
        self._refused_unsent(practice, listed, "it is sold")

    def test_every_refusal_has_its_word(self, practice: Market) -> None:
        """Each one that the practice market can answer with."""
        self.needs(Capability.BUY)
        listed = practice.look("refusals")
        demand(listed and isinstance(listed, list), "the practice market lists no refusals of purchases")
        for each in listed:
            wanted = self._offered(practice)
            self._break(practice, each["fault"])
            ended = self._bought(practice, wanted)
            practice.do("faults/clear")
            told = isinstance(ended.error, Refused) and ended.error.kind == each["kind"] and ended.commits == 1
            demand(told, f"{each['fault']} must be Refused as {each['kind']}: {ended.words}")

    def test_no_block_says_that_nothing_was_bought(self, practice: Market) -> None:
        """Neither does an empty or a broken answer: money hangs on it."""
        self.needs(Capability.OUTCOME)
        listed = self._offered(practice)
        self._bought(practice, listed)
        for kind in (*blocks_of(practice), "no_body", "truncate", "status"):
            practice.do("faults", route="*", kind=kind)
            found = self._purchase_of(practice, listed)
            practice.do("faults/clear")
            demand(found.error is not None, f"{kind} must raise, for it does not tell what was bought: {found.words}")

    def test_purchases_list_what_was_bought(self, practice: Market) -> None:
        """Where the manifest says that there is such a list."""
        if not self.plugin.manifest.lists_purchases:
            pytest.skip("it lists no purchases")
        listed = self._offered(practice)
        self._bought(practice, listed)
        ended = self._acted(practice, lambda market: market.purchases())
        page = ended.found.purchases if isinstance(ended.found, PurchasePage) else ()
        there = any(each.external_id == listed for each in page)
        demand(there, f"{listed} was bought, and the list of purchases lacks it: {ended.words}")

    def test_an_account_is_verified_without_spending(self, practice: Market) -> None:
        """A person tries it before anything is bought."""
        self.needs(Capability.BUY)
        ended = self._acted(practice, lambda market: market.verify())
        right = isinstance(ended.found, AccountInfo) and not ended.commits
        demand(right, f"verify must tell whose account it is and send nothing that spends: {ended.words}")

    def _offered(self, market: Market) -> str:
        self.needs(Capability.BUY)
        return self.offer(market, title=f"{WORD}の品", price=PRICE)

    def _break(self, market: Market, fault: dict[str, Any]) -> None:
        """Let the next purchase fail so."""
        got = market.ask("faults", {"route": self.purchase_route, "count": 1} | fault)
        demand(got.status_code == 200, f"the practice market cannot break a purchase by {fault}: {got.text[:200]}")

    def _refused_unsent(self, market: Market, listed: str, why: str, **sums: int) -> None:
        ended = self._bought(market, listed, **sums)
        refused = isinstance(ended.error, Refused) and not ended.commits
        demand(refused, f"{listed} must be Refused before anything is sent, since {why}: {ended.words}")

    def _bought(self, market: Market, listed: str, *, most: int = PRICE, seen: int = PRICE) -> Ending:
        currency = self.plugin.manifest.currency
        request = BuyRequest(
            external_id=listed,
            price_max=Money(amount=most, currency=currency),
            seen_price=Money(amount=seen, currency=currency),
            reference=REFERENCE,
        )
        return self._acted(market, lambda connected: connected.buy(request))

    def _purchase_of(self, market: Market, listed: str) -> Ending:
        return self._acted(market, lambda connected: connected.find_purchase(listed))

    def _acted(self, market: Market, act: Callable[[Any], Any]) -> Ending:
        """Ask in the account's name; an error is what the core makes of it."""
        session = PlainSession(market.base, self.account)
        try:
            found = run(lambda: act(self.plugin.connect(session)))
        except MarketplaceError as error:
            return Ending(error=session.spending.judge(error), commits=session.commits)
        except Exception as error:  # noqa: BLE001  the rule that asked judges it
            return Ending(error=error, commits=session.commits)
        return Ending(found=found, commits=session.commits)
