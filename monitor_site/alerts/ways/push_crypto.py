"""Web push's two pieces of cryptography: the encrypted body (RFC 8291) and the sender's proof (RFC 8292).

Written here, some forty lines over ``cryptography``, since the libraries that do it come without a wheel or with a
second HTTP client; the tests hold it against the RFC's own example and a receiver written apart.
"""

import base64
import os
from functools import cache

import jwt
from cryptography.hazmat.primitives import hashes, hmac
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDFExpand
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

RECORD_BYTES = 4096
LAST_RECORD = b"\x02"
CURVE = ec.SECP256R1()


def from_base64(text: str) -> bytes:
    """URL-safe base64 with or without its padding. Raises ``ValueError``."""
    bare = text.rstrip("=")
    return base64.b64decode(bare + "=" * (-len(bare) % 4), altchars=b"-_", validate=True)


def to_base64(data: bytes) -> str:
    """URL-safe base64 without padding."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def point(key: ec.EllipticCurvePublicKey) -> bytes:
    """A public key as 65 bytes."""
    return key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def encrypt(
    plain: bytes, *, p256dh: str, auth: str, salt: bytes = b"", sender: ec.EllipticCurvePrivateKey | None = None
) -> bytes:
    """One ``aes128gcm`` record that only the subscription's browser can read. Raises ``ValueError`` for bad keys.

    ``salt`` and ``sender`` are made up; the example of the RFC gives them.
    """
    salt, sender = salt or os.urandom(16), sender or ec.generate_private_key(CURVE)
    receiver = ec.EllipticCurvePublicKey.from_encoded_point(CURVE, from_base64(p256dh))
    shared, mine = sender.exchange(ec.ECDH(), receiver), point(sender.public_key())
    material = _derive(from_base64(auth), shared, b"WebPush: info\0" + point(receiver) + mine, 32)
    key = _derive(salt, material, b"Content-Encoding: aes128gcm\0", 16)
    nonce = _derive(salt, material, b"Content-Encoding: nonce\0", 12)
    head = salt + RECORD_BYTES.to_bytes(4, "big") + len(mine).to_bytes(1, "big") + mine
    return head + AESGCM(key).encrypt(nonce, plain + LAST_RECORD, None)


def _derive(salt: bytes, material: bytes, info: bytes, length: int) -> bytes:
    extract = hmac.HMAC(salt, hashes.SHA256())
    extract.update(material)
    return HKDFExpand(hashes.SHA256(), length, info).derive(extract.finalize())


def new_private_key() -> str:
    """A key for an installation, as text."""
    number = ec.generate_private_key(CURVE).private_numbers().private_value
    return to_base64(number.to_bytes(32, "big"))


@cache
def read_private_key(text: str) -> ec.EllipticCurvePrivateKey:
    """The key that :func:`new_private_key` wrote. Raises ``ValueError``."""
    raw = from_base64(text)
    if len(raw) != 32:
        raise ValueError("VAPID_PRIVATE_KEY must be 32 bytes in URL-safe base64.")
    return ec.derive_private_key(int.from_bytes(raw, "big"), CURVE)


def proof(key: ec.EllipticCurvePrivateKey, *, audience: str, subject: str, expires: int) -> str:
    """The header ``Authorization``: who sends, to which push service, until when."""
    token = jwt.encode({"aud": audience, "exp": expires, "sub": subject}, key, algorithm="ES256")
    return f"vapid t={token}, k={to_base64(point(key.public_key()))}"
