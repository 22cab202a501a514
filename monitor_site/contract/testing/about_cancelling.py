"""Rules about cancelling what was bought, over the practice market: one request, and an honest word about how it ended.

The practice market marks these requests by the route ``cancel``; a test class whose market calls it otherwise sets
``cancel_route``.
"""

from typing import Any, ClassVar

from ..errors import MarketplaceError, OutcomeUnknown
from ..manifest import Capability
from ..orders import CancelReceipt, CancelRequest, Purchase, PurchaseStage, Receipt
from .about_orders import REFERENCE, SILENT, AboutOrders, Ending
from .market import Market
from .rule import demand

NO_PURCHASE = "no-such-purchase"
SHOWN = frozenset({PurchaseStage.CANCEL_ASKED, PurchaseStage.CANCELLED})


class AboutCancelling(AboutOrders):
    """The practice market and the plugin, when a purchase is cancelled."""

    cancel_route: ClassVar[str] = "cancel"

    def test_a_request_to_cancel_commits_exactly_once_and_shows(self, practice: Market) -> None:
        """In the purchase itself: money comes back on that word alone."""
        receipt = self._to_cancel(practice)
        ended = self._cancelled(practice, receipt.external_id, receipt.transaction_id)
        told = getattr(ended.found, "transaction_id", None)
        right = isinstance(ended.found, CancelReceipt) and told == receipt.transaction_id
        demand(ended.commits == 1, f"a request to cancel must commit exactly once: {ended.words}")
        demand(right, f"cancelling {receipt.transaction_id} gives no receipt for it: {ended.words}")
        found = self._purchase_of(practice, receipt.external_id)
        shows = isinstance(found.found, Purchase) and found.found.stage in SHOWN
        demand(shows, f"{receipt.transaction_id} was to be cancelled, and its purchase does not show it: {found.words}")

    def test_a_request_to_cancel_whose_answer_is_lost_is_never_told_as_known(self, practice: Market) -> None:
        """Neither a receipt nor a refusal, and never sent again."""
        for fault in SILENT:
            receipt = self._to_cancel(practice)
            self._break(practice, fault | {"route": self.cancel_route})
            ended = self._cancelled(practice, receipt.external_id, receipt.transaction_id)
            practice.do("faults/clear")
            unknown = isinstance(ended.error, OutcomeUnknown) and ended.commits == 1
            demand(unknown, f"after {fault} nobody knows whether it was cancelled: {ended.words}")

    def test_what_was_not_bought_is_not_cancelled(self, practice: Market) -> None:
        """There is no receipt for it."""
        self.needs(Capability.CANCEL)
        listed = self._offered(practice)
        ended = self._cancelled(practice, listed, NO_PURCHASE)
        raised = isinstance(ended.error, MarketplaceError)
        demand(raised, f"{listed} was not bought, and cancelling it must raise: {ended.words}")

    def _to_cancel(self, market: Market) -> Receipt:
        """A purchase of something new."""
        self.needs(Capability.CANCEL)
        ended = self._bought(market, self._offered(market))
        demand(isinstance(ended.found, Receipt), f"nothing can be bought that could be cancelled: {ended.words}")
        found: Any = ended.found
        return found  # type: ignore[no-any-return]

    def _cancelled(self, market: Market, listed: str, number: str) -> Ending:
        request = CancelRequest(external_id=listed, transaction_id=number, reference=REFERENCE)
        return self._acted(market, lambda connected: connected.cancel(request))
