"""What an installation keeps in its folder, and what its settings refuse and never show."""

import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from cryptography.fernet import Fernet
from django.core.exceptions import ImproperlyConfigured

from monitor_site.keeping import KIND_FILE, demand_kind, kept
from monitor_site.practice_addresses import practice_markets
from monitor_site.site_address import absolute, site_url

from .source import ROOT

FULL = {
    "PRODUCTION": "1",
    "SECRET_KEY": "k" * 60,
    "ALLOWED_HOSTS": "a.example",
    "DATABASE_URL": "sqlite://:memory:",
    "SITE_URL": "https://a.example",
}


def told(folder: Path, *what: str, **given: str) -> subprocess.CompletedProcess[str]:
    """What settings with just these values say of themselves."""
    code = "from monitor_site import settings; print(*[getattr(settings, name) for name in " + repr(what) + "])"
    env = {"PATH": os.environ["PATH"], "DATA_DIR": str(folder)} | given
    command = [sys.executable, "-c", code]
    return subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("word", ["", "0", "false", "False", "no", "OFF", " 0 "])
def test_a_switch_that_is_off_in_any_word_is_off(tmp_path: Path, word: str) -> None:
    assert told(tmp_path, "LIVE", "DEMO", LIVE=word, DEMO=word).stdout.split() == ["False", "False"]


def test_a_switch_that_is_neither_on_nor_off_stops_the_start(tmp_path: Path) -> None:
    refused = told(tmp_path, "DEMO", DEMO="never")
    assert "DEMO must be yes or no" in refused.stderr


class TestLiveAndPracticeNeverMix:
    def test_a_folder_is_of_one_kind_for_good(self, tmp_path: Path) -> None:
        assert told(tmp_path, "LIVE").stdout.split() == ["False"]
        refused = told(tmp_path, "LIVE", LIVE="1")
        assert refused.returncode != 0
        assert "holds practice data, and this is live" in refused.stderr
        assert told(tmp_path, "LIVE").returncode == 0

    def test_nor_the_other_way_round(self, tmp_path: Path) -> None:
        assert told(tmp_path, "LIVE", LIVE="1").stdout.split() == ["True"]
        assert "holds live data" in told(tmp_path, "LIVE").stderr

    def test_a_practice_folder_from_before_is_known_by_what_lies_there(self, tmp_path: Path) -> None:
        (tmp_path / "practice_ports.json").write_text("{}")
        with pytest.raises(ImproperlyConfigured, match="holds practice data"):
            demand_kind(tmp_path, live=True)
        assert (tmp_path / KIND_FILE).read_text() == "practice"

    def test_no_practice_market_plays_for_a_live_installation(self) -> None:
        with pytest.raises(ImproperlyConfigured, match="exclude each other"):
            practice_markets({}, ["mercari=http://127.0.0.1:9000"], live=True)
        assert practice_markets({"mercari": "http://127.0.0.1:9000"}, [], live=True) == {}

    @pytest.mark.parametrize(
        "address",
        [
            "https://api.mercari.jp",
            "http://api.mercari.jp",
            "http://93.184.216.34:80",
            "http://[2606:2800::1]",
            "",
            "x",
        ],
    )
    def test_no_real_marketplace_is_asked_at_the_pace_of_practice(self, address: str) -> None:
        with pytest.raises(ImproperlyConfigured, match="that of mercari is none"):
            practice_markets({}, [f"mercari={address}"], live=False)

    @pytest.mark.parametrize(
        "address", ["http://127.0.0.1:9000", "http://localhost:9", "http://[::1]:9", "http://10.0.0.7"]
    )
    def test_a_practice_market_may_be_near_by(self, address: str) -> None:
        assert practice_markets({}, [f"mercari={address}"], live=False) == {"mercari": address}

    def test_there_is_no_demo_administrator_where_others_can_come(self, tmp_path: Path) -> None:
        assert told(tmp_path / "live", "DEMO", LIVE="1", DEMO="1").stdout.split() == ["False"]
        assert told(tmp_path / "production", "DEMO", DEMO="1", **FULL).stdout.split() == ["False"]
        assert told(tmp_path / "practice", "DEMO").stdout.split() == ["True"]


