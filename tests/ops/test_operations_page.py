"""The operations page: is it on time, and if not, which part?"""

import json
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import redis as redis_library
from django.test import Client

from monitor_site.accounts import auditing
from monitor_site.accounts.models import User
from monitor_site.connections import key
from monitor_site.engine import settling, worker
from monitor_site.engine.counting import hour_key, minute_key
from monitor_site.engine.models import Incident
from monitor_site.engine.promoter import Promoter
from monitor_site.engine.schedule import Schedule
from monitor_site.engine.tallying import VITALS_SECONDS, jobs_minute_key, vitals_key
from monitor_site.engine.task_log import log_key
from monitor_site.marketplaces.breaker import breaker_key
from monitor_site.ops import ahead, figures, windows
from monitor_site.outbox.models import OutboxRow
from monitor_site.purchasing import budgeting
from monitor_site.watches.models import Target
from tests.engine.loads import say_load
from tests.watches.makers import watch_of

HOUR_MS = 3_600_000

pytestmark = pytest.mark.django_db
NOWHERE = redis_library.Redis.from_url("redis://127.0.0.1:1/0")


@pytest.fixture(autouse=True)
def _fresh(redis: Any) -> None:
    figures.forget()


@pytest.fixture
def staff(client: Client) -> Client:
    client.force_login(User.objects.create_user("carol", is_staff=True))
    return client


@pytest.fixture
def running(redis: Any, settings: Any) -> redis_library.Redis:
    """An installation where all is well."""
    for lane in settings.LANES:
        worker.build(lane=lane, name=f"{lane}-1").register_birth()
    Promoter(client=redis).beat(Schedule(redis).now_ms() + HOUR_MS)
    settling.rebuild(Schedule(redis))
    return redis


def page(client: Client, address: str = "/ops/", language: str = "en") -> str:
    figures.forget()
    answer = client.get(address, headers={"accept-language": language})
    assert answer.status_code == 200
    return answer.content.decode()


def notes(html: str) -> list[str]:
    found = re.findall(r'<p class="note[^"]*">.*?</p>', html, re.DOTALL)
    return [" ".join(re.sub(r"<[^>]+>", " ", one).split()) for one in found]


def rows(html: str, part: str) -> int:
    """How many rows the table of a part has, without its head."""
    table = re.search(rf'id="{part}".*?</table>', html, re.DOTALL)
    return 0 if table is None else table[0].count("<tr") - 1


def cells(html: str, part: str, first: str) -> list[str]:
    """The cells of a row, without marks."""
    table = re.search(rf'id="{part}".*?</table>', html, re.DOTALL)
    assert table is not None
    row = re.search(rf'<tr>(?:(?!</tr>).)*<th scope="row">{first}.*?</tr>', table[0], re.DOTALL)
    assert row is not None
    found = re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row[0], re.DOTALL)
    return [" ".join(re.sub(r"<[^>]+>", " ", one).split()) for one in found]


