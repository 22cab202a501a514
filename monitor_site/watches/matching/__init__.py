"""Whether a sighting is what a watch wants, rule by rule. Pure: checks, previews, "why not?" and tests ask the same.

Unknown is not a mismatch and not a match: a rule about something the marketplace did not say answers ``unknown``.
"""

from .deciding import Decision, decide, funnel
from .rule import Rule
from .verdicts import RuleVerdict, Verdict

__all__ = ["Decision", "Rule", "RuleVerdict", "Verdict", "decide", "funnel"]
