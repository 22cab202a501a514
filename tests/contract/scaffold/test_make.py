"""A new plugin works at once, under any name that may be one; nothing is ever written by halves."""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from redis import Redis

from monitor_site.connections import async_redis_client
from monitor_site.contract import SearchCriteria, scaffold
from monitor_site.contract.scaffold import BadName, make, make_plugin
from monitor_site.contract.testing import served
from monitor_site.contract.testing.alone import alone
from monitor_site.marketplaces.catalog import GROUP, load_catalog
from monitor_site.marketplaces.gateway import Gateway, History
from tests.house.source import ROOT

LONGEST = "a_market_with_a_name_as_long_as_they_get"


@pytest.fixture(autouse=True)
def _forget_throw_away_plugins() -> Iterator[None]:
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name.startswith(("plugins.", "flower_market")):
            del sys.modules[name]


def run(*command: str, cwd: Path = ROOT) -> str:
    """What it prints; it must succeed."""
    done = subprocess.run([sys.executable, *command], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("name", ["flower_market", "x", LONGEST])
def test_a_new_plugin_is_a_marketplace(tmp_path: Path, name: str):
    call_command("newplugin", name, into=tmp_path, verbosity=0)

    found = load_catalog(tmp_path)

    assert (list(found.plugins), found.broken) == ([name], {})
    assert found.title(name, "en") == name.replace("_", " ").capitalize()


def test_a_new_plugin_keeps_every_rule(tmp_path: Path):
    folder = make_plugin("flower_market", into=tmp_path)
    assert " passed, 15 skipped" in run("-m", "monitor_site.contract.testing", str(folder))


@pytest.mark.parametrize("name", ["x", LONGEST])
def test_a_new_plugin_is_in_good_style(tmp_path: Path, name: str):
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    make_plugin(name, into=tmp_path / "plugins")

    run("-m", "ruff", "check", "--no-cache", ".", cwd=tmp_path)
    run("-m", "ruff", "format", "--no-cache", "--check", ".", cwd=tmp_path)


def test_a_new_plugin_is_strictly_typed(tmp_path: Path):
    folder = make_plugin("flower_market", into=tmp_path / "plugins")
    strict = ("--strict", "--python-version", "3.11", "--cache-dir", str(tmp_path / "cache"), "--config-file=")
    run("-m", "mypy", *strict, "--explicit-package-bases", str(folder))


def test_nothing_of_the_sample_is_left_in_a_new_plugin(tmp_path: Path):
    folder = make_plugin("flower_market", into=tmp_path)

    texts = {path: path.read_text("utf-8") for path in folder.rglob("*") if path.is_file()}
    assert not [path for path, text in texts.items() if re.search("sample.market", text, re.IGNORECASE)]
    assert {path.name for path in folder.iterdir()} >= {"README.md", "practice.py", "manifest.py", "tests"}


async def test_the_core_asks_a_new_plugin_for_its_practice_market(tmp_path: Path, settings: Any, redis: Redis):
    make_plugin("flower_market", into=tmp_path)
    catalog, client = load_catalog(tmp_path), async_redis_client()
    create = import_module(catalog.get("flower_market").practice).create

    with served(create, tmp_path / "truth.jsonl") as market:
        settings.PRACTICE_MARKETS = {"flower_market": market.base}
        gateway = Gateway(redis=client, catalog=catalog)
        question, first = SearchCriteria(keyword="薔薇"), History(known=frozenset(), usual=False, empty_streak=0)
        found = await gateway.search(marketplace="flower_market", criteria=question, history=first)
        newest = found.sightings[0]
        looked = await gateway.look(marketplace="flower_market", external_id=newest.external_id)
        await gateway.close()
    await client.aclose()

    assert (len(found.sightings), found.bad_rows) == (20, 0)
    assert looked.sightings[0].price == newest.price
    assert newest.url == f"{market.base}/item/{newest.external_id}"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("", "no name"),
        ("Flower", "small letters"),
        ("flower-market", "small letters"),
        ("9lives", "begin with a small letter"),
        ("_hidden", "begin with a small letter"),
        ("../flower", "no name"),
        ("花", "no name"),
        ("a" * 41, "at most 40"),
        ("flower_", "single _ between words"),
        ("flower__market", "single _ between words"),
        ("class", "taken"),
        ("match", "taken"),
        ("json", "taken"),
        ("plugins", "taken"),
    ],
)
def test_a_bad_name_is_refused_in_words_and_nothing_is_written(tmp_path: Path, name: str, reason: str):
    with pytest.raises(CommandError, match=reason) as refused:
        call_command("newplugin", name, into=tmp_path, verbosity=0)

    assert str(refused.value).endswith("Nothing was written.")
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_exists_is_left_as_it_is(tmp_path: Path):
    (tmp_path / "flower_market").mkdir()
    (tmp_path / "flower_market" / "mine.txt").write_text("mine")

    with pytest.raises(CommandError, match="exists already"):
        call_command("newplugin", "flower_market", into=tmp_path, verbosity=0)

    assert [path.name for path in tmp_path.rglob("*")] == ["flower_market", "mine.txt"]


def test_a_failure_half_way_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def full(text: str, name: str) -> str:
        raise OSError("no space left")

    monkeypatch.setattr(make, "_renamed", full)
    with pytest.raises(OSError, match="no space"):
        make_plugin("flower_market", into=tmp_path)

    assert list(tmp_path.iterdir()) == []


def test_the_name_of_the_sample_itself_is_no_name(tmp_path: Path):
    with pytest.raises(BadName):
        make_plugin(make.SAMPLE.name, into=tmp_path)
    assert make.SAMPLE.parent == Path(scaffold.__file__).parent


def test_a_new_plugin_ships_as_a_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """As pip installs one: the package, and its metadata with the entry point beside it."""
    site = tmp_path / "site-packages"
    make_plugin("flower_market", into=site)
    info = site / "flower_market-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: flower-market\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(f"[{GROUP}]\nflower_market = flower_market\n")
    monkeypatch.syspath_prepend(str(site))

    found = load_catalog(tmp_path / "no-folder")

    assert (list(found.plugins), found.broken) == (["flower_market"], {})
    plugin = found.get("flower_market")
    assert plugin.practice == "flower_market.practice"
    seen = alone(plugin, site / "flower_market" / "tests" / "answers", seed=1)
    assert (seen["deeds"], len(seen["read"])) == ([], 4)
