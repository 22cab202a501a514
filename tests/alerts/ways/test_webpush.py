"""Web push, held against the example of RFC 8291 and a receiver that was written apart."""

import hashlib
import hmac
import json
from collections.abc import Callable
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from hypothesis import given
from hypothesis import strategies as some

from monitor_site.alerts.ways.push_crypto import encrypt, from_base64, point, to_base64
from monitor_site.alerts.ways.send import Way, send
from monitor_site.alerts.ways.values import Message, Outcome
from monitor_site.alerts.ways.webpush import payload, public_key
from tests.marketplaces.loopback import Loopback

Made = Callable[..., Message]


class Browser:
    """A receiver: its keys, and how it opens what it gets, step by step after the RFC with nothing but HMAC."""

    def __init__(self) -> None:
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.auth = b"sixteen bytes!!!"

    def subscription(self, endpoint: str) -> dict[str, str]:
        return {"endpoint": endpoint, "p256dh": to_base64(point(self.key.public_key())), "auth": to_base64(self.auth)}

    def open(self, body: bytes) -> bytes:
        salt, length = body[:16], body[20]
        sender, sealed = body[21 : 21 + length], body[21 + length :]
        shared = self.key.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), sender))
        info = b"WebPush: info\0" + point(self.key.public_key()) + sender
        material = mac(mac(self.auth, shared), info + b"\1")
        secret = mac(salt, material)
        key = mac(secret, b"Content-Encoding: aes128gcm\0\1")[:16]
        nonce = mac(secret, b"Content-Encoding: nonce\0\1")[:12]
        plain = AESGCM(key).decrypt(nonce, sealed, None)
        return plain.rstrip(b"\0").removesuffix(b"\2")


def mac(key: bytes, data: bytes) -> bytes:
    return hmac.new(key, data, hashlib.sha256).digest()


def test_the_example_of_the_rfc_comes_out_to_the_byte() -> None:
    private = from_base64("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")
    sender = ec.derive_private_key(int.from_bytes(private, "big"), ec.SECP256R1())

    made = encrypt(
        b"When I grow up, I want to be a watermelon",
        p256dh="BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
        auth="BTBZMqHH6r4Tts7J_aSIgg",
        salt=from_base64("DGv6ra1nlYgDCS1FRnbzlw"),
        sender=sender,
    )

    assert to_base64(made) == (
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_"
        "yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
    )


async def test_a_browser_reads_what_it_gets_and_the_service_knows_who_sent_it(
    way: Way, sink: Loopback, message: Made
) -> None:
    sink.answer("/push/abc", b"", status=201)
    browser = Browser()

    answer = await send(
        kind="webpush", settings=browser.subscription(f"{sink.base}/push/abc"), message=message(urgent=True), way=way
    )

    (asked,) = sink.asked
    told = json.loads(browser.open(asked.body))
    assert (answer.outcome, answer.status) == (Outcome.ACCEPTED, 201)
    assert (told["id"], told["title"], told["url"]) == (
        "event-7",
        "カメラ <LUMINA> 12,000円",
        "https://monitor.example/m/7/",
    )
    assert (asked.headers["content-encoding"], asked.headers["urgency"]) == ("aes128gcm", "high")
    assert int(asked.headers["ttl"]) == 3600
    assert len(asked.headers["topic"]) == 32
    assert claims(asked.headers["authorization"]) == {"aud": sink.base, "sub": "https://monitor.example"}


def claims(header: str) -> dict[str, str]:
    """Verified with the key that the header gives, which must be the one that pages hand to browsers."""
    scheme, _, rest = header.partition(" ")
    parts = dict(part.split("=", 1) for part in rest.split(", "))
    assert (scheme, parts["k"]) == ("vapid", public_key())
    key = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), from_base64(parts["k"]))
    found: dict[str, Any] = jwt.decode(parts["t"], key, algorithms=["ES256"], options={"verify_aud": False})
    assert found.pop("exp")
    return found


@pytest.mark.parametrize(
    ("status", "outcome"),
    [
        (404, Outcome.GONE),
        (410, Outcome.GONE),
        (400, Outcome.FORBIDDEN),
        (403, Outcome.FORBIDDEN),
        (413, Outcome.REFUSED),
        (429, Outcome.THROTTLED),
        (502, Outcome.UNREACHABLE),
    ],
)
async def test_a_push_services_status_becomes_an_outcome(
    way: Way, sink: Loopback, message: Made, status: int, outcome: Outcome
) -> None:
    sink.answer("/p", b"some words", status=status)

    answer = await send(kind="webpush", settings=Browser().subscription(f"{sink.base}/p"), message=message(), way=way)

    assert (answer.outcome, answer.words) == (outcome, "")


@pytest.mark.parametrize("broken", [{"p256dh": ""}, {"p256dh": "AAAA"}, {"auth": "%"}, {"endpoint": "nowhere"}])
async def test_a_broken_subscription_is_forbidden_and_nothing_is_sent(
    way: Way, sink: Loopback, message: Made, broken: dict[str, str]
) -> None:
    settings = Browser().subscription(f"{sink.base}/p") | broken

    answer = await send(kind="webpush", settings=settings, message=message(), way=way)

    assert (answer.outcome, sink.asked) == (Outcome.FORBIDDEN, [])


@given(subject=some.text(max_size=4_000), text=some.text(max_size=6_000))
def test_a_payload_is_never_too_large_and_always_whole_json(subject: str, text: str) -> None:
    found = payload(made(subject, text))

    assert len(found) <= 3_000
    assert text.startswith(json.loads(found)["body"])


def made(subject: str, text: str) -> Message:
    from datetime import UTC, datetime

    return Message(
        id="1",
        at=datetime(2026, 5, 1, tzinfo=UTC),
        subject=subject.encode("utf-8", "replace").decode(),
        text=text,
        html="",
        markdown="",
        mail_html="",
        url="https://monitor.example/m/1/",
        picture=None,
        payload={},
        urgent=False,
    )


@given(plain=some.binary(max_size=3_000))
def test_what_is_encrypted_is_read_again_by_that_browser_alone(plain: bytes) -> None:
    browser, other = Browser(), Browser()
    keys = browser.subscription("")
    sealed = encrypt(plain, p256dh=keys["p256dh"], auth=keys["auth"])

    assert browser.open(sealed) == plain
    with pytest.raises(Exception):  # noqa: B017, PT011 - the library's own
        other.open(sealed)


def test_the_installations_key_is_made_once_and_kept(settings: Any, tmp_path: Any) -> None:
    settings.DATA_DIR = tmp_path

    first = public_key()

    assert public_key() == first
    assert (tmp_path / "vapid_key").stat().st_mode & 0o777 == 0o600
    settings.VAPID_PRIVATE_KEY = (tmp_path / "vapid_key").read_text()
    settings.DATA_DIR = tmp_path / "elsewhere"
    assert public_key() == first
