"""The signed webhook, in the manner of Standard Webhooks: id, timestamp and a signature over both and the body."""

import base64
import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping
from datetime import datetime

from .posting import Poster
from .values import Answer, Message, Outcome

PREFIX = "whsec_"
SECRET_BYTES = 32


def new_secret() -> str:
    """A secret to sign with, as it is handed to the user once."""
    return PREFIX + base64.b64encode(secrets.token_bytes(SECRET_BYTES)).decode()


def signatures(keys: list[str], *, id: str, timestamp: int, body: bytes) -> str:
    """The header ``webhook-signature``: one for each secret, so that a receiver may know the new one or the former."""
    signed = f"{id}.{timestamp}.".encode() + body
    macs = (hmac.digest(_key(secret), signed, hashlib.sha256) for secret in keys)
    return " ".join(f"v1,{base64.b64encode(mac).decode()}" for mac in macs)


def _key(secret: str) -> bytes:
    return base64.b64decode(secret.removeprefix(PREFIX), validate=True)


async def post_signed(settings: Mapping[str, str], message: Message, *, poster: Poster, now: datetime) -> Answer:
    """Send the payload. Without a secret nothing is sent: a receiver could not tell it from anybody's."""
    keys = [settings[name] for name in ("secret", "former_secret") if settings.get(name)]
    body = json.dumps(message.payload, ensure_ascii=False, separators=(",", ":")).encode()
    timestamp = int(now.timestamp())
    try:
        signature = signatures(keys, id=message.id, timestamp=timestamp, body=body)
    except ValueError:
        signature = ""
    if not signature:
        return Answer(outcome=Outcome.FORBIDDEN)
    headers = {
        "content-type": "application/json",
        "webhook-id": message.id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": signature,
    }
    return await poster.post(settings.get("url", ""), body=body, headers=headers, now=now)
