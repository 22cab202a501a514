import os
import re
import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.template import Context, Template
from django.test import Client
from django.utils import timezone, translation

from monitor_site import wording
from monitor_site.accounts.models import User
from tests.web.rows import match, watch_of

BASE = Path(settings.BASE_DIR)
NOW = datetime(2026, 11, 29, 12, 4, 13, tzinfo=UTC)


@pytest.fixture(params=["zh-hans", "ja", "en"])
def language(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize(
    ("asked", "page"),
    [("zh-CN", "zh-Hans"), ("zh-SG", "zh-Hans"), ("zh-TW", "zh-Hans"), ("zh-HK", "zh-Hans"), ("zh", "zh-Hans"),
     ("ja-JP", "ja"), ("en-GB", "en"), ("fr", "en"), ("", "en")],
)  # fmt: skip
def test_the_browser_gets_its_language(client: Client, db: None, asked: str, page: str) -> None:
    html = client.get("/accounts/login/", headers={"accept-language": asked}).content.decode()
    assert f'<html lang="{page}"' in html


def test_the_cookie_wins_over_the_browser_and_the_person_over_the_cookie(client: Client, alice: User) -> None:
    client.post("/settings/language/", {"language": "ja", "next": "/accounts/login/"})
    assert '<html lang="ja"' in client.get("/accounts/login/", headers={"accept-language": "zh-CN"}).content.decode()
    client.force_login(alice)
    client.post("/settings/language/", {"language": "zh-hans"})
    alice.refresh_from_db()
    assert alice.language == "zh-hans"
    client.cookies[settings.LANGUAGE_COOKIE_NAME] = "en"
    assert '<html lang="zh-Hans"' in client.get("/matches/").content.decode()


def test_an_unknown_language_or_theme_changes_nothing(client: Client, alice: User) -> None:
    client.force_login(alice)
    client.post("/settings/language/", {"language": "xx"})
    client.post("/settings/theme/", {"theme": "neon"})
    alice.refresh_from_db()
    assert (alice.language, alice.theme) == ("", "system")


def test_the_theme_is_in_the_first_byte_of_the_page_also_before_signing_in(client: Client, alice: User) -> None:
    client.post("/settings/theme/", {"theme": "dark"})
    assert 'data-theme="dark"' in client.get("/accounts/login/").content.decode()
    client.force_login(alice)
    client.post("/settings/theme/", {"theme": "light"})
    assert 'data-theme="light"' in client.get("/matches/").content.decode()


@pytest.mark.parametrize("target", ["https://elsewhere.example/", "//elsewhere.example/", "javascript:alert(1)", ""])
def test_a_switch_leads_back_to_our_own_pages_only(client: Client, db: None, target: str) -> None:
    assert client.post("/settings/language/", {"language": "ja", "next": target})["Location"] == "/matches/"


@pytest.mark.parametrize(
    ("code", "known", "unknown"),
    [("zh-hans", "1,234,567円", "未知"), ("ja", "1,234,567円", "不明"), ("en", "¥1,234,567", "unknown")],
)
def test_money_is_grouped_and_never_ambiguous(code: str, known: str, unknown: str) -> None:
    with translation.override(code):
        assert wording.money(1_234_567) == known
        assert wording.money(None) == unknown


def test_the_big_price_has_a_small_sign_behind_it() -> None:
    with translation.override("ja"):
        assert Template("{{ 48000|price }}").render(Context()) == "48,000<small>円</small>"
    with translation.override("en"):
        assert Template("{{ 48000|price }}").render(Context()) == "¥48,000"


AGO = {
    0: ("刚刚", "たった今", "just now"),
    12: ("12 秒前", "12秒前", "12 s ago"),
    200: ("3 分钟前", "3分前", "3 min ago"),
    2 * 3600: ("19:04", "19:04", "19:04"),
    23 * 3600: ("昨天 22:04", "昨日 22:04", "yesterday 22:04"),
    5 * 86_400: ("11月24日 21:04", "11月24日 21:04", "24 Nov, 21:04"),
    400 * 86_400: ("2025年10月25日", "2025年10月25日", "25 Oct 2025"),
}


@pytest.mark.parametrize(("seconds", "texts"), AGO.items())
def test_ages_are_relative_within_an_hour_and_dates_later(seconds: int, texts: tuple[str, ...]) -> None:
    with timezone.override("Asia/Tokyo"):
        for code, text in zip(("zh-hans", "ja", "en"), texts, strict=True):
            with translation.override(code):
                assert wording.ago(NOW - timedelta(seconds=seconds), now=NOW) == text


def test_a_clock_that_is_a_little_ahead_makes_no_negative_age() -> None:
    with translation.override("en"):
        assert wording.ago(NOW + timedelta(seconds=3), now=NOW) == "just now"


UNTIL = {0: ("马上", "まもなく", "any moment"), 4: ("4 秒后", "4秒後", "in 4 s"), 61: ("1 分钟后", "1分後", "in 1 min"),
         7300: ("2 小时后", "2時間後", "in 2 h"), 200_000: ("2 天后", "2日後", "in 2 d")}  # fmt: skip


@pytest.mark.parametrize(("seconds", "texts"), UNTIL.items())
def test_waits_are_told_in_their_largest_unit(seconds: int, texts: tuple[str, ...]) -> None:
    for code, text in zip(("zh-hans", "ja", "en"), texts, strict=True):
        with translation.override(code):
            assert wording.until(NOW + timedelta(seconds=seconds), now=NOW) == text


def test_what_is_less_far_than_asked_for_is_due_any_moment() -> None:
    with translation.override("en"):
        assert wording.until(NOW + timedelta(seconds=59), now=NOW, least=60) == "any moment"
        assert wording.until(NOW + timedelta(seconds=60), now=NOW, least=60) == "in 1 min"


COUNTDOWNS = {-5: "00:00", 0: "00:00", 9: "00:09", 756: "12:36", 3599: "59:59", 3600: "1:00:00", 86_399: "23:59:59",
              86_400: "1 d 0 h", 97_200: "1 d 3 h"}  # fmt: skip


@pytest.mark.parametrize(("seconds", "text"), COUNTDOWNS.items())
def test_the_time_left_is_a_clock(seconds: int, text: str) -> None:
    with translation.override("en"):
        assert wording.countdown(NOW + timedelta(seconds=seconds, microseconds=1), now=NOW) == text


ENDS = {
    "Asia/Tokyo": ("22:34", "22:34", "22:34"),
    "Asia/Seoul": ("22:34", "22:34", "22:34"),
    "Asia/Shanghai": ("21:34（日本 22:34）", "21:34（日本 22:34）", "21:34 (Japan 22:34)"),
    "Pacific/Auckland": (
        "11月30日 02:34（日本 11月29日 22:34）",
        "11月30日 02:34（日本 11月29日 22:34）",
        "30 Nov, 02:34 (Japan 29 Nov, 22:34)",
    ),
}


@pytest.mark.parametrize(("zone", "texts"), ENDS.items())
def test_an_end_names_japans_clock_where_it_shows_another_time(zone: str, texts: tuple[str, ...]) -> None:
    now, moment = NOW - timedelta(hours=3), NOW + timedelta(minutes=90) - timedelta(seconds=13)
    with timezone.override(zone):
        for code, text in zip(("zh-hans", "ja", "en"), texts, strict=True):
            with translation.override(code):
                assert wording.end(moment, now=now) == text


DURATIONS = {
    0: ("0 秒", "0秒", "0 s"),
    90: ("1 分 30 秒", "1分 30秒", "1 min 30 s"),
    3600: ("1 小时", "1時間", "1 h"),
    97_200: ("1 天 3 小时", "1日 3時間", "1 d 3 h"),
}


@pytest.mark.parametrize(("seconds", "texts"), DURATIONS.items())
def test_durations_have_their_two_largest_units(seconds: int, texts: tuple[str, ...]) -> None:
    for code, text in zip(("zh-hans", "ja", "en"), texts, strict=True):
        with translation.override(code):
            assert wording.duration(seconds) == text


def test_every_relative_time_carries_the_exact_stamp(language: str) -> None:
    with translation.override(language), timezone.override("Asia/Tokyo"):
        html = Template("{{ t|ago }}").render(Context({"t": NOW}))
    stamp = {"en": "29 Nov 2026 21:04:13"}.get(language, "2026年11月29日 21:04:13")
    assert f'title="{stamp}"' in html
    assert 'datetime="2026-11-29T12:04:13+00:00"' in html


def test_a_person_reads_times_in_the_own_zone(client: Client, alice: User) -> None:
    alice.time_zone = "Asia/Shanghai"
    alice.save()
    client.force_login(alice)
    one = match(watch_of(alice, now=NOW), 1, now=NOW)
    page = f"/listings/{one.listing_id}/"
    assert "2026年11月29日 20:04:13" in client.get(page, headers={"accept-language": "ja"}).content.decode()
    alice.time_zone = "Nowhere/At all"
    alice.save()
    assert "2026年11月29日 12:04:13" in client.get(page, headers={"accept-language": "ja"}).content.decode()


def test_an_open_page_knows_the_clock_that_an_age_becomes() -> None:
    with timezone.override("Asia/Tokyo"):
        assert wording.clock_after_an_hour(NOW, now=NOW + timedelta(minutes=59)) == "21:04"
        assert wording.clock_after_an_hour(NOW, now=NOW + timedelta(minutes=60)) == ""


def entries(text: str) -> list[str]:
    return [block for block in re.split(r"\n\n+", text) if "msgid" in block]


@pytest.mark.parametrize("locale", ["zh_Hans", "ja"])
class TestCatalogue:
    def read(self, locale: str) -> str:
        folder = Path(settings.BASE_DIR) / "monitor_site" / "locale" / locale / "LC_MESSAGES"
        return (folder / "django.po").read_text(encoding="utf-8")

    def test_it_has_one_plural_form(self, locale: str) -> None:
        assert r'"Plural-Forms: nplurals=1; plural=0;\n"' in self.read(locale)

    def test_nothing_is_fuzzy_or_untranslated(self, locale: str) -> None:
        blocks = entries(self.read(locale))[1:]
        assert len(blocks) > 150
        poor = [block for block in blocks if "fuzzy" in block or re.search(r'msgstr(\[\d\])? ""(?!\n")', block)]
        assert poor == []
        assert not any(block.startswith("#~") for block in blocks)

    def test_placeholders_survive(self, locale: str) -> None:
        for block in entries(self.read(locale))[1:]:
            asked, told = re.split(r"msgstr", block, maxsplit=1)
            wanted = set(re.findall(r"%\(\w+\)[sd]|\{\w+\}", asked))
            assert set(re.findall(r"%\(\w+\)[sd]|\{\w+\}", told)) == wanted, block

    @pytest.mark.skipif(not (shutil.which("xgettext") or os.environ.get("CI")), reason="no gettext on this machine")
    def test_no_sentence_of_the_source_is_missing(self, locale: str, tmp_path: Path) -> None:
        for name in ("monitor_site", "templates", "plugins"):
            shutil.copytree(BASE / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(BASE / "manage.py", tmp_path)
        command = [sys.executable, "manage.py", "makemessages", "-l", locale, "--no-wrap", "--no-location"]
        env = dict(os.environ) | {"DJANGO_SETTINGS_MODULE": "monitor_site.settings"}
        subprocess.run(command, cwd=tmp_path, env=env, check=True, capture_output=True)
        fresh = (tmp_path / "monitor_site/locale" / locale / "LC_MESSAGES/django.po").read_text(encoding="utf-8")
        asked = {block.split("\nmsgstr")[0].split("msgid", 1)[1] for block in entries(fresh)[1:] if "#~" not in block}
        known = {block.split("\nmsgstr")[0].split("msgid", 1)[1] for block in entries(self.read(locale))[1:]}
        assert asked - known == set()

    def test_the_compiled_catalogue_says_the_same(self, locale: str) -> None:
        import gettext

        path = Path(settings.BASE_DIR) / "monitor_site" / "locale" / locale / "LC_MESSAGES" / "django.mo"
        with path.open("rb") as file:
            compiled = gettext.GNUTranslations(file)
        for block in entries(self.read(locale))[1:]:
            if found := re.fullmatch(r'(?:#.*\n)*msgid "(.+)"\nmsgstr "(.+)"', block):
                asked, told = (
                    part.encode().decode("unicode_escape").encode("latin-1").decode() for part in found.groups()
                )
                assert compiled.gettext(asked) == told
