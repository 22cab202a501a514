"""Rules about how a plugin asks: by the session, its own hosts, once, without waiting."""

from urllib.parse import urlsplit

from ..errors import MarketplaceError
from ..rules import host_matches, in_words
from .rule import Rules, demand
from .session import Request

OURS = {"accept-encoding", "connection", "content-length", "host", "te", "trailer", "transfer-encoding", "upgrade"}
"""Headers that the session sets itself."""


class AboutManners(Rules):
    """What is asked for each sample, and what happens beside it."""

    def test_it_has_no_way_out_but_the_session(self) -> None:
        """No socket, no process, no file of its own."""
        for outcome in self.outcomes():
            deeds = outcome.guard.deeds
            demand(not deeds, f"asked behind the session's back, reading {outcome.sample.file}: {'; '.join(deeds)}")

    def test_it_never_sleeps(self) -> None:
        """Pace and waiting are the core's."""
        for outcome in self.outcomes():
            sleeps = outcome.guard.sleeps
            demand(not sleeps, f"a plugin never sleeps or waits; reading {outcome.sample.file} it {'; '.join(sleeps)}")

    def test_it_asks_the_hosts_of_its_manifest_only(self) -> None:
        """The session would refuse any other, and plain http."""
        for request in self._requests():
            parts = urlsplit(request.url)
            own = parts.scheme == "https" and host_matches(parts.hostname or "", self.plugin.manifest.hosts)
            demand(own, f"asked {request.url[:200]}, which is not https on a host the manifest names")

    def test_it_leaves_the_sessions_headers_alone(self) -> None:
        """Host, lengths and encodings belong to the connection."""
        for request in self._requests():
            taken = sorted(name for name in request.headers if name.lower() in OURS)
            demand(not taken, f"sent a header that is the session's own: {', '.join(taken)}")

    def test_it_asks_once_for_each_question(self) -> None:
        """One question is one request; the pace counts on it."""
        for outcome in self.outcomes():
            made = len(outcome.asked)
            demand(made == 1, f"{outcome.sample.capability} must be one request; {outcome.sample.file} took {made}")

    def test_it_asks_at_most_once_more_with_a_new_proof(self) -> None:
        """After 401 a search may renew what it signs with, once; after anything else it never asks again."""
        for sample in self.some("full"):
            for status, most in ((401, 2), (429, 1), (500, 1), (403, 1)):
                made = len(self.outcome(sample.answered(status=status, body=b"")).asked)
                demand(
                    made <= most, f"a retry is the core's: {sample.capability} asked {made} times after status {status}"
                )

    def test_it_raises_errors_of_the_contract_only(self) -> None:
        """Anything else tells nobody what to do."""
        for outcome in self.outcomes():
            fine = outcome.error is None or isinstance(outcome.error, MarketplaceError)
            why = in_words(outcome.error) if outcome.error else ""
            demand(fine, f"{outcome.sample.file} raised {why}, which is no error of the contract")

    def _requests(self) -> list[Request]:
        """All requests that all samples cause."""
        return [request for outcome in self.outcomes() for request in outcome.asked]
