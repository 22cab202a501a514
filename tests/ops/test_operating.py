"""What an operator does from the operations page: with a permission and a reason, and written down."""

import io
import json
import re
import zipfile
from datetime import UTC, datetime
from typing import Any

import pytest
import redis as redis_library
from django.contrib.auth.models import Permission
from django.test import Client

from monitor_site.accounts.models import AuditEntry, User
from monitor_site.engine import worker
from monitor_site.engine.models import Incident
from monitor_site.marketplaces import breaker
from monitor_site.marketplaces.breaker import breaker_key
from monitor_site.marketplaces.models import MarketplacePause
from monitor_site.ops import acts, figures
from monitor_site.outbox.models import OutboxRow
from monitor_site.purchasing.models import Switch
from monitor_site.watches import follow
from tests.waiting import PATIENCE_SECONDS

pytestmark = pytest.mark.django_db(transaction=True)

SUBJECTS = {
    "pause": "mercari", "resume": "mercari", "probe": "mercari", "drain": "upkeep-1", "requeue": follow.FOLLOW,
    "discard": follow.FOLLOW, "task": "tidy", "stop": "", "spend": "", "bundle": "",
}  # fmt: skip


@pytest.fixture(autouse=True)
def _running(redis: Any) -> None:
    figures.forget()
    worker.build(lane="upkeep", name="upkeep-1").register_birth()


@pytest.fixture
def operator(client: Client, redis: Any) -> Client:
    carol = User.objects.create_user("carol-operates", is_staff=True)
    carol.user_permissions.add(Permission.objects.get(codename="operate", content_type__app_label="engine"))
    client.force_login(carol)
    return client


def act(client: Client, do: str, *, reason: str = "because", on: str | None = None) -> Any:
    subject = SUBJECTS[do] if on is None else on
    return client.post("/ops/act/", {"do": do, "on": subject, "reason": reason})


def told(client: Client) -> str:
    figures.forget()
    return client.get("/ops/").content.decode()


def test_every_act_is_tried_here() -> None:
    assert set(SUBJECTS) == set(acts.ACTS)


# ---- who may, and how


@pytest.mark.parametrize("do", sorted(SUBJECTS))
def test_for_people_who_are_no_staff_there_is_no_such_act(client: Client, alice: User, do: str) -> None:
    client.force_login(alice)
    assert act(client, do).status_code == 404
    assert client.get("/ops/act/", {"do": do, "on": SUBJECTS[do]}).status_code == 404
    assert not AuditEntry.objects.exists()


@pytest.mark.parametrize("do", sorted(SUBJECTS))
def test_staff_who_may_only_look_are_refused_and_see_no_way_there(client: Client, do: str) -> None:
    client.force_login(User.objects.create_user("dave", is_staff=True))
    assert act(client, do).status_code == 403
    assert "/ops/act/" not in told(client)
    assert not AuditEntry.objects.exists()


@pytest.mark.parametrize("do", sorted(SUBJECTS))
def test_a_look_at_the_form_does_nothing(operator: Client, do: str) -> None:
    answer = operator.get("/ops/act/", {"do": do, "on": SUBJECTS[do]})
    assert answer.status_code == 200
    assert str(acts.ACTS[do].says) in answer.content.decode().replace("&#x27;", "'")
    assert not AuditEntry.objects.exists()
    assert not MarketplacePause.objects.exists()


@pytest.mark.parametrize("do", sorted(SUBJECTS))
def test_without_a_reason_nothing_is_done(operator: Client, do: str) -> None:
    for reason in ("", "   ", "x" * 201):
        assert act(operator, do, reason=reason).status_code == 422
    assert not AuditEntry.objects.exists()


@pytest.mark.parametrize("do", sorted(SUBJECTS))
def test_with_a_reason_it_is_done_and_written_down(operator: Client, do: str) -> None:
    assert act(operator, do, reason="<b>why</b>").status_code in {200, 302}
    entry = AuditEntry.objects.get(kind="system")
    assert (entry.act, entry.subject, entry.reason) == (do, SUBJECTS[do], "<b>why</b>")
    assert entry.name == "carol-operates"
    html = told(operator)
    assert "&lt;b&gt;why&lt;/b&gt;" in html
    assert "<b>why</b>" not in html


def test_a_form_from_another_site_is_not_taken(operator: Client) -> None:
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(User.objects.get(username="carol-operates"))
    assert act(strict, "stop").status_code == 403
    assert not AuditEntry.objects.exists()


@pytest.mark.parametrize(
    ("do", "on"),
    [
        ("pause", "nowhere"), ("pause", ""), ("pause", "\x00"), ("drain", "gone-1"), ("drain", ""), ("requeue", "x"),
        ("task", "format the disk"), ("stop", "mercari"), ("explode", ""), ("", ""),
    ],
)  # fmt: skip
def test_what_there_is_not_is_not_acted_on(operator: Client, do: str, on: str) -> None:
    assert act(operator, do, on=on).status_code == 404
    assert operator.get("/ops/act/", {"do": do, "on": on}).status_code == 404
    assert not AuditEntry.objects.exists()