def counted(redis: Any, **fields: int) -> None:
    now = redis.time()[0]
    for name in (minute_key(now // 60), hour_key(now // 3600)):
        redis.hset(name, mapping={field.replace("__", "|"): count for field, count in fields.items()})


# ---- who may


def test_for_people_who_are_no_staff_there_is_no_such_page(client: Client, alice: User) -> None:
    client.force_login(alice)
    for address in ("/ops/", "/ops/?live"):
        assert client.get(address).status_code == 404
    assert "/ops/" not in client.get("/more/").content.decode()


def test_staff_find_it_in_the_menu_and_behind_more(staff: Client) -> None:
    assert staff.get("/more/").content.decode().count('href="/ops/"') == 2


def test_the_administration_leads_there(staff: Client) -> None:
    assert 'href="/ops/"' in staff.get("/admin/").content.decode()


# ---- the verdict


def test_when_all_is_well_it_says_so_and_nothing_else(staff: Client, running: Any) -> None:
    assert notes(page(staff)) == ["On time. Nothing needs attention."]


def test_without_a_promoter_and_workers_the_worst_stands_first(staff: Client, redis: Any) -> None:
    say_load(redis, "attic", level="careful", cpu=80, memory=50)
    assert notes(page(staff)) == [
        "No promoter is alive: nothing is put on the lanes.",
        "No worker serves express, timed, checks, alerts, upkeep.",
        "The schedule is not built: a promoter builds it from the database.",
        "attic is busy (careful): processors 80 %, memory 50 %. Checks give way there.",
    ]


def test_a_promoter_that_fell_silent_is_told_with_its_age(staff: Client, running: Any) -> None:
    old = running.time()[0] * 1000 - 5 * HOUR_MS
    running.delete(key("promoters"))
    running.hset(key("promoters"), "gone", f"{old}|{old}|host")
    assert re.match(r"No promoter for 5 h: nothing", notes(page(staff))[0])


def test_late_searches_are_told_where_somebody_may_ask(staff: Client, running: Any) -> None:
    schedule = Schedule(running)
    schedule.put(marketplace="mercari", moves=[("1", "at", schedule.now_ms() - HOUR_MS)])
    assert re.match(r"1 search is late by over a second, the latest by 1 h", notes(page(staff))[0])
    until = schedule.now_ms() + 2 * HOUR_MS
    running.hset(breaker_key("mercari"), mapping={"state": "open", "until": until, "reason": "blocked"})
    [said] = notes(page(staff))
    assert re.fullmatch(r"Mercari is not asked \(refused by the marketplace\); we try again in [12] h\.", said)


def test_lateness_demand_outbox_and_quarantine_are_told(
    staff: Client, running: Any, alice: User, settings: Any
) -> None:
    watch_of(alice, datetime.now(UTC))
    settings.PRACTICE_MARKETS, settings.PRACTICE_PACE_PER_MINUTE = {"mercari": "http://127.0.0.1:9"}, 1
    Target.objects.update(interval_seconds=1)
    OutboxRow.objects.update(created_at=datetime.now(UTC) - timedelta(minutes=5))
    Target.objects.create(
        marketplace="mercari", key="q", criteria="{}", interval_seconds=60, created_at=datetime.now(UTC),
        active=False, quarantined_at=datetime.now(UTC),
    )  # fmt: skip
    counted(running, late__fast__11=10, late_ms__fast=40_000)
    told = notes(page(staff))
    assert any(re.match(r"One search in twenty starts more than 4\.\d s late\.", note) for note in told)
    assert "The watches want 60 requests a minute of Mercari, its pace allows 1." in told
    assert any(re.match(r"A fact waits for its consequence for 5 min", note) for note in told)
    assert "1 question is out of the schedule, because it kept crashing workers." in told


def test_a_name_from_elsewhere_is_text(staff: Client, running: Any) -> None:
    say_load(running, "<b>host", level="shedding")
    assert "<b>host" not in page(staff)


# ---- the figures


def test_lateness_is_told_in_words_as_bars_and_as_a_table(staff: Client, running: Any) -> None:
    counted(running, late__fast__0=97, late__normal__9=2, late__relaxed__14=1)
    html = page(staff)
    assert "<dt>p99</dt><dd>1.0 s</dd>" in html or "<dt>p99</dt>" in html
    assert "99.0 %" in html
    assert '<th scope="row">≤ 0.1 s</th><td class="num">97</td><td class="num">0</td><td class="num">0</td>' in html
    assert '<th scope="row">&gt; 30 s</th><td class="num">0</td><td class="num">0</td><td class="num">1</td>' in html
    assert html.count("<rect") >= 3


def test_a_window_is_chosen_and_nonsense_is_the_shortest(staff: Client, running: Any) -> None:
    now = running.time()[0]
    running.hset(minute_key(now // 60 - 30), "late|fast|0", 5)
    running.hset(hour_key(now // 3600 - 5), "late|fast|0", 7)
    assert "No search has run in this time." in page(staff)
    assert ">5</td>" in page(staff, "/ops/?window=60")
    assert ">7</td>" in page(staff, "/ops/?window=1440")
    for odd in ("-1", "x", "9" * 400, "%00"):
        assert "No search has run in this time." in page(staff, f"/ops/?window={odd}")


def test_each_marketplace_has_its_breaker_failures_and_pace(staff: Client, running: Any) -> None:
    counted(
        running, checks__mercari__search__ok=75, checks__mercari__search__failed=25, error__mercari__throttled=20,
        error__mercari__blocked=5, took__mercari__6=100,
    )  # fmt: skip
    html = page(staff)
    row = re.search(r'<th scope="row">Mercari</th>.*?</tr>', html, re.DOTALL)
    assert row is not None
    text = " ".join(re.sub(r"<[^>]+>", " ", row[0]).split())
    assert text.startswith("Mercari closed 25.0 % asked to slow down × 20 75 ms 98 ms 20 6.7 none known")


def test_a_worker_that_fell_silent_stands_first_and_is_marked(staff: Client, running: Any) -> None:
    running.hset("rq:worker:alerts-1", "last_heartbeat", "2020-01-01T00:00:00.000000Z")
    html = page(staff)
    rows = html[html.index('id="ops-workers"') :]
    assert rows.index("silent") < rows.index("express")


def test_an_open_page_hears_only_of_what_changes(staff: Client, running: Any) -> None:
    html = page(staff, "/ops/?live&window=60")
    assert "<html" not in html
    assert html.count("<hx-partial") == 12
    whole = page(staff)
    for target in re.findall(r'hx-target="#([a-z-]+)"', html):
        assert f'id="{target}"' in whole
    assert 'hx-get="?live&amp;window=15"' in whole


def test_it_takes_at_most_twelve_queries(staff: Client, running: Any, django_assert_max_num_queries: Any) -> None:
    page(staff)
    figures.forget()
    with django_assert_max_num_queries(12):
        staff.get("/ops/")
    with django_assert_max_num_queries(12):
        figures.forget()
        staff.get("/ops/?live")


def test_without_redis_the_page_says_what_is_not_known_and_shows_no_zeros(
    staff: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("monitor_site.ops.pages.redis_client", lambda: NOWHERE)
    html = page(staff)
    assert notes(html) == ["Redis does not answer: nothing is checked, and what it knows is not shown."]
    assert "Not known while Redis does not answer." in html
    assert html.count(">not known<") == 6
    assert not re.search(r'<td class="num">0', html)


def test_when_redis_goes_away_its_last_figures_stay_marked_as_frozen_and_none_falls_to_zero(
    staff: Client, running: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted(running, late__fast__0=97)
    page(staff)
    monkeypatch.setattr("monitor_site.ops.pages.redis_client", lambda: NOWHERE)
    figures._kept.clear()
    html = staff.get("/ops/").content.decode()
    assert notes(html) == ["Redis does not answer: nothing is checked. What is marked as frozen is as it was just now."]
    assert len(re.findall(r"frozen, as it was", html)) == 7
    assert "<dd>97</dd>" in html
    assert rows(html, "ops-workers") == 5


@pytest.mark.parametrize(
    ("language", "words"), [("zh-hans", "准时。 没有需要处理的问题。"), ("ja", "時間どおりです。")]
)
def test_it_speaks_the_readers_language(staff: Client, running: Any, language: str, words: str) -> None:
    User.objects.update(language=language)
    assert words in notes(page(staff, language=language))[0]


# ---- spreads


@pytest.mark.parametrize(
    ("counts", "share", "value"),
    [({}, 0.5, None), ({0: 1}, 0.5, 0.5), ({5: 10}, 0.5, 37.5), ({0: 50, 14: 50}, 0.95, 30_000), ({3: 1}, 1.0, 10)],
)
def test_a_quantile_lies_straight_within_its_bucket(counts: Any, share: float, value: float | None) -> None:
    spread = windows.Spread()
    for bucket, count in counts.items():
        spread.counts[bucket] = count
    assert spread.quantile(share) == value


def test_windows_joined_are_as_the_whole(redis: Any) -> None:
    now = redis.time()[0]
    for back in range(3):
        redis.hset(minute_key(now // 60 - back), mapping={"checks|a|search|ok": 2, "late|fast|1": 3, "took|a|2": 1})
    course = windows.course(redis, now=now, minutes=15)
    assert len(course) == 15
    assert windows.joined(course) == windows.recent(redis, now=now, minutes=15)
    assert windows.joined(course).ended("a") == 6


# ---- lanes, workers, load, incidents, housekeeping


def test_lanes_tell_how_fast_they_move_and_when_they_will_be_empty(staff: Client, running: Any) -> None:
    minute = running.time()[0] // 60
    running.hset(jobs_minute_key(minute - 4), mapping={"depth|express": 40, "ok|express|deliver": 60})
    for _ in range(10):
        running.rpush("rq:queue:express", "job")
    told = cells(page(staff), "ops-lanes", "express")
    came, went, drains = float(told[3]), float(told[4]), told[5]
    assert 12 <= went <= 15
    assert went - came == pytest.approx(30 / 60 * went, abs=0.2)
    assert re.match(r"1 min|8\d s|9\d s|7\d s", drains)


def test_a_lane_that_grows_has_no_end_in_sight(staff: Client, running: Any) -> None:
    running.hset(jobs_minute_key(running.time()[0] // 60 - 4), mapping={"depth|express": 1})
    for _ in range(10):
        running.rpush("rq:queue:express", "job")
    assert cells(page(staff), "ops-lanes", "express")[5] == "not in sight"
    assert cells(page(staff), "ops-lanes", "alerts")[3:6] == ["—", "—", "—"], "nobody has measured it"


def beat(redis: Any, name: str, *, age: float = 0.0, **more: Any) -> None:
    told = {"job": "", "seconds": 0, "memory": 50_000_000, "a_minute": 7, "version": "9.9"} | more
    redis.set(vitals_key(name), json.dumps(told), px=round((VITALS_SECONDS - age) * 1000))


def test_a_worker_tells_its_job_memory_rate_and_version(staff: Client, running: Any) -> None:
    beat(running, "express-1", job="advance_orders", seconds=4)
    running.hset("rq:worker:express-1", mapping={"successful_job_count": 99, "failed_job_count": 1})
    told = cells(page(staff), "ops-workers", "express")
    assert told[2:6] == ["advance_orders 4 s", "7", "1.0 %", "47.7 MB"]
    assert told[8] == "9.9"


def test_a_worker_silent_for_three_beats_turns_red_and_says_what_it_held(staff: Client, running: Any) -> None:
    beat(running, "checks-1", age=-60)  # a minute to come, in which it cannot fall silent
    assert "silent" not in cells(page(staff), "ops-workers", "checks")[1]
    beat(running, "checks-1", age=16, job="run_checks")
    running.hset(key("lease", "mercari"), mapping={"1": "5|checks-1|9|0", "2": "5|checks-1|9|0", "3": "5|other|9|0"})
    html = page(staff)
    assert cells(html, "ops-workers", "checks")[1] == "silent held 2 questions of Mercari"
    assert "1 worker has fallen silent." in notes(html)


def test_planned_checks_are_drawn_against_the_pace(staff: Client, running: Any, alice: User) -> None:
    watch_of(alice, datetime.now(UTC))
    Target.objects.update(interval_seconds=60)
    html = page(staff)
    assert 'aria-label="Checks planned at Mercari for the next ten minutes"' in html
    assert "Nobody waits longer than wished because of others." in html


def test_who_gets_less_than_wished_is_named_to_staff(staff: Client, running: Any, alice: User) -> None:
    watch_of(alice, datetime.now(UTC))
    Target.objects.update(interval_seconds=60, planned_seconds=150, planned_because="shared")
    assert "alice waits up to 2.5 times as long as wished, for 1 question." in page(staff)


@pytest.mark.parametrize(
    ("first", "beats", "told"),
    [
        ([30] + [0] * 19, [], [1.0] + [0.0] * 19),
        ([30, 0], [(30, 30)], [1.0, 1.0]),
        ([0, 30, 0, 0], [(60, 60)], [0.0, 1.0, 1.0, 1.0]),
    ],
)
def test_what_has_run_comes_again_after_its_interval(first: Any, beats: Any, told: Any) -> None:
    assert ahead.a_second(first, beats) == told


def test_incidents_are_told_with_their_effect_and_end(staff: Client, running: Any) -> None:
    now = datetime.now(UTC)
    over = {"opened_at": now - timedelta(minutes=9), "closed_at": now - timedelta(minutes=5)}
    Incident.objects.create(kind="breaker", subject="mercari", detail="blocked", watches=3, worst_ms=61_000, **over)
    Incident.objects.create(kind="load", subject="<b>attic", detail="careful", opened_at=now)
    html = page(staff)
    assert cells(html, "ops-past", "Mercari")[1:3] == [
        "Mercari was not asked (refused by the marketplace)", "3 watches, up to 1 min 1 s late"
    ]  # fmt: skip
    assert "&lt;b&gt;attic was busy (careful)" in html


def test_what_people_do_with_their_own_is_not_told_as_what_operators_did(
    staff: Client,
    running: Any,
    bob: User,
) -> None:
    now = datetime.now(UTC)
    wish = budgeting.BudgetWish(name="his own affair", limits=budgeting.Limits(total=5000))
    budgeting.create_budget(user=bob, wish=wish, now=now)
    auditing.note(user=bob, act="pause", subject="mercari", reason="their word", outcome="", now=now)
    html = page(staff)
    assert "his own affair" not in html
    assert cells(html, "ops-past", "Pause a marketplace")[-1] == "their word"


def test_housekeeping_that_fails_again_and_again_is_told_first(staff: Client, running: Any) -> None:
    state = {"at": 1e9, "ms": 5, "well_at": None, "failed": 2, "error": "ValueError"}
    running.hset(log_key(), mapping={"tidy": json.dumps(state), "audit": "nonsense"})
    html = page(staff)
    assert "Housekeeping fails again and again: tidy." in notes(html)
    assert cells(html, "ops-tasks", "tidy")[5] == "failed 2 times ValueError"
    assert html.index(">tidy<") < html.index(">audit<")


def test_jobs_of_the_last_minutes_are_told_by_kind(staff: Client, running: Any) -> None:
    fields = {"ok|alerts|deliver": 3, "failed|alerts|deliver": 1, "ms|alerts|deliver": 400, "odd": 1}
    running.hset(jobs_minute_key(running.time()[0] // 60), mapping=fields)
    html = page(staff)
    row = re.search(r'<th scope="row">deliver</th>.*?</tr>', html, re.DOTALL)
    assert row is not None
    assert re.findall(r">([^<>]+)<", row[0])[1:] == ["alerts", "4", "1", "100 ms"]
