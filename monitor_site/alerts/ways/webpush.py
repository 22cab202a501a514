"""A message to a browser's push service, encrypted for that browser and signed as from this installation."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from email.utils import parseaddr

from cryptography.hazmat.primitives.asymmetric import ec
from django.conf import settings as site

from monitor_site.keeping import kept

from .addresses import BadAddress, read_address
from .posting import Poster
from .push_crypto import encrypt, new_private_key, point, proof, read_private_key, to_base64
from .values import Answer, Message, Outcome

MOST_BYTES = 3_000
PROOF_SECONDS = 12 * 3600
LIVES_SECONDS = 24 * 3600
URGENT_LIVES_SECONDS = 3600
SHORTER = 0.8


def public_key() -> str:
    """What a page hands to the browser as ``applicationServerKey``."""
    return to_base64(point(_private_key().public_key()))


def _private_key() -> ec.EllipticCurvePrivateKey:
    return read_private_key(site.VAPID_PRIVATE_KEY or kept(site.DATA_DIR / "vapid_key", new_private_key))


async def push(settings: Mapping[str, str], message: Message, *, poster: Poster, now: datetime) -> Answer:
    """Send. A subscription that the service does not know any more is gone, whichever way it says so."""
    try:
        place = read_address(settings.get("endpoint", ""))
        body = encrypt(payload(message), p256dh=settings.get("p256dh", ""), auth=settings.get("auth", ""))
        headers = _headers(message, audience=place.origin, now=now)
    except (BadAddress, ValueError):
        return Answer(outcome=Outcome.FORBIDDEN)
    answer = await poster.post(place.url, body=body, headers=headers, now=now)
    if answer.status == 400:
        return replace(answer, outcome=Outcome.FORBIDDEN)  # services say so of a key that is not ours
    return replace(answer, outcome=Outcome.GONE) if answer.status == 404 else answer


def _headers(message: Message, *, audience: str, now: datetime) -> dict[str, str]:
    expires = int(now.timestamp()) + PROOF_SECONDS
    lives = URGENT_LIVES_SECONDS if message.urgent else LIVES_SECONDS
    return {
        "authorization": proof(_private_key(), audience=audience, subject=_subject(message), expires=expires),
        "content-encoding": "aes128gcm",
        "content-type": "application/octet-stream",
        "ttl": str(lives),
        "urgency": "high" if message.urgent else "normal",
        # Of two that say the same only one is shown, should a repeat overtake the first.
        "topic": to_base64(hashlib.sha256(message.id.encode()).digest())[:32],
    }


def _subject(message: Message) -> str:
    """Whom a push service may ask: the operator's mail, else the site itself."""
    address = parseaddr(site.EMAIL_FROM)[1]
    if address:
        return f"mailto:{address}"
    try:
        return read_address(message.url).origin
    except BadAddress:
        return "https://example.invalid"


def payload(message: Message) -> bytes:
    """What the service worker gets: as much of the text as fits."""
    text = message.text
    while len(packed := _packed(message, text)) > MOST_BYTES and text:
        text = text[: int(len(text) * SHORTER)]
    return packed if len(packed) <= MOST_BYTES else _packed(replace(message, subject=message.subject[:200]), "")


def _packed(message: Message, text: str) -> bytes:
    told = {"id": message.id, "title": message.subject, "body": text, "url": message.url, "urgent": message.urgent}
    return json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode()
