"""Rules about answers that are none: each is the right error, and none of them is ever "nothing found"."""

from collections.abc import Iterator
from typing import Any

from .. import errors
from ..consequence import Pauses
from ..errors import Blocked, LayoutChanged, ListingGone, MarketplaceError, Throttled, Unavailable
from ..manifest import Capability
from .asking import Outcome
from .rule import Rules, demand, fail, never_nothing
from .samples import Sample

PAGE = b"<!DOCTYPE html><html><head><title>-</title></head><body><h1>-</h1></body></html>"
HTML = {"content-type": "text/html; charset=UTF-8"}
JUNK = (b"", b" \n", b"null", b"[]", b"{}", b'"', b"\x00\xff\xfe", b"<html></html>", PAGE)
CUTS = tuple(tenth / 10 for tenth in range(1, 10))
TAILS = (1, 2, 8, 30)
STOPS = {Pauses.MARKETPLACE, Pauses.ACCOUNT}


class AboutRefusals(Rules):
    """Blocks, other layouts, cut and foreign bytes, and what status codes mean."""

    def test_a_block_is_blocked(self) -> None:
        """A block stops us; it is neither an empty page nor a broken layout."""
        for outcome in self.outcomes("blocked"):
            declared = _named(outcome.sample.raises or "Blocked")
            right = isinstance(outcome.error, declared) and outcome.error.pauses in STOPS
            demand(
                right,
                f"{outcome.sample.file}: a block must raise Blocked, or another error that stops: {outcome.words}",
            )

    def test_a_foreign_layout_is_a_changed_layout(self) -> None:
        """What we cannot read we say we cannot read."""
        for outcome in self.outcomes("foreign"):
            right = isinstance(outcome.error, LayoutChanged)
            demand(right, f"{outcome.sample.file}: a foreign layout must raise LayoutChanged: {outcome.words}")

    def test_a_listing_that_is_gone_is_gone(self) -> None:
        """The one answer that ends a listing."""
        self.needs(Capability.LOOK)
        for outcome in self.outcomes("gone"):
            right = isinstance(outcome.error, ListingGone)
            demand(right, f"{outcome.sample.file}: a listing that is gone must raise ListingGone: {outcome.words}")

    def test_nothing_but_its_own_answer_says_that_a_listing_is_gone(self) -> None:
        """A block or an outage taken for "gone" would end what people follow."""
        self.needs(Capability.LOOK)
        spoilt = (
            sample.answered(status=status, body=PAGE, headers=HTML)
            for sample in self._full()
            for status in (403, 429, 503)
        )
        for sample in (*self.samples("blocked", "foreign", able=Capability.LOOK), *spoilt):
            outcome = self.outcome(sample)
            gone = isinstance(outcome.error, ListingGone)
            demand(
                not gone, f"a block, an outage or another layout ended a listing: {sample.file}, {sample.answer.status}"
            )

    def test_a_cut_answer_is_never_a_shorter_one(self) -> None:
        """Half a page must not pass for a page, nor for an empty one."""
        for sample in self._full():
            whole = self.outcome(sample)
            for length in _cuts(len(sample.answer.body)):
                cut = self.outcome(sample.answered(body=sample.answer.body[:length]))
                never_nothing(cut, f"an answer cut after {length} of {len(sample.answer.body)} bytes")
                honest = cut.refused or cut.found == whole.found or getattr(cut.found, "bad_rows", ())
                demand(honest, f"{sample.file} cut after {length} bytes passes for a whole answer: {cut.words}")

    def test_junk_is_never_nothing_found(self) -> None:
        """An empty body, half a document, a foreign document."""
        for sample in self._full():
            for junk in JUNK:
                never_nothing(self.outcome(sample.answered(body=junk)), f"the body {junk!r:.20}")

    def test_another_charset_is_read_right_or_not_at_all(self) -> None:
        """Garbled titles match nothing, and nobody notices."""
        for sample in self._full():
            for plain, changed, charset in _transcoded(sample):
                got = self.outcome(changed)
                never_nothing(got, f"the charset {charset}")
                right = got.refused or _titles(got) == _titles(self.outcome(plain))
                demand(right, f"{sample.file} in {charset} is read as garbled text")

    def test_asked_too_often_is_throttled_for_as_long_as_it_says(self) -> None:
        """429 with ``Retry-After`` waits that long, and 429 alone waits too."""
        for outcome in self._answered(429, headers={"retry-after": "7"}):
            right = isinstance(outcome.error, Throttled) and outcome.error.retry_after == 7
            demand(right, f"429 with Retry-After: 7 must raise Throttled(retry_after=7): {outcome.words}")
        for outcome in self._answered(429):
            demand(isinstance(outcome.error, Throttled), f"429 must raise Throttled: {outcome.words}")

    def test_a_broken_server_is_unavailable(self) -> None:
        """Any 5xx, whatever its body."""
        for status in (500, 502, 503, 504):
            for outcome in self._answered(status):
                right = isinstance(outcome.error, Unavailable)
                demand(right, f"status {status} must raise Unavailable: {outcome.words}")

    def test_a_forbidden_search_is_blocked(self) -> None:
        """403 on a search is meant for us, not for the question."""
        for outcome in self._answered(403, able=Capability.SEARCH):
            right = isinstance(outcome.error, Blocked)
            demand(right, f"status 403 on a search must raise Blocked: {outcome.words}")

    def test_a_redirect_elsewhere_is_never_nothing_found(self) -> None:
        """The session does not follow it; to a login or a wall it leads."""
        for outcome in self._answered(302, headers={"location": "https://elsewhere.example/"}, body=b""):
            gone = isinstance(outcome.error, ListingGone)
            demand(outcome.refused and not gone, f"a redirect elsewhere must raise an error: {outcome.words}")

    def test_an_unknown_status_is_never_nothing_found(self) -> None:
        """What a search does not know it says."""
        for status in (204, 400, 404, 410, 418):
            for outcome in self._answered(status, able=Capability.SEARCH):
                never_nothing(outcome, f"status {status}")

    def _full(self) -> list[Sample]:
        return self.some("full")

    def _answered(
        self, status: int, *, headers: dict[str, str] | None = None, body: bytes = PAGE, able: Capability | None = None
    ) -> Iterator[Outcome]:
        """What each full sample's question gives when it is answered like this."""
        for sample in self.some("full", able=able):
            yield self.outcome(sample.answered(status=status, headers=HTML | (headers or {}), body=body))


