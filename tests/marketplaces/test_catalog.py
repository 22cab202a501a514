"""Plugins that work are listed, plugins that do not are listed as broken, and no plugin takes the site down."""

import importlib
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from monitor_site.contract import Pace
from monitor_site.marketplaces import catalog as module
from monitor_site.marketplaces.catalog import Catalog, UnknownMarketplace, catalog, load_catalog

from .loopback import plugin, shelf

WHOLE = """
from monitor_site.contract import *

class Market:
    def __init__(self, session): self.session = session
    async def search(self, criteria, *, page_token=None): return SearchPage(sightings=())

MANIFEST = dict(
    name="NAME", title={"en": "Title"}, contract=1, home="https://www.bazaar.example", hosts=("api.bazaar.example",),
    picture_hosts=(".pictures.example",), currency="JPY", time_zone="Asia/Tokyo",
    capabilities=frozenset({Capability.SEARCH}), criteria=SearchCriteria, access=Access.PUBLIC_PAGES,
    pace=Pace(per_minute=20, ceiling_per_minute=60, floor_seconds=30), control=SearchCriteria(keyword="x"),
    search_tells=frozenset({"price"}),
)
API = "https://api.bazaar.example"
CONNECT = Market
CHANGES
plugin = Plugin(manifest=Manifest(**MANIFEST), connect=CONNECT, api=API, practice="plugins.NAME.practice")
"""


@pytest.fixture(autouse=True)
def _forget_throw_away_plugins() -> Iterator[None]:
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name.startswith(("plugins.", "bazaar_wheel")):
            del sys.modules[name]


def test_a_folder_with_a_plugin_is_a_marketplace(tmp_path: Path) -> None:
    write(tmp_path, "bazaar")

    found = load_catalog(tmp_path)

    assert list(found.plugins) == ["bazaar"]
    assert found.get("bazaar").manifest.currency == "JPY"
    assert found.broken == {}


def test_a_plugin_imports_its_own_modules_both_ways(tmp_path: Path) -> None:
    write(tmp_path, "bazaar", "from .words import API as A\nfrom plugins.bazaar.words import API as B\nassert A is B")
    (tmp_path / "bazaar" / "words.py").write_text("API = object()")

    assert list(load_catalog(tmp_path).plugins) == ["bazaar"]


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ("raise RuntimeError('no\\nluck')", "RuntimeError: no luck"),
        ("import nothing_of_this_name", "ModuleNotFoundError: No module named 'nothing_of_this_name'"),
        ("def broken(:", "SyntaxError"),
        ("import sys; sys.exit(3)", "SystemExit: 3"),
        ("raise BaseException", "BaseException"),
        ("class Mute(Exception):\n    def __str__(self): raise SystemExit\nraise Mute", "Mute"),
        ("import asyncio; raise asyncio.CancelledError", "CancelledError"),
        ("def deeper(): deeper()\ndeeper()", "RecursionError"),
        ("raise ValueError('x' * 5000)", "ValueError: xxx"),
        ("class Plugin:\n    def __init__(self, **_): pass", "has no `plugin`"),
        ("MANIFEST['name'] = 'other'", "manifest is called 'other'"),
        ("MANIFEST['contract'] = 2", "contract 2, this site speaks 1"),
        ("MANIFEST['contract'] = '1'", "contract 1, this site speaks 1"),
        ("MANIFEST['capabilities'] = frozenset({Capability.SEARCH, Capability.BUY})", "declares buy, search"),
        ("MANIFEST['capabilities'] = frozenset()", "declares nothing and offers search"),
        ("Market.buy = lambda self: None", "offers buy, search"),
        ("CONNECT = lambda session: None", "offers nothing"),
        ("CONNECT = lambda session: 1 / 0", "ZeroDivisionError"),
        ("CONNECT = None", "TypeError"),
        ("MANIFEST['currency'] = 'yen'", "currency 'yen'"),
        ("MANIFEST['title'] = {}", "no title"),
        ("MANIFEST['home'] = 'http://www.bazaar.example'", "home address"),
        ("API = 'api.bazaar.example'", "api address"),
        ("MANIFEST['hosts'] = ()", "names no host"),
        ("MANIFEST['hosts'] = ('https://api.bazaar.example',)", "hosts are not all names"),
        ("MANIFEST['hosts'] = ('API.bazaar.example',)", "hosts are not all names"),
        ("MANIFEST['picture_hosts'] = ('.',)", "hosts are not all names"),
        ("MANIFEST['picture_hosts'] = ('.jp',)", "hosts are not all names"),
        ("MANIFEST['hosts'] = 'api.bazaar.example'", "hosts are not all names"),
        ("MANIFEST['criteria'] = dict", "criteria are not"),
        ("MANIFEST['control'] = 'x'", "control question"),
        ("MANIFEST['pace'] = Pace(per_minute=0, ceiling_per_minute=1, floor_seconds=1)", "pace makes no sense"),
        ("MANIFEST['pace'] = Pace(per_minute=9, ceiling_per_minute=1, floor_seconds=1)", "pace makes no sense"),
        ("MANIFEST['pace'] = Pace(per_minute=1, ceiling_per_minute=1, floor_seconds=0)", "pace makes no sense"),
        ("MANIFEST['pace'] = None", "AttributeError"),
        ("class Manifest:\n    def __init__(self, **_): pass", "manifest is not"),
    ],
)
def test_a_plugin_that_is_not_whole_stays_listed_with_the_reason_and_its_neighbours_work(
    tmp_path: Path, changes: str, reason: str
) -> None:
    write(tmp_path, "aaa_broken", changes)
    write(tmp_path, "bazaar")

    found = load_catalog(tmp_path)

    assert list(found.plugins) == ["bazaar"]
    assert list(found.broken) == ["aaa_broken"]
    assert reason in found.broken["aaa_broken"]
    assert "\n" not in found.broken["aaa_broken"]
    assert len(found.broken["aaa_broken"]) <= 200


