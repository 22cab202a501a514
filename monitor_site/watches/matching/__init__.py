"""Whether a sighting is what a watch wants, rule by rule. Pure: checks, previews, "why not?" and tests ask the same.

Unknown is not a mismatch and not a match: a rule about something the marketplace did not say answers ``unknown``.
"""

from .deciding import Decision, decide, funnel
from .rule import NO_BLOCKS, Blocks, Rule
from .verdicts import RuleVerdict, Verdict
from .words import alternatives, compiled

__all__ = [
    "NO_BLOCKS",
    "Blocks",
    "Decision",
    "Rule",
    "RuleVerdict",
    "Verdict",
    "alternatives",
    "compiled",
    "decide",
    "funnel",
]
