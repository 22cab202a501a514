"""The signed proof that goes with every request: who holds the key, for which address, at which second.

Any self-made P-256 key is accepted; it names no account. Numbers are left-padded to their full width: a coordinate
or signature part that happens to begin with zero would else be a byte short, about once in seventy proofs.
"""

import base64
import secrets
import uuid
from collections.abc import Callable
from datetime import datetime

import jwt
from cryptography.hazmat.primitives.asymmetric import ec

COORDINATE_BYTES = 32


def fresh_key() -> ec.EllipticCurvePrivateKey:
    """A new P-256 key."""
    return ec.generate_private_key(ec.SECP256R1())


def random_id() -> str:
    """A random UUID as text."""
    return str(uuid.UUID(bytes=secrets.token_bytes(16), version=4))


def public_part(key: ec.EllipticCurvePrivateKey) -> dict[str, str]:
    """The public half of ``key`` as a JSON web key."""
    numbers = key.public_key().public_numbers()
    return {"crv": "P-256", "kty": "EC", "x": _coordinate(numbers.x), "y": _coordinate(numbers.y)}


def _coordinate(number: int) -> str:
    return base64.urlsafe_b64encode(number.to_bytes(COORDINATE_BYTES, "big")).rstrip(b"=").decode("ascii")


class Prover:
    """One key and one client id; makes a proof per request. ``random`` gives the ids, new on every call."""

    def __init__(self, *, key: ec.EllipticCurvePrivateKey | None = None, random: Callable[[], str] = random_id) -> None:
        self._key = key or fresh_key()
        self._public = public_part(self._key)
        self._random = random
        self._client = random()

    def proof(self, *, method: str, url: str, now: datetime) -> str:
        """A proof for one request: ``method`` in upper case, the full ``url``, ``now`` aware."""
        claims = {
            "iat": int(now.timestamp()),
            "jti": self._random(),
            "htu": url,
            "htm": method,
            "uuid": self._client,
        }
        return jwt.encode(claims, self._key, algorithm="ES256", headers={"typ": "dpop+jwt", "jwk": self._public})
