"""The parts of the kit: it needs little, reads lists of samples strictly, and sees what happens behind its back."""

import asyncio
import gc
import json
import locale
import os
import socket
import subprocess
import sys
import threading
import time
from dataclasses import replace
from datetime import UTC, date, datetime
from pathlib import Path
from time import sleep as nap
from typing import Any

import pytest

from monitor_site.contract import Unavailable, scaffold
from monitor_site.contract.scaffold.sample_market import practice
from monitor_site.contract.testing import PlainSession, plugin_in, quiet, samples_in, served
from monitor_site.contract.testing.asking import run
from monitor_site.contract.testing.guard import NotAllowed, guarded
from monitor_site.contract.testing.origin import origin_of
from tests.house.source import ROOT
from tests.nowhere import closed_port

SAMPLE = Path(scaffold.__file__).parent / "sample_market"
PLUGIN = plugin_in(SAMPLE)


def test_the_kit_needs_neither_django_nor_a_client_nor_redis():
    heavy = ("django", "httpx", "redis", "rq", "structlog")
    script = f"import sys, monitor_site.contract.testing; print(sorted(set({heavy!r}) & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize("path", [[], ["no/such/folder"]])
def test_a_run_over_nothing_says_how_it_is_used(path: list[str]):
    command = [sys.executable, "-m", "monitor_site.contract.testing", *path]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("usage: ")


def connect() -> None:
    with socket.socket() as one:
        one.connect(("127.0.0.1", 9))


@pytest.mark.parametrize(
    ("deed", "words"),
    [
        (connect, "socket.connect"),
        (lambda: socket.getaddrinfo("127.0.0.1", 1), "socket.getaddrinfo"),
        (lambda: subprocess.Popen(["true"]), "subprocess.Popen"),
        (lambda: os.system("true"), "os.system"),
        (lambda: Path("never-written").write_text("x"), "open never-written"),
        (lambda: os.open("never-written", os.O_CREAT), "open never-written"),
        (lambda: Path("never-made").mkdir(), "os.mkdir never-made"),
        (lambda: threading.Thread(target=str).start(), "started a thread"),
        (lambda: locale.setlocale(locale.LC_TIME, "C"), "changed the locale"),
    ],
)
def test_what_touches_the_world_is_stopped_and_seen(deed: Any, words: str):
    with guarded() as guard, pytest.raises(NotAllowed):
        deed()
    assert [seen.startswith(words) for seen in guard.deeds] == [True]
    assert not guard.sleeps


def test_reading_and_computing_is_nobodys_business(tmp_path: Path):
    known = tmp_path / "known"
    known.write_text("x")
    with guarded() as guard:
        assert known.read_text() == "x"
        run(lambda: asyncio.sleep(0))
    assert guard.deeds + guard.sleeps == []
    known.write_text("after the block everything is allowed again")


def test_what_others_have_left_is_not_held_against_the_plugin(tmp_path: Path):
    class Left:
        def __del__(self) -> None:
            (tmp_path / "late").mkdir()

    left = Left()
    left.itself = left  # type: ignore[attr-defined]
    del left
    with guarded() as guard:
        assert len([[] for _ in range(100_000)]) == 100_000
    assert guard.deeds == []
    gc.collect()
    assert (tmp_path / "late").is_dir()


@pytest.mark.parametrize("look", [time.time, datetime.now, date.today, lambda: datetime.now(UTC)])
def test_whoever_looks_at_the_clock_is_seen_and_not_stopped(look: Any):
    with guarded() as guard:
        assert look()
    assert guard.clocks == [f"in {__name__}"]


def test_asking_for_the_locale_as_reading_a_date_does_is_nothing():
    with guarded() as guard:
        assert datetime.strptime("21.09.2026", "%d.%m.%Y").year == 2026  # noqa: DTZ007
    assert guard.deeds + guard.clocks == []


@pytest.mark.parametrize("wait", [time.sleep, nap])
def test_sleeping_is_seen_under_any_name(wait: Any):
    with guarded() as guard, pytest.raises(NotAllowed):
        wait(1)
    assert guard.sleeps == ["slept"]


