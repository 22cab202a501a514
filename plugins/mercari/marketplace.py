"""Mercari, connected: asks with a fresh proof, hands the answer to the parser."""

import uuid
from functools import partial

from monitor_site.contract import Answer, SearchCriteria, SearchPage, Session

from .ask import SEARCH_PATH, search_body, search_headers
from .manifest import MercariCriteria
from .parse import read_search
from .proof import Prover


def connect(session: Session) -> "Mercari":
    """Mercari over ``session``; makes a key, touches no network."""
    return Mercari(session)


class Mercari:
    """One connection: one key, one client id, a fresh proof for every request."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._prover = Prover()
        self._device = uuid.uuid4().hex

    async def search(self, criteria: SearchCriteria, *, page_token: str | None = None) -> SearchPage:
        """One page of things on sale, newest first as far as Mercari can: neighbours may be swapped.

        Called when: a check runs or a person previews; ``page_token`` is ``next_token`` of the page before.
        Returns: a page; an empty one only when Mercari really said so.
        Raises: Unavailable, NoPace, Throttled, Blocked, SignInNeeded, LayoutChanged.
        Must never: drop a page for one bad row, sleep, or write to the marketplace. The one thing it asks again is
        a search whose proof was not accepted, once, with a new key.
        """
        asked = _own(criteria)
        answer = await self._ask(asked, page_token)
        if answer.status == 401:
            self._prover = Prover()
            answer = await self._ask(asked, page_token)
        reader = partial(read_search, criteria=asked, now=self._session.now(), web=self._session.web)
        return await self._session.read(reader, answer)

    async def _ask(self, criteria: MercariCriteria, page_token: str | None) -> Answer:
        url = self._session.base + SEARCH_PATH
        proof = self._prover.proof(method="POST", url=url, now=self._session.now())
        body = search_body(criteria, page_token=page_token, session=uuid.uuid4().hex, device=self._device)
        return await self._session.post(url, json=body, headers=search_headers(proof))


def _own(criteria: SearchCriteria) -> MercariCriteria:
    return criteria if isinstance(criteria, MercariCriteria) else MercariCriteria(keyword=criteria.keyword)
