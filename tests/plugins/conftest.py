"""A session that reaches the practice market of whichever plugin is tested."""

from collections.abc import AsyncIterator

import httpx
import pytest

from tests.plugins.standins import Market, PlainSession, patient


@pytest.fixture
async def session(market: Market) -> AsyncIterator[PlainSession]:
    async with httpx.AsyncClient(timeout=patient(), verify=False) as client:
        yield PlainSession(market.base, client)
