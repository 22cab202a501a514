"""What it means when the page of a listing shows no listing. Pure.

Only the site itself may say that a listing is gone: by its sentence, by a 404 that nothing else explains, or by sending
to another of its own pages. A wall, a page of another kind and another site say nothing about the listing.
"""

from urllib.parse import urljoin, urlsplit

from selectolax.lexbor import LexborHTMLParser

from monitor_site.contract import Answer, ChallengeRequired, LayoutChanged, ListingGone, MarketplaceError, SignInNeeded

from .manifest import MANIFEST
from .page import tree_of, words_of
from .refusals import GONE, LOGIN, wall

REDIRECTS = frozenset({301, 302, 303, 307, 308})
_LISTS = ".Products, [data-auction-id]"


def sent_away(answer: Answer, external_id: str) -> MarketplaceError:
    """What a redirect means that was not followed."""
    try:
        target = urljoin(answer.url, answer.headers.get("location", ""))
    except ValueError:
        return LayoutChanged("sent to what is no address")
    if LOGIN in target:
        return SignInNeeded("sent to the login")
    if "captcha" in target:
        return ChallengeRequired("sent to a captcha")
    if not _is_at_home(target, answer.url) or is_of(target, external_id):
        return LayoutChanged(f"sent to {target:.120}, which says nothing about the listing")
    return ListingGone(f"sent to {target:.120}")


def instead(answer: Answer, text: str, external_id: str) -> MarketplaceError:
    """What a whole page without the data of a listing is."""
    tree = tree_of(text)
    if tree.css_first("#itemTitle") is not None:
        return LayoutChanged("a listing, but nothing to read it from")
    moved = not is_of(answer.url, external_id)
    # Titles in a list may say anything, so they are not searched for words.
    if moved and tree.css_first(_LISTS) is not None:
        return ListingGone(f"led to {answer.url:.120}")
    return _by_words(answer, tree, moved=moved)


def is_of(url: str, external_id: str) -> bool:
    """Whether an address is that of a listing, or of something below it."""
    try:
        return f"{urlsplit(url).path}/".startswith(f"/jp/auction/{external_id}/")
    except ValueError:
        return False


def _by_words(answer: Answer, tree: LexborHTMLParser, *, moved: bool) -> MarketplaceError:
    found = wall(tree)
    # The sentence goes before the others: the frame around it may speak of maintenance to come.
    if not isinstance(found, ChallengeRequired | SignInNeeded) and GONE in words_of(tree):
        return ListingGone(f"says so, with status {answer.status}")
    if found is not None:
        return found
    if moved or answer.status == 404:
        return ListingGone(f"status {answer.status} at {answer.url:.120}")
    return LayoutChanged("neither a listing nor a word why")


def _is_at_home(target: str, asked: str) -> bool:
    """Whether it is a page of the marketplace, as its practice market is too."""
    try:
        host, own = urlsplit(target).hostname, urlsplit(asked).hostname
    except ValueError:
        return False
    return host == own or host in MANIFEST.hosts