def test_waiting_on_the_event_loop_is_seen_and_a_time_limit_is_none():
    async def limited() -> None:
        async with asyncio.timeout(5):
            await asyncio.sleep(0)

    async def waiting() -> None:
        waits = asyncio.sleep
        await waits(0.001)

    with guarded() as guard:
        run(limited)
        assert guard.sleeps == []
        run(waiting)
    assert guard.sleeps == ["waited 0.001 s"]


def test_the_control_end_says_why_it_does_not_do_something(tmp_path: Path):
    with served(practice.create, tmp_path / "truth.jsonl") as market, quiet(market):
        with pytest.raises(ValueError, match="answers 404 to change"):
            market.do("change", id="never", price=1)
        listed = market.do("list", title="rose", price=5)

        assert market.ask("nonsense", {}).status_code == 404
        assert market.look("state")["listings"] == 1
        assert [line["id"] for line in market.truth("listed")] == [listed["id"]]


async def test_no_answer_is_unavailable():
    session = PlainSession(f"http://127.0.0.1:{closed_port()}")
    with pytest.raises(Unavailable):
        await session.get(f"{session.base}/x")
    assert [asked.url for asked in session.asked] == [f"{session.base}/x"]


def test_a_plugin_that_nothing_exports_cannot_be_found_again():
    assert origin_of(PLUGIN) == {"folder": str(SAMPLE)}
    with pytest.raises(LookupError, match="no module exports"):
        origin_of(replace(PLUGIN, api="https://other.example"))


def listed(folder: Path, entries: Any, *, name: str = "manifest.json") -> Path:
    (folder / "a.json").write_bytes(b"{}")
    (folder / name).write_text(json.dumps(entries))
    return folder


def test_a_sample_says_how_it_was_answered_and_what_was_asked(tmp_path: Path):
    entry = {"file": "a.json", "capability": "look", "case": "gone", "http_status": 404, "headers": {"X-A": "1"}}
    more = {"question": {"category": 7}, "external_id": 12, "raises": None, "url": "https://x.example/", "note": "-"}
    (sample,) = samples_in(listed(tmp_path, [entry | more, {"file": "gone.json"}]), PLUGIN)

    assert (sample.answer.status, sample.answer.headers, sample.answer.body) == (404, {"x-a": "1"}, b"{}")
    assert (sample.answer.url, sample.external_id, sample.raises) == ("https://x.example/", "12", "")
    assert sample.question == PLUGIN.manifest.criteria(category=7)


def test_a_sample_is_answered_well_unless_its_entry_says_otherwise(tmp_path: Path):
    (sample,) = samples_in(listed(tmp_path, [{"file": "a.json", "capability": "search", "case": "full"}]), PLUGIN)

    assert (sample.answer.status, sample.answer.headers, sample.answer.url) == (200, {}, PLUGIN.api)
    assert sample.question == PLUGIN.manifest.control


def test_a_list_of_cases_beside_the_manifest_only_adds_to_it(tmp_path: Path):
    listed(tmp_path, [{"file": "a.json", "http_status": 403, "raises": "Blocked"}, {"file": "b.json"}])
    cases = [{"file": "a.json", "capability": one, "case": "blocked"} for one in ("search", "look")]

    first, second = samples_in(listed(tmp_path, cases, name="conformance.json"), PLUGIN)

    assert (first.capability, second.capability) == ("search", "look")
    assert {(each.answer.status, each.raises) for each in (first, second)} == {(403, "Blocked")}


@pytest.mark.parametrize(
    ("entries", "error"),
    [
        ({"file": "a.json"}, TypeError),
        ([{"file": "b.json", "capability": "search", "case": "full"}], FileNotFoundError),
        ([{"file": "a.json", "capability": "guess", "case": "full"}], ValueError),
        ([{"file": "a.json", "case": "full"}], KeyError),
        ([{"file": "a.json", "capability": "search", "case": "full", "question": {"colour": 1}}], ValueError),
    ],
)
def test_a_bad_list_of_samples_is_an_error(tmp_path: Path, entries: Any, error: type[Exception]):
    with pytest.raises(error):
        samples_in(listed(tmp_path, entries), PLUGIN)
