"""Everything that can go wrong at a marketplace, with its consequence as data.

MarketplaceError
├── Unavailable         down, slow, cut off: try again at the next beat
├── NoPace              our own pace left no room: nothing was sent
├── NotSent             our own rules kept an order back: nothing was sent
├── Throttled           asked too often: every question waits ``retry_after``
├── Blocked             refused as a whole: stop for a long while, tell the operator
├── ChallengeRequired   a person must act at the marketplace; never worked around
├── SignInNeeded        credentials missing, wrong or expired
├── LayoutChanged       the answer has a shape this plugin cannot read
├── SuspectEmpty        no rows where rows are usual
├── SuspectStale        nothing new on top where something new is usual
├── ListingGone         the listing exists no more
├── Refused             a listed refusal of an order or bid
├── OutcomeUnknown      sent, and nobody knows what became of it: look it up, never send again
└── PluginFault         the plugin itself failed

The core never switches on the class: it reads the fields.
"""

from .consequence import Pauses, Tells
from .refusals import CONSEQUENCES, RefusalKind


class MarketplaceError(Exception):
    """Base of all; ``detail`` goes to the log, never to a page.

    ``pauses`` what stands still, ``retry_after`` for how many seconds (``None``: the core decides),
    ``tells`` who must hear of it, ``code`` a stable word for pages, logs and metrics.
    """

    code = "error"
    pauses = Pauses.NOTHING
    tells = Tells.NOBODY
    default_retry_after: float | None = None

    def __init__(self, detail: str = "", *, retry_after: float | None = None) -> None:
        super().__init__(detail)
        self.detail = detail
        self.retry_after = self.default_retry_after if retry_after is None else retry_after

    @property
    def reason(self) -> str:
        """Why something pauses, as a stable word."""
        return self.code


class Unavailable(MarketplaceError):
    """No usable answer: connection refused, cut or too slow, or a 5xx."""

    code = "unavailable"


class NoPace(MarketplaceError):
    """Our own pace left no room in time, or could not be asked: nothing was sent.

    Never held against the marketplace.
    """

    code = "no_pace"


class NotSent(MarketplaceError):
    """Our own rules kept an order back: the account is paused or gone, or may not spend. Nothing was sent.

    Raised by the core, never by a plugin.
    """

    code = "not_sent"


class Throttled(MarketplaceError):
    """The marketplace says "too often" (429)."""

    code = "throttled"
    pauses = Pauses.MARKETPLACE
    default_retry_after = 90.0


class Blocked(MarketplaceError):
    """The marketplace refuses us as a whole: a block page, a 403 on search, HTML where data belongs."""

    code = "blocked"
    pauses = Pauses.MARKETPLACE
    tells = Tells.OPERATOR
    default_retry_after = 1800.0


class ChallengeRequired(MarketplaceError):
    """A person must prove something at the marketplace; without an account all of the marketplace waits."""

    code = "challenge_required"
    pauses = Pauses.ACCOUNT
    tells = Tells.USER
    default_retry_after = 600.0


class SignInNeeded(MarketplaceError):
    """Credentials or proofs were not accepted (401); without an account all of the marketplace waits."""

    code = "sign_in_needed"
    pauses = Pauses.ACCOUNT
    tells = Tells.USER
    default_retry_after = 600.0


class LayoutChanged(MarketplaceError):
    """The answer cannot be read: truncated, another layout, another charset. Never "nothing found"."""

    code = "layout_changed"
    pauses = Pauses.TARGET
    tells = Tells.OPERATOR


class SuspectEmpty(MarketplaceError):
    """An empty page where rows are usual: a soft block until proven otherwise."""

    code = "suspect_empty"
    pauses = Pauses.TARGET


class SuspectStale(MarketplaceError):
    """The newest listing of a busy search stays the newest, check after check: an old answer until proven otherwise."""

    code = "suspect_stale"
    pauses = Pauses.TARGET


class ListingGone(MarketplaceError):
    """The listing exists no more."""

    code = "listing_gone"


class Refused(MarketplaceError):
    """A listed refusal; ``kind`` is the contract's word for it, and its consequence is that of the kind.

    A plugin raises it before it commits, or for a whole answer that it knows as this refusal; never for a guess.
    """

    code = "refused"
    tells = Tells.USER

    def __init__(self, kind: RefusalKind, detail: str = "") -> None:
        consequence = CONSEQUENCES[RefusalKind(kind)]
        super().__init__(detail, retry_after=consequence.seconds)
        self.kind = RefusalKind(kind)
        self.pauses, self.tells = consequence.pauses, consequence.tells

    @property
    def reason(self) -> str:
        """The kind's word."""
        return self.kind.value


class OutcomeUnknown(MarketplaceError):
    """The request that can spend was sent and its outcome is not known."""

    code = "outcome_unknown"
    pauses = Pauses.ACCOUNT
    tells = Tells.USER


class PluginFault(MarketplaceError):
    """The plugin raised something it must not, or did not return what it promised."""

    code = "plugin_fault"
    pauses = Pauses.TARGET
    tells = Tells.OPERATOR
