"""How an account at a marketplace is, in words, and what its marketplace can do."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.functional import Promise
from django.utils.translation import gettext, pgettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from monitor_site import wording
from monitor_site.contract import Capability
from monitor_site.marketplaces.models import BY_HAND, FOR_GOOD, MarketplaceAccount
from monitor_site.marketplaces.named import ERRORS

# A worker that has not answered by then has none of it.
TEST_TAKES = timedelta(seconds=30)
# A word and what to do about it, by the code of an error.
REASONS: Mapping[str, "tuple[str | Promise, str | Promise]"] = {
    "sign_in_needed": (
        _("Sign-in needed"),
        _("The marketplace did not take the credentials: replace them, then test."),
    ),
    "challenge_required": (
        _("Challenge"),
        _("Prove it is you in the marketplace's own app or site, then test again."),
    ),
    "account_restricted": (
        _("Suspended"),
        _("The marketplace has restricted this account. Ask there."),
    ),
    "outcome_unknown": (
        _("Outcome unknown"),
        _("What became of an order is being looked up; until then no other goes out."),
    ),
    BY_HAND: (
        pgettext_lazy("account", "Paused"),
        _("You paused it: nothing is ordered with it. What became of orders is still looked up."),
    ),
}
SAME = {"auth_expired": "sign_in_needed", "verification_required": "challenge_required"}


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """How an account is: a word, its tone, and a sentence that says what to do. ``testing``: a worker is asking."""

    word: str
    tone: str
    sentence: str = ""
    testing: bool = False
    paused: bool = False


def state_of(account: MarketplaceAccount, *, now: datetime) -> State:
    """The worst that is known of it."""
    asked, paused = account.test_asked_at, account.paused_until is not None and account.paused_until > now
    waits = asked is not None and (account.tested_at is None or account.tested_at < asked)
    if asked is not None and waits and now - asked < TEST_TAKES:
        return State(word=gettext("Being tested"), tone="muted", testing=True, paused=paused)
    if paused:
        return _paused(account, now)
    if waits:
        return State(word=gettext("Not tested"), tone="warn", sentence=gettext("No worker answered. Is one running?"))
    return _tested(account)


def _tested(account: MarketplaceAccount) -> State:
    if account.test_error:
        word, sentence = _reason(account.test_error, otherwise=gettext("Test failed"))
        return State(word=word, tone="bad", sentence=sentence)
    if account.worked_at is None:
        words = gettext("Whether its credentials work, a test tells. It reads and changes nothing.")
        return State(word=gettext("Not tested"), tone="muted", sentence=words)
    return State(word=gettext("Ready"), tone="good")


def _reason(code: str, *, otherwise: str) -> tuple[str, str]:
    word, sentence = REASONS.get(SAME.get(code, code), (otherwise, ERRORS.get(code, "")))
    return str(word), str(sentence)


def _paused(account: MarketplaceAccount, now: datetime) -> State:
    code, until = account.pause_reason, account.paused_until
    word, sentence = _reason(code, otherwise=gettext("Cooling down"))
    if until is not None and until < FOR_GOOD:
        ends = gettext("Until %(when)s.") % {"when": wording.end(until, now=now)}
        sentence = f"{sentence} {ends}".strip()
    tone = "warn" if code == BY_HAND or SAME.get(code, code) not in REASONS else "bad"
    return State(word=word, tone=tone, sentence=sentence, paused=True)


def ability_words() -> dict[str, str]:
    """What plugins can do, in the order in which the page tells it."""
    return {
        Capability.SEARCH: pgettext("ability", "search"),
        Capability.LOOK: gettext("single listings"),
        Capability.BUY: pgettext("ability", "order"),
        Capability.BID: pgettext("ability", "bid"),
        Capability.OUTCOME: gettext("find an order again"),
        Capability.SOLD_PRICES: gettext("sold prices"),
    }


def access_words() -> dict[str, str]:
    """How a marketplace is reached."""
    return {"official_api": gettext("through its official interface"), "public_pages": gettext("by its public pages")}
