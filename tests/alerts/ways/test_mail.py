"""Mail through the operator's server: one letter, with nothing in its headers that a seller wrote there."""

import email
import email.policy
import ssl
from collections.abc import AsyncIterator, Callable
from datetime import datetime, timedelta
from email.message import EmailMessage
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from monitor_site.alerts.ways import guard, mail
from monitor_site.alerts.ways.kinds import BadChannel, check
from monitor_site.alerts.ways.mail import letter
from monitor_site.alerts.ways.mail_server import BadMailServer, MailServer, read_mail_server
from monitor_site.alerts.ways.send import Way, send
from monitor_site.alerts.ways.values import Message, Outcome, Picture
from tests.marketplaces.test_guard import self_signed
from tests.waiting import PATIENCE_SECONDS

from .mail_sink import MailSink, listening

Made = Callable[..., Message]
TO = {"to": "alice@example.com"}


@pytest.fixture
async def mail_sink(settings: Any) -> AsyncIterator[MailSink]:
    """A server that the installation is set up to use."""
    async with listening(MailSink()) as sink:
        settings.EMAIL_URL = f"smtp://robot:geheim@127.0.0.1:{sink.port}?tls=none"
        settings.EMAIL_FROM = "Monitor <monitor@example.org>"
        yield sink


def read(raw: bytes) -> EmailMessage:
    found = email.message_from_bytes(raw, policy=email.policy.default)
    assert isinstance(found, EmailMessage)
    return found


async def test_a_letter_arrives_with_text_html_and_the_picture_inside(
    way: Way, mail_sink: MailSink, message: Made, picture: Picture
) -> None:
    answer = await send(kind="mail", settings=TO, message=message(picture=picture), way=way)

    assert (answer.outcome, answer.status) == (Outcome.ACCEPTED, 250)
    found = read(mail_sink.letters[0])
    text, html = found.get_body(("plain",)), found.get_body(("html",))
    assert text
    assert html
    assert "A camera" in text.get_content()
    assert "<p>A camera</p>" in html.get_content()
    inside = next(part for part in found.walk() if part.get_content_type() == "image/jpeg")
    assert (inside["Content-ID"], inside.get_content_disposition()) == ("<picture>", "inline")
    assert inside.get_payload(decode=True) == picture.data
    assert "rcpt TO:<alice@example.com>" in mail_sink.said


async def test_a_letter_says_that_a_machine_wrote_it_and_where_to_stop_it(
    way: Way, mail_sink: MailSink, message: Made
) -> None:
    for _ in range(2):
        await send(kind="mail", settings=TO, message=message(), way=way)

    first, second = map(read, mail_sink.letters)
    assert first["Auto-Submitted"] == "auto-generated"
    assert first["List-Unsubscribe"] == "<https://monitor.example/channels/>"
    assert first["Message-ID"] == second["Message-ID"]
    assert first["Message-ID"].endswith("@example.org>")
    assert first["Subject"] == "カメラ <LUMINA> 12,000円"


@given(subject=some.text(max_size=300), id=some.text(min_size=1, max_size=80))
def test_no_title_makes_a_header_of_its_own(subject: str, id: str) -> None:
    hostile = made(subject=f"{subject}\r\nBcc: everybody@example.com\r\n\r\n<script>", id=id)

    found = read(bytes(letter(hostile, sender="monitor@example.org", to="alice@example.com")))

    assert found["Bcc"] is None
    assert sorted(found.keys()) == [
        *("Auto-Submitted", "Content-Type", "Date", "From", "List-Unsubscribe", "MIME-Version", "Message-ID"),
        *("Subject", "To"),
    ]
    body = found.get_body(("plain",))
    assert body is not None
    assert body.get_content().strip() == "text"


def made(**changes: Any) -> Message:
    from datetime import UTC, datetime

    usual: dict[str, Any] = {
        "id": "1",
        "at": datetime(2026, 5, 1, tzinfo=UTC),
        "subject": "s",
        "text": "text",
        "html": "",
        "markdown": "",
        "mail_html": "<p>text</p>",
        "url": "https://monitor.example/m/1/",
        "picture": None,
        "payload": {},
        "urgent": False,
    }
    cleaned = {
        name: value.encode("utf-8", "replace").decode() if isinstance(value, str) else value
        for name, value in changes.items()
    }
    return Message(**usual | cleaned)


@pytest.mark.parametrize(
    ("replies", "outcome", "status", "words"),
    [
        ({"AUTH": "535 5.7.8 wrong password"}, Outcome.FORBIDDEN, 535, "5.7.8 wrong password"),
        ({"RCPT": "550 5.1.1 no such user"}, Outcome.FORBIDDEN, 550, "5.1.1 no such user"),
        ({"RCPT": "450 4.2.0 greylisted"}, Outcome.THROTTLED, 450, "4.2.0 greylisted"),
        ({"MAIL": "421 4.7.0 too many"}, Outcome.THROTTLED, 421, "4.7.0 too many"),
        ({"LETTER": "554 5.7.1 looks like spam"}, Outcome.REFUSED, 554, "5.7.1 looks like spam"),
        ({"HELLO": "554 go away"}, Outcome.REFUSED, 554, "go away"),
        ({"HELLO": "no mail server"}, Outcome.UNREACHABLE, None, ""),
    ],
)
async def test_what_the_server_says_becomes_an_outcome(
    way: Way,
    mail_sink: MailSink,
    message: Made,
    replies: dict[str, str | None],
    outcome: Outcome,
    status: int | None,
    words: str,
) -> None:
    mail_sink.replies = replies

    answer = await send(kind="mail", settings=TO, message=message(), way=way)

    assert (answer.outcome, answer.words) == (outcome, words)
    assert status is None or answer.status == status


