"""Rules about how a plugin asks: by the session, its own hosts, once, without waiting."""

import re
from dataclasses import Field, fields, replace
from typing import Any
from urllib.parse import urlsplit

import pytest

from ..errors import MarketplaceError
from ..fields import AccountSettings
from ..rules import host_matches, in_words
from .about_itself import CANARY
from .asking import Outcome, ask
from .rule import Rules, demand
from .session import Request

_RANDOM = re.compile(r"[0-9a-fA-F-]{16,64}")
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
            for status, most in ((401, 2), (429, 1), (500, 1), (403, 1), (301, 1), (302, 1), (307, 1)):
                elsewhere = {**sample.answer.headers, "location": f"{self.plugin.api}/elsewhere"}
                made = len(self.outcome(sample.answered(status=status, body=b"", headers=elsewhere)).asked)
                demand(
                    made <= most, f"a retry is the core's: {sample.capability} asked {made} times after status {status}"
                )

    def test_the_next_page_is_asked_for_by_its_token(self) -> None:
        """Else every page is the first, and what is further down is never seen."""
        for first in self.outcomes("full"):
            token = getattr(first.found, "next_token", None)
            if token is None:
                continue
            second = self.outcome(replace(first.sample, page_token=token))
            fine = second.error is None or isinstance(second.error, MarketplaceError)
            demand(fine, f"{first.sample.capability} cannot be asked for page {token!r}: {second.words}")
            demand(_bare(second) != _bare(first), f"{first.sample.capability} asks for page {token!r} as for the first")

    def test_every_request_counts_in_the_pace(self) -> None:
        """A request may weigh more than one, never less."""
        for request in self._requests():
            fine = type(request.weight) is int and request.weight >= 1
            demand(
                fine, f"the weight of a request is a whole number from 1, not {request.weight!r}: {request.url[:200]}"
            )

    def test_no_secret_gets_into_what_it_says(self) -> None:
        """The words of an error go to the log, what is found to people."""
        secrets = [spec.name for spec in fields(self.plugin.manifest.settings or AccountSettings) if _is_secret(spec)]
        if not secrets:
            pytest.skip("its accounts have no secrets")
        account = replace(self.account or AccountSettings(), **dict.fromkeys(secrets, CANARY))
        spoilt = [sample.answered(status=status) for sample in self.samples("full") for status in (401, 403, 429, 500)]
        for sample in self.some() + spoilt:
            outcome = ask(self.plugin, sample, account)
            said = f"{outcome.error} {outcome.error!r} {outcome.found!r}"
            demand(
                CANARY not in said, f"a secret of the account gets into what it says of {sample.file}: {outcome.words}"
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


def _is_secret(spec: "Field[Any]") -> bool:
    return bool(spec.metadata.get("secret"))


def _bare(outcome: Outcome) -> list[tuple[str, Any]]:
    """What was asked, without proofs and other things that differ each time."""
    return [(request.url, _without_ids(request.json)) for request in outcome.asked]


def _without_ids(json: Any) -> Any:
    """A body without the random ids that some marketplaces want in it."""
    if not isinstance(json, dict):
        return json
    return {name: value for name, value in json.items() if not (isinstance(value, str) and _RANDOM.fullmatch(value))}
