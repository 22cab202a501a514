"""Orders, submissions, budgets, and the ledger. Constraints repeat every promise that a service makes."""

from .budgets import Budget, BudgetKind, BudgetQuerySet, Entry, LedgerEntry, Measure, Period, Scope
from .cancellations import Cancellation, CancelOutcome
from .orders import (
    FOUND_LATE,
    MOST_EPOCHS,
    Mode,
    Order,
    OrderKind,
    OrderQuerySet,
    OrderStep,
    Submission,
    SubmissionOutcome,
    Way,
)
from .readings import Reading, ReadingSeen, Stray, Sweep
from .rules import BuyPolicy, BuyRule
from .styles import ApprovalStyle
from .switches import Switch

__all__ = [
    "FOUND_LATE",
    "MOST_EPOCHS",
    "ApprovalStyle",
    "Budget",
    "BudgetKind",
    "BudgetQuerySet",
    "BuyPolicy",
    "BuyRule",
    "CancelOutcome",
    "Cancellation",
    "Entry",
    "LedgerEntry",
    "Measure",
    "Mode",
    "Order",
    "OrderKind",
    "OrderQuerySet",
    "OrderStep",
    "Period",
    "Reading",
    "ReadingSeen",
    "Scope",
    "Stray",
    "Submission",
    "SubmissionOutcome",
    "Sweep",
    "Switch",
    "Way",
]