def test_a_broken_plugin_is_logged_once_with_its_traceback(tmp_path: Path) -> None:
    write(tmp_path, "bazaar", "raise RuntimeError('no luck')")

    with capture_logs() as lines:
        load_catalog(tmp_path)

    assert [(line["event"], line["plugin"], line["exc_info"]) for line in lines] == [("plugin.broken", "bazaar", True)]


def test_half_an_imported_plugin_is_not_left_behind(tmp_path: Path) -> None:
    write(tmp_path, "bazaar", "from . import words\nraise RuntimeError")
    (tmp_path / "bazaar" / "words.py").write_text("")

    load_catalog(tmp_path)

    assert not [name for name in sys.modules if name.startswith("plugins.bazaar")]


def test_a_name_is_small_and_simple(tmp_path: Path) -> None:
    for name in ("Bazaar", "ba-zaar", "b" * 41, "9bazaar"):
        write(tmp_path, name)

    found = load_catalog(tmp_path)

    assert not found.plugins
    assert all("is no name" in reason for reason in found.broken.values())
    assert len(found.broken) == 4


def test_a_folder_with_python_and_no_init_is_broken_and_one_without_python_is_nothing(tmp_path: Path) -> None:
    (tmp_path / "bazaar").mkdir()
    (tmp_path / "bazaar" / "parse.py").write_text("")
    (tmp_path / "notes").mkdir()
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__init__.py").write_text("")

    assert load_catalog(tmp_path).broken == {"bazaar": "it has no __init__.py"}


def test_no_folder_at_all_is_an_empty_catalog(tmp_path: Path) -> None:
    assert not load_catalog(tmp_path / "nowhere").plugins


@pytest.mark.parametrize("value", ["bazaar_wheel", "bazaar_wheel:plugin"])
def test_an_installed_package_is_found_by_its_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    install(tmp_path, monkeypatch, value)

    found = load_catalog(tmp_path / "nowhere")

    assert list(found.plugins) == ["bazaar"]