def test_the_folder_is_the_owners_alone(tmp_path: Path) -> None:
    told(tmp_path / "deep" / "data", "LIVE")
    assert stat.S_IMODE((tmp_path / "deep" / "data").stat().st_mode) == 0o700


def test_who_comes_at_once_reads_the_same_whole_secret(tmp_path: Path) -> None:
    def come(number: int) -> str:
        return kept(tmp_path / "secret", lambda: f"{number:04d}" * 500)

    with ThreadPoolExecutor(8) as many:
        found = set(many.map(come, range(64)))
    assert len(found) == 1
    assert [path.name for path in tmp_path.iterdir()] == ["secret"]


def test_no_listing_of_settings_shows_a_secret(tmp_path: Path) -> None:
    canary, key = "canaryvalue", Fernet.generate_key().decode()
    given = {
        "SECRET_KEY": canary * 6,
        "SECRETS_KEYS": key,
        "DATABASE_URL": f"postgresql://monitor:{canary}@127.0.0.1/none",
        "REDIS_URL": f"redis://:{canary}@127.0.0.1:1/0",
        "PROXIES": f"mercari=http://user:{canary}@127.0.0.1:3128",
    }
    env = {"PATH": os.environ["PATH"], "DATA_DIR": str(tmp_path)} | given
    command = [sys.executable, "manage.py", "diffsettings", "--all"]
    said = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=True)
    assert "REDIS_URL = '***'" in said.stdout
    assert canary not in said.stdout + said.stderr
    assert key not in said.stdout + said.stderr


class TestProduction:
    def test_it_is_ready_for_others_as_it_is(self, tmp_path: Path) -> None:
        env = {"PATH": os.environ["PATH"], "DATA_DIR": str(tmp_path)} | FULL | {"SECRET_KEY": "aB3-x" * 20}
        command = [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "INFO"]
        said = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
        assert said.returncode == 0, said.stderr

    def test_it_makes_up_no_key(self, tmp_path: Path) -> None:
        assert told(tmp_path, "SECRETS_KEYS", **FULL).stdout.strip() == "[]"
        assert not (tmp_path / "secrets_key").exists()

    def test_behind_a_proxy_failed_sign_ins_count_for_who_is_before_it(self, tmp_path: Path) -> None:
        assert told(tmp_path, "ALLAUTH_TRUSTED_PROXY_COUNT", BEHIND_PROXY="1").stdout.split() == ["1"]
        assert told(tmp_path, "ALLAUTH_TRUSTED_PROXY_COUNT").stdout.split() == ["0"]


class TestWhereThePagesAre:
    def test_at_home_it_is_where_make_run_listens(self, tmp_path: Path) -> None:
        assert told(tmp_path, "SITE_URL").stdout.split() == ["http://127.0.0.1:8000"]
        assert told(tmp_path, "SITE_URL", PORT="8100").stdout.split() == ["http://127.0.0.1:8100"]
        (tmp_path / "running.json").write_text('{"web_url": "http://127.0.0.1:8123"}')
        assert told(tmp_path, "SITE_URL", PORT="8100").stdout.split() == ["http://127.0.0.1:8123"]
        assert told(tmp_path, "SITE_URL", SITE_URL="https://a.example/").stdout.split() == ["https://a.example"]

    def test_production_demands_it(self, tmp_path: Path) -> None:
        given = {name: value for name, value in FULL.items() if name != "SITE_URL"}
        refused = told(tmp_path, "SITE_URL", **given)
        assert refused.returncode != 0
        assert "does not start without SITE_URL" in refused.stderr

    @pytest.mark.parametrize(
        "given",
        [
            "a.example", "//a.example", "ftp://a.example", "javascript:alert(1)", "http://", "http://a.example/path",
            "http://a.example?q", "http://a.example#x", "http://u:p@a.example", "http://a.example:port", "http://[::1",
            "http://a b.example", "http://a.example\n", "http://a.example:0",
        ],
    )  # fmt: skip
    def test_what_is_no_address_of_a_site_stops_the_start(self, given: str) -> None:
        with pytest.raises(ImproperlyConfigured, match="SITE_URL must be"):
            site_url(given, secure=False)

    def test_addresses_outside_begin_with_it(self, settings: Any) -> None:
        settings.SITE_URL = "https://a.example"
        assert absolute("/matches/") == "https://a.example/matches/"
