"""``make run`` from the outside: it starts, says where it is, survives its parts, and leaves nothing behind."""

import json
import re
import socket
import sqlite3
import stat
import subprocess
import sys
import threading
from contextlib import closing

import httpx
import psutil
import pytest

from tests.house.installation import Installation, command_of, environment, survivors
from tests.house.source import ROOT
from tests.servers import free_port
from tests.waiting import PATIENCE_SECONDS, until

pytestmark = pytest.mark.faults
MARKETS = ("mercari", "yahoo_auctions")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where it keeps its data; its markets have ports of this test run there."""
    folder = tmp_path_factory.mktemp("installation") / "with a space"
    folder.mkdir()
    (folder / "practice_ports.json").write_text(json.dumps({name: free_port() for name in MARKETS}), "utf-8")
    return folder


@pytest.fixture(scope="module")
def home(folder):
    with Installation(folder) as installation:
        yield installation.started()


@pytest.fixture
def at_rest(home, folder):
    """The folder of an installation that has run and was stopped."""
    if home.process.poll() is None:
        home.interrupt()
        home.end()
    return folder


def rows(folder, query):
    with closing(sqlite3.connect(folder / "db.sqlite3", timeout=PATIENCE_SECONDS)) as connection:
        return connection.execute(query).fetchall()


def signed_in(home):
    """Cookies of the demo user, by a fresh link."""
    link = subprocess.run(
        [sys.executable, "manage.py", "demo"],
        cwd=ROOT,
        env=environment(home.folder),
        capture_output=True,
        text=True,
        check=True,
    ).stdout.strip()
    return httpx.get(link, timeout=PATIENCE_SECONDS).cookies


def process_of(home, command):
    return next(one for one in home.family() if command in command_of(one))


def test_it_serves_and_says_where(home):
    facts = home.facts()
    assert httpx.get(f"{facts['web_url']}/healthz", timeout=PATIENCE_SECONDS).status_code == 200
    assert facts["pid"] == home.process.pid
    assert facts["live"] is False
    assert facts["practice_markets"]["mercari"].startswith("http://127.0.0.1:")


def test_its_passwords_are_for_the_owner_only(home):
    for name in ("running.json", "redis.conf", "secret_key", "secrets_key"):
        assert stat.S_IMODE((home.folder / name).stat().st_mode) == 0o600, name
    password = re.search(r":([^@]+)@", home.facts()["redis_url"])[1]
    assert not [one for one in home.family() if password in " ".join(command_of(one))]


def test_all_parts_of_an_installation_run(home):
    for part in ("manage.py run_web", "manage.py run_promoter", "manage.py rqworker", "-server ", "run_practice"):
        # A process has its command only a moment after its birth.
        until(lambda part=part: any(part in " ".join(command_of(one)) for one in home.family()), what=part)


def test_a_second_one_in_the_same_folder_names_the_first_and_ends(home, folder):
    with Installation(folder) as second:
        said = second.end()
    assert second.process.returncode == 1
    assert home.facts()["web_url"] in said
    assert "Traceback" not in said
    assert httpx.get(f"{home.facts()['web_url']}/healthz", timeout=PATIENCE_SECONDS).status_code == 200


def test_a_part_that_is_killed_starts_again_and_nobody_is_refused_meanwhile(home):
    killed = process_of(home, "run_web")
    killed.kill()
    assert "SIGKILL" in home.wait_for("web ended")
    assert httpx.get(f"{home.facts()['web_url']}/healthz", timeout=PATIENCE_SECONDS).status_code == 200
    assert process_of(home, "run_web").pid != killed.pid


def test_the_sign_in_works_once_and_leads_to_sample_watches(home):
    link = home.link()
    with httpx.Client(follow_redirects=True, timeout=PATIENCE_SECONDS) as browser:
        page = browser.get(link)
        assert page.status_code == 200
        assert "ポケリア" in browser.get(f"{home.facts()['web_url']}/watches/").text
    assert httpx.get(link, timeout=PATIENCE_SECONDS).status_code == 410


def test_it_stops_with_a_stream_that_never_ends_open_and_leaves_no_process(home):
    address, family = home.facts()["web_url"], home.family()
    opened = threading.Event()

    def keep_open():
        with httpx.Client() as browser:
            browser.cookies.update(signed_in(home))
            try:
                with browser.stream("GET", f"{address}/events/", timeout=PATIENCE_SECONDS) as answer:
                    assert answer.status_code == 200
                    opened.set()
                    for _ in answer.iter_raw():
                        pass
            except httpx.TransportError:
                return

    reader = threading.Thread(target=keep_open, daemon=True)
    reader.start()
    assert opened.wait(PATIENCE_SECONDS)
    home.interrupt()
    said = home.end()
    assert home.process.returncode == 0
    assert "Traceback" not in said
    assert survivors(family) == []
    assert not (home.folder / "running.json").exists()
    reader.join(PATIENCE_SECONDS)
    assert not reader.is_alive()


def test_a_second_start_keeps_all_data_and_a_taken_port_is_named(at_rest):
    watches = rows(at_rest, "SELECT id, name FROM watches_watch ORDER BY id")
    listings = rows(at_rest, "SELECT count(*) FROM watches_listing")[0][0]
    ports = json.loads((at_rest / "practice_ports.json").read_text("utf-8"))
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        taken = other.getsockname()[1]
        with Installation(at_rest, PORT=str(taken)) as again:
            said = "\n".join(again.started().said)
            assert f"{taken} is taken" in said
            assert "applying" not in said
            assert again.facts()["web_url"] != f"http://127.0.0.1:{taken}"
            markets = again.facts()["practice_markets"]
            assert {name: int(address.rsplit(":", 1)[1]) for name, address in markets.items()} == ports
            assert rows(at_rest, "SELECT id, name FROM watches_watch ORDER BY id") == watches
            assert rows(at_rest, "SELECT count(*) FROM watches_listing")[0][0] >= listings
            family = again.family()
    assert survivors(family) == [], "it was killed at the end: nothing may outlive it"


def test_what_a_killed_one_left_does_not_disturb_the_next(at_rest):
    (at_rest / "running.json").write_text(
        '{"pid": 999999999, "web_url": "http://127.0.0.1:1", "redis_url": "redis://127.0.0.1:1/0"}', "utf-8"
    )
    for log in (at_rest / "redis" / "appendonlydir").glob("*.aof"):
        log.write_bytes(b"torn" * 100)
    with Installation(at_rest) as again:
        again.started().process.terminate()
        assert "stopped." in again.end()
        assert again.process.returncode == 0
    assert (at_rest / "redis-unreadable").is_dir()


def test_practice_data_is_forgotten_only_at_rest_and_only_when_it_is_ours(at_rest, tmp_path):
    (tmp_path / "letter.txt").write_text("mine", "utf-8")
    refused = reset(tmp_path)
    assert "no data folder" in refused.stderr
    assert (tmp_path / "letter.txt").exists()
    assert reset(at_rest, LIVE="1").returncode == 1
    assert reset(at_rest).returncode == 0
    assert not at_rest.exists()


def reset(folder, **settings):
    return subprocess.run(
        [sys.executable, "manage.py", "demo_reset"],
        cwd=ROOT,
        env=environment(folder) | settings,
        capture_output=True,
        text=True,
        check=False,
    )


def test_a_database_that_cannot_be_used_is_a_sentence(tmp_path):
    broken = tmp_path / "data"
    broken.mkdir()
    (broken / "db.sqlite3").write_bytes(b"this is no database" * 100)
    with Installation(broken) as home:
        said = home.end()
    assert home.process.returncode == 1
    assert "The database cannot be used" in said
    assert "Traceback" not in said


def test_a_redis_that_does_not_answer_is_a_sentence(tmp_path):
    with Installation(tmp_path / "data", REDIS_URL="redis://127.0.0.1:1/0") as home:
        said = home.end()
    assert home.process.returncode == 1
    assert "REDIS_URL names does not answer" in said
    assert "Traceback" not in said
    assert not [one for one in psutil.process_iter(["cmdline"]) if str(tmp_path) in " ".join(one.info["cmdline"] or ())]
