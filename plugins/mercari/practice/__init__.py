"""Mercari's practice market: a server that plays the search over real HTTP, with a world that moves by itself."""

from pathlib import Path

from monitor_site.contract.practice import Clock

from .app import MercariMarket
from .deals import REFRESH, SECRET
from .truth import MinuteTruth
from .world import World

__all__ = ["account", "create", "default"]

_ADDRESS = {
    "family_name": "山田",
    "first_name": "花子",
    "family_name_kana": "ヤマダ",
    "first_name_kana": "ハナコ",
    "telephone": "0300000000",
    "zip_code": "100-0001",
    "prefecture": "東京都",
    "city": "千代田区",
    "address1": "千代田1-1",
}


def account(buyer: str = "alice") -> dict[str, str]:
    """The settings of an account that this practice market knows; every name is another buyer."""
    return {"client_id": f"partner-{buyer}", "client_secret": SECRET, "refresh_token": f"{REFRESH}{buyer}", **_ADDRESS}


def create(*, seed: int, truth_log: Path | None, index_lag: float = 1.0) -> MercariMarket:
    """A practice market as ASGI application.

    ``seed`` decides the catalogue; ``truth_log`` is appended to as JSON lines, ``None`` keeps only the tail in memory;
    ``index_lag`` is how many seconds a new listing stays invisible in search (the real one needs about 55).
    """
    clock = Clock()
    return MercariMarket(World(seed=seed, clock=clock, truth=MinuteTruth(clock, truth_log), index_lag=index_lag))


def default() -> MercariMarket:
    """For ``uvicorn --factory plugins.mercari.practice:default``: seed 1, no file."""
    return create(seed=1, truth_log=None)