def test_of_two_plugins_with_one_name_the_folder_stays_and_the_other_is_listed_as_broken(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, monkeypatch, "bazaar_wheel")
    write(tmp_path / "plugins", "bazaar", "API = 'https://api.bazaar.example/v2'")

    found = load_catalog(tmp_path / "plugins")

    assert found.get("bazaar").api == "https://api.bazaar.example/v2"
    assert list(found.broken) == ["bazaar (bazaar-wheel)"]
    assert "called 'bazaar' already" in found.broken["bazaar (bazaar-wheel)"]


def test_an_entry_point_that_leads_nowhere_is_broken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, "bazaar_wheel.nothing:plugin")

    found = load_catalog(tmp_path / "nowhere")

    assert found.broken["bazaar"].startswith("ModuleNotFoundError")


def test_the_catalog_of_a_process_is_looked_for_once(settings: Any, tmp_path: Path) -> None:
    settings.PLUGIN_DIR = tmp_path
    catalog.cache_clear()
    try:
        assert catalog() is catalog()
        assert isinstance(catalog(), Catalog)
    finally:
        catalog.cache_clear()


def test_threads_that_look_at_once_see_whole_plugins(tmp_path: Path) -> None:
    write(tmp_path, "bazaar", "import time; time.sleep(0.05)")

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(load_catalog, [tmp_path] * 4))

    assert [list(each.plugins) for each in found] == [["bazaar"]] * 4
    assert len({id(each.get("bazaar")) for each in found}) == 1


def test_a_plugin_somebody_imported_already_is_the_same_plugin(settings: Any) -> None:
    known = importlib.import_module("plugins.mercari")

    assert load_catalog(settings.PLUGIN_DIR).get("mercari") is known.plugin


def test_an_unknown_marketplace_is_a_lookup_error_with_its_name() -> None:
    with pytest.raises(UnknownMarketplace, match="nowhere") as raised:
        shelf().get("nowhere")

    assert isinstance(raised.value, LookupError)


def test_a_title_is_in_the_persons_language_and_never_missing() -> None:
    known = shelf(plugin())

    titles = [known.title("bazaar", "ja"), known.title("bazaar", "zh-hans"), known.title("gone", "ja")]

    assert titles == ["バザール", "Bazaar", "gone"]


def test_the_pace_is_the_manifests_and_a_practice_market_bears_more(settings: Any) -> None:
    calm = Pace(per_minute=20, ceiling_per_minute=60, floor_seconds=30, concurrency=1)
    known = shelf(plugin(pace=calm))
    settings.PRACTICE_MARKETS = {}
    assert known.pace("bazaar") == calm

    settings.PRACTICE_MARKETS = {"bazaar": "http://127.0.0.1:9000/"}

    pace = known.pace("bazaar")
    assert (pace.per_minute, pace.concurrency) == (settings.PRACTICE_PACE_PER_MINUTE, settings.PRACTICE_CONCURRENCY)
    assert pace.floor_seconds == 1
    assert known.practice_address("bazaar") == "http://127.0.0.1:9000"


def test_an_interrupt_from_the_keyboard_is_not_blamed_on_a_plugin(tmp_path: Path) -> None:
    write(tmp_path, "bazaar", "raise KeyboardInterrupt")

    with pytest.raises(KeyboardInterrupt):
        load_catalog(tmp_path)


def write(plugin_dir: Path, name: str, changes: str = "") -> None:
    folder = plugin_dir / name
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text(WHOLE.replace("NAME", name).replace("CHANGES", changes), encoding="utf-8")


def install(folder: Path, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    """What installing a wheel leaves behind."""
    package, info = folder / "bazaar_wheel", folder / "bazaar_wheel-1.dist-info"
    package.mkdir()
    info.mkdir()
    (package / "__init__.py").write_text(WHOLE.replace("NAME", "bazaar").replace("CHANGES", ""), encoding="utf-8")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: bazaar-wheel\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[{module.GROUP}]\nbazaar = {value}\n")
    monkeypatch.syspath_prepend(folder)
    importlib.invalidate_caches()
