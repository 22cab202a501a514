"""Asking a practice market by hand, with a proof as good or as bad as a test wants it."""

from monitor_site.contract import Answer
from plugins.mercari.ask import api_headers
from plugins.mercari.proof import Prover
from tests.plugins.standins import PlainSession


async def ask(session: PlainSession, url: str, *, signed: str | None = None, method: str = "GET") -> Answer:
    """Ask with a proof for ``signed`` instead of the address, and for another method."""
    proof = Prover().proof(method=method, url=signed or url, now=session.now())
    return await session.get(url, headers=api_headers(proof))
