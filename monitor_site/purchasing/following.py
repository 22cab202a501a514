"""What the marketplace says of a purchase, as steps of its order. Pure."""

from monitor_site.contract import PurchaseStage

from .transitions import State, Verb

FRESH = frozenset({State.PLACED, State.LATE_PLACED, State.WON})
STEPS: dict[PurchaseStage, tuple[tuple[frozenset[State], Verb], ...]] = {
    PurchaseStage.WAIT_SHIPPING: ((FRESH, Verb.PAY),),
    PurchaseStage.SHIPPED: ((FRESH | {State.PAID}, Verb.SHIP),),
    PurchaseStage.RECEIVED: ((FRESH | {State.PAID}, Verb.SHIP), (frozenset({State.SHIPPED}), Verb.RECEIVE)),
    PurchaseStage.CANCELLED: ((FRESH | {State.PAID, State.SHIPPED}, Verb.CANCEL_AT_MARKET),),
}


def next_step(state: State, stage: PurchaseStage) -> Verb | None:
    """The next step of an order towards a stage; a stage that nobody knows, or that is behind, moves nothing."""
    return next((verb for states, verb in STEPS.get(stage, ()) if state in states), None)