# ---- what they do


def test_a_paused_marketplace_says_so_and_can_be_resumed(operator: Client, redis: Any) -> None:
    act(operator, "pause", reason="their word")
    assert breaker.read_all(redis, ["mercari"])["mercari"]["reason"] == "paused"
    html = told(operator)
    assert "Mercari is paused by an operator." in html
    assert "do=resume&amp;on=mercari" in html
    act(operator, "resume")
    assert breaker.read_all(redis, ["mercari"])["mercari"]["state"] == "closed"
    assert not MarketplacePause.objects.exists()


def test_a_breaker_is_tried_before_its_time(operator: Client, redis: Any) -> None:
    redis.hset(breaker_key("mercari"), mapping={"state": "open", "until": 4_000_000_000_000, "reason": "blocked"})
    assert "do=probe&amp;on=mercari" in told(operator)
    act(operator, "probe")
    assert breaker.read_all(redis, ["mercari"])["mercari"]["state"] == "half_open"


def test_a_worker_is_told_to_end(operator: Client, redis: Any) -> None:
    with redis.pubsub() as ear:
        ear.subscribe("rq:pubsub:upkeep-1")
        assert ear.get_message(timeout=PATIENCE_SECONDS)["type"] == "subscribe"
        act(operator, "drain")
        assert json.loads(ear.get_message(timeout=PATIENCE_SECONDS)["data"]) == {"command": "shutdown"}


def test_dead_jobs_are_shown_before_they_are_tried_again_or_discarded(operator: Client, redis: Any) -> None:
    now = datetime.now(UTC)
    for number in range(3):
        OutboxRow.objects.create(
            topic=follow.FOLLOW, object_id=number, created_at=now, died_at=now, tries=6, error="ValueError"
        )
    html = told(operator)
    assert "3 consequences failed too often and wait for you." in html
    assert f"do=discard&amp;on={follow.FOLLOW}" in html
    preview = operator.get("/ops/act/", {"do": "requeue", "on": follow.FOLLOW}).content.decode()
    assert "3 are dead," in preview
    assert "ValueError" in preview
    act(operator, "requeue")
    assert OutboxRow.objects.filter(done_at=None, died_at=None, tries=0).count() == 3
    OutboxRow.objects.update(died_at=now)
    act(operator, "discard")
    assert not OutboxRow.objects.filter(done_at=None).exists()


def test_spending_of_everybody_is_paused_and_allowed_again(operator: Client) -> None:
    act(operator, "stop", reason="card stolen")
    assert Switch.objects.get(user=None).reason == "card stolen"
    assert {"do=stop", "do=spend"} <= set(re.findall(r"do=s\w+", told(operator)))
    act(operator, "spend")
    assert Switch.objects.get(user=None).stopped_at is None


def test_without_redis_it_says_that_nothing_was_changed(operator: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    nowhere = redis_library.Redis.from_url("redis://127.0.0.1:1/0")
    monkeypatch.setattr("monitor_site.ops.acts.redis_client", lambda: nowhere)
    assert "Nothing was changed" in act(operator, "probe").wsgi_request._messages._queued_messages[0].message
    assert act(operator, "drain").status_code == 404


# ---- the bundle


def test_the_bundle_helps_and_names_nobody(operator: Client, alice: User, settings: Any, redis: Any) -> None:
    settings.METRICS_TOKEN = "canary-token"
    Incident.objects.create(kind="load", subject="host", detail="careful", opened_at=datetime.now(UTC))
    answer = act(operator, "bundle")
    assert answer["Content-Type"] == "application/zip"
    archive = zipfile.ZipFile(io.BytesIO(answer.content))
    everything = "\n".join(archive.read(name).decode() for name in archive.namelist())
    assert {"about.json", "doctor.txt", "metrics.txt", "status.json", "incidents.json"} <= set(archive.namelist())
    assert "monitor_redis_up 1" in everything
    assert "careful" in everything
    for secret in (
        str(settings.SECRET_KEY),
        "canary-token",
        "alice",
        "carol-operates",
        *map(str, settings.SECRETS_KEYS),
    ):
        assert secret not in everything


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("redis://user:pw@host/0", "redis://***@host/0"), ("write to a.b@example.org", "write to ***"),
        ("the hidden word", "the *** word"), ("https://host/path", "https://host/path"),
    ],
)  # fmt: skip
def test_what_could_slip_in_is_struck_out(text: str, shown: str) -> None:
    from monitor_site.ops.bundle import redacted

    assert redacted(text, ["hidden"]) == shown
