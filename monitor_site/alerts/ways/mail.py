"""A message as a mail, handed to the operator's server: within seconds or not at all."""

import asyncio
import hashlib
import re
import smtplib
import ssl
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, parseaddr
from functools import cache
from urllib.parse import urljoin

from django.conf import settings as site

from .mail_server import BadMailServer, MailServer, read_mail_server
from .values import MOST_WORDS, PICTURE_ID, Answer, Message, Outcome

SECONDS = 9.0
"""For each step; the whole has a deadline of its own."""
AT_ONCE = 4
CHANNELS = "/channels/"
ADDRESS = re.compile(r"[^@\s]+@[^@\s]+")


def letter(message: Message, *, sender: str, to: str) -> EmailMessage:
    """The mail: text and HTML, the picture inside. A line break in a title ends no header."""
    mail = EmailMessage(policy=SMTP)
    mail["Subject"] = _line(message.subject)
    mail["From"] = sender
    mail["To"] = to
    mail["Date"] = format_datetime(message.at)
    mail["Message-ID"] = message_id(message.id, sender)
    mail["Auto-Submitted"] = "auto-generated"
    mail["List-Unsubscribe"] = f"<{_line(urljoin(message.url, CHANNELS)).replace(' ', '%20')}>"
    mail.set_content(message.text)
    mail.add_alternative(message.mail_html, subtype="html")
    _enclose(mail, message)
    return mail


def _enclose(mail: EmailMessage, message: Message) -> None:
    if message.picture is None:
        return
    html = next(part for part in mail.iter_parts() if part.get_content_type() == "text/html")
    main, _, sub = message.picture.media_type.partition("/")
    assert isinstance(html, EmailMessage)  # noqa: S101 - parts are of the class of the whole
    html.add_related(
        message.picture.data,
        main,
        sub,
        cid=f"<{PICTURE_ID}>",
        disposition="inline",
        filename=_line(message.picture.name),
    )


def _line(text: str) -> str:
    return " ".join("".join(sign if sign.isprintable() else " " for sign in text).split())


def message_id(id: str, sender: str) -> str:
    """Stays over retries, so a mailbox that got it twice may show it once."""
    domain = parseaddr(sender)[1].rpartition("@")[2] or "localhost"
    return f"<{hashlib.sha256(id.encode()).hexdigest()[:32]}@{domain}>"


class Mailer:
    """Threads that speak with the server; each mail has a connection of its own."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="mail")

    async def send(self, settings: Mapping[str, str], message: Message) -> Answer:
        """Hand it over."""
        server, to = _server(), settings.get("to", "").strip()
        if server is None or not site.EMAIL_FROM or not ADDRESS.fullmatch(to):
            return Answer(outcome=Outcome.FORBIDDEN)
        try:
            mail = letter(message, sender=site.EMAIL_FROM, to=to)
        except ValueError:
            return Answer(outcome=Outcome.REFUSED)
        handing = Handing(server)
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, handing.over, mail, to)
        finally:
            handing.cut()

    def close(self) -> None:
        """Take no more; threads that still speak end with their time-outs."""
        self._threads.shutdown(wait=False, cancel_futures=True)


def _server() -> MailServer | None:
    try:
        return read_mail_server(site.EMAIL_URL)
    except BadMailServer:
        return None


class Plain(smtplib.SMTP):
    """Connects when told to, so that whoever waits can already cut it; knows the name that certificates must have."""

    def __init__(self, host: str) -> None:
        super().__init__(timeout=SECONDS)
        self._host = host


class Encrypted(smtplib.SMTP_SSL):
    """The same, encrypted from the first byte."""

    def __init__(self, host: str) -> None:
        super().__init__(timeout=SECONDS, context=_tls())
        self._host = host


class Handing:
    """One mail on its way; :meth:`cut` from another thread ends it, however slowly the server speaks."""

    def __init__(self, server: MailServer) -> None:
        self._server = server
        self._smtp: smtplib.SMTP | None = None
        self._is_cut = False

    def over(self, mail: EmailMessage, to: str) -> Answer:
        """Speak with the server, and understand what it says."""
        try:
            self._open().send_message(mail, to_addrs=[to])
            return Answer(outcome=Outcome.ACCEPTED, status=250)
        except smtplib.SMTPRecipientsRefused as error:
            return _answer(*next(iter(error.recipients.values())), wrong=Outcome.FORBIDDEN)
        except smtplib.SMTPAuthenticationError as error:
            return _answer(error.smtp_code, error.smtp_error, wrong=Outcome.FORBIDDEN)
        except smtplib.SMTPResponseException as error:
            return _answer(error.smtp_code, error.smtp_error, wrong=Outcome.REFUSED)
        except smtplib.SMTPNotSupportedError:  # no encryption where it is demanded, or no such letters in an address
            return Answer(outcome=Outcome.FORBIDDEN)
        except (smtplib.SMTPException, OSError):
            return Answer(outcome=Outcome.UNREACHABLE)
        finally:
            self._leave()

    def _leave(self) -> None:
        """Say good-bye; what the server makes of it changes nothing any more."""
        if self._smtp is not None:
            with suppress(smtplib.SMTPException, OSError):
                self._smtp.quit()
            self._smtp.close()

    def _open(self) -> smtplib.SMTP:
        server = self._server
        self._smtp = smtp = Encrypted(server.host) if server.tls == "implicit" else Plain(server.host)
        code, words = smtp.connect(server.host, server.port)
        if code != 220 or self._is_cut:
            raise smtplib.SMTPConnectError(code, words)
        if server.tls == "starttls":
            smtp.starttls(context=_tls())
        if server.user:
            smtp.login(server.user, server.password)
        return smtp

    def cut(self) -> None:
        """End the connection, if there still is one."""
        self._is_cut = True
        if self._smtp is not None and (sock := self._smtp.sock) is not None:
            with suppress(OSError):
                sock.shutdown(2)


@cache
def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()


def _answer(code: int, words: bytes | str, *, wrong: Outcome) -> Answer:
    if code < 400:
        return Answer(outcome=Outcome.UNREACHABLE)  # it speaks another language
    said = words.decode("utf-8", "replace") if isinstance(words, bytes) else words
    outcome = Outcome.THROTTLED if code < 500 else wrong
    return Answer(outcome=outcome, status=code, words=_line(said)[:MOST_WORDS])