def _named(name: str) -> type[MarketplaceError]:
    found: object = getattr(errors, name, None)
    if not isinstance(found, type) or not issubclass(found, MarketplaceError):
        fail(f"a sample raises {name!r}, which is no error of the contract")
    return found


def _cuts(length: int) -> list[int]:
    return sorted({int(length * part) for part in CUTS} | {max(length - tail, 0) for tail in TAILS})


def _titles(outcome: Outcome) -> list[tuple[Any, Any]]:
    return [(getattr(row, "external_id", None), getattr(row, "title", None)) for row in outcome.rows]


def _transcoded(sample: Sample) -> Iterator[tuple[Sample, Sample, str]]:
    """The page as it is, and in another charset: three that the header names, and two that nothing names."""
    text, media = sample.answer.body.decode("utf-8", "replace"), sample.answer.media_type
    for charset, name in (("cp932", "Shift_JIS"), ("euc_jp", "EUC-JP"), ("cp1252", "windows-1252")):
        body = text.encode(charset, "ignore")
        headers = {**sample.answer.headers, "content-type": f"{media}; charset={name}"}
        plain = sample.answered(body=body.decode(charset).encode())
        yield plain, sample.answered(body=body, headers=headers), name
        if charset == "cp932":
            yield plain, sample.answered(body=body, headers={**headers, "content-type": media}), f"{name}, unsaid"
    yield sample, sample.answered(body=text.encode("utf-16")), "UTF-16, unsaid"