@pytest.mark.parametrize("silent", ["HELLO", "EHLO", "LETTER"])
async def test_a_server_that_says_nothing_is_left_at_the_deadline(
    mail_sink: MailSink, message: Made, silent: str
) -> None:
    mail_sink.replies[silent] = None
    async with Way(deadline_seconds=0.4) as way:
        answer = await send(kind="mail", settings=TO, message=message(), way=way)

    assert answer.outcome is Outcome.UNREACHABLE
    assert answer.seconds < PATIENCE_SECONDS


async def test_encryption_is_not_given_up_where_the_server_has_none(
    settings: Any, way: Way, mail_sink: MailSink, message: Made
) -> None:
    settings.EMAIL_URL = f"smtp://robot:geheim@127.0.0.1:{mail_sink.port}"

    answer = await send(kind="mail", settings=TO, message=message(), way=way)

    assert answer.outcome is Outcome.FORBIDDEN
    assert not [line for line in mail_sink.said if "AUTH" in line]


@pytest.fixture
def trusted(tmp_path: Path, now: datetime, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    """A certificate for localhost that mail trusts, as the server shows it."""
    pem = self_signed(tmp_path, now - timedelta(days=3650), "localhost")  # whatever the machine's clock says
    served, trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER), ssl.create_default_context()
    served.load_cert_chain(pem)
    trusting.load_verify_locations(pem)
    monkeypatch.setattr(mail, "_tls", lambda: trusting)
    return served


@pytest.mark.parametrize(("host", "outcome"), [("localhost", Outcome.ACCEPTED), ("127.0.0.1", Outcome.UNREACHABLE)])
async def test_before_the_password_the_certificate_must_be_the_servers(
    settings: Any, way: Way, mail_sink: MailSink, message: Made, trusted: ssl.SSLContext, host: str, outcome: Outcome
) -> None:
    mail_sink.tls = trusted
    settings.EMAIL_URL = f"smtp://robot:geheim@{host}:{mail_sink.port}"

    answer = await send(kind="mail", settings=TO, message=message(), way=way)

    assert answer.outcome is outcome
    assert bool(mail_sink.letters) is (outcome is Outcome.ACCEPTED)
    assert bool([line for line in mail_sink.said if "AUTH" in line]) is (outcome is Outcome.ACCEPTED)


@pytest.mark.parametrize(("host", "outcome"), [("localhost", Outcome.ACCEPTED), ("127.0.0.1", Outcome.UNREACHABLE)])
async def test_a_server_that_is_encrypted_from_the_first_byte_is_spoken_to(
    settings: Any, way: Way, message: Made, trusted: ssl.SSLContext, host: str, outcome: Outcome
) -> None:
    async with listening(MailSink(), ssl=trusted) as sink:
        settings.EMAIL_URL, settings.EMAIL_FROM = f"smtps://{host}:{sink.port}", "monitor@example.org"
        answer = await send(kind="mail", settings=TO, message=message(), way=way)

    assert answer.outcome is outcome


async def test_without_a_server_the_form_says_so_and_nothing_is_sent(settings: Any, way: Way, message: Made) -> None:
    settings.EMAIL_URL = ""

    with pytest.raises(BadChannel, match="has not set up sending mail"):
        check("mail", TO, {})
    answer = await send(kind="mail", settings=TO, message=message(), way=way)

    assert answer.outcome is Outcome.FORBIDDEN


@pytest.mark.parametrize("to", ["", "alice", "alice@example.com, bob@example.com", "a@b\r\nBcc: c@d", "<a@b>"])
async def test_only_one_plain_address_is_written_to(mail_sink: MailSink, way: Way, message: Made, to: str) -> None:
    with pytest.raises(BadChannel):
        check("mail", {"to": to}, {})
    if "," not in to and "<" not in to:
        await send(kind="mail", settings={"to": to}, message=message(), way=way)

    assert not [line for line in mail_sink.said if "bcc" in line.lower()]


@pytest.mark.parametrize(
    ("text", "server"),
    [
        ("", None),
        ("smtp://host", MailServer(host="host", port=587, tls="starttls")),
        (
            "smtps://u%40x:p%2F%3A@host",
            MailServer(host="host", port=465, tls="implicit", user="u@x", password="p/:"),
        ),
        ("smtp://host:25?tls=none", MailServer(host="host", port=25, tls="none")),
        ("smtp://host:587/?tls=starttls", MailServer(host="host", port=587, tls="starttls")),
    ],
)
def test_the_setting_is_read(text: str, server: MailServer | None) -> None:
    assert read_mail_server(text) == server


@pytest.mark.parametrize(
    "text", ["host", "http://host", "smtp://", "smtp://u:secret@host?tls=maybe", "smtps://h?tls=none", "smtp://h:x"]
)
def test_a_setting_that_cannot_be_read_is_complained_about_without_its_password(text: str, settings: Any) -> None:
    settings.EMAIL_URL = text

    with pytest.raises(BadMailServer, match="EMAIL_URL cannot be read") as refused:
        read_mail_server(text)

    assert "secret" not in str(refused.value)
    assert guard.complaints() == [str(refused.value)]


def test_the_password_is_in_no_repr() -> None:
    assert "geheim" not in repr(read_mail_server("smtp://robot:geheim@host"))
