"""Judging a request's proof the way the real market might: method, address, time, widths, signature."""

import base64
import binascii
import hashlib
from functools import lru_cache
from typing import Any

import orjson
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, utils

SKEW_SECONDS = 300


class BadProof(ValueError):
    """The proof is not accepted; the text is the reason for the log."""


def check(proof: str, *, method: str, urls: tuple[str, ...], wall: float) -> str:
    """Accept a proof for a request to one of ``urls`` at real time ``wall``, or raise :class:`BadProof`.

    Returns the thumbprint of the key.
    """
    head, _, rest = proof.partition(".")
    body, _, signature = rest.partition(".")
    header, claims = _json(head, "header"), _json(body, "claims")
    key = _check_header(header)
    _check_claims(claims, method=method, urls=urls, wall=wall)
    _check_signature(key, f"{head}.{body}".encode(), _bytes(signature, "signature"))
    return hashlib.sha256(f"{header['jwk']['x']}{header['jwk']['y']}".encode()).hexdigest()[:16]


def _check_header(header: dict[str, Any]) -> ec.EllipticCurvePublicKey:
    jwk = header.get("jwk")
    if header.get("typ") != "dpop+jwt" or header.get("alg") != "ES256" or not isinstance(jwk, dict):
        raise BadProof("header is not that of an ES256 proof with its key")
    if jwk.get("kty") != "EC" or jwk.get("crv") != "P-256" or "d" in jwk:
        raise BadProof("key is not a public P-256 key")
    return _key(str(jwk.get("x", "")), str(jwk.get("y", "")))


@lru_cache(maxsize=1024)
def _key(x: str, y: str) -> ec.EllipticCurvePublicKey:
    coordinates = [_bytes(part, "coordinate") for part in (x, y)]
    if any(len(part) != 32 for part in coordinates):
        raise BadProof("coordinate is not 32 bytes")
    numbers = [int.from_bytes(part, "big") for part in coordinates]
    try:
        return ec.EllipticCurvePublicNumbers(numbers[0], numbers[1], ec.SECP256R1()).public_key()
    except ValueError as wrong:
        raise BadProof("key is not on the curve") from wrong


def _check_claims(claims: dict[str, Any], *, method: str, urls: tuple[str, ...], wall: float) -> None:
    if claims.get("htm") != method:
        raise BadProof(f"htm {claims.get('htm')}")
    if claims.get("htu") not in urls:
        raise BadProof(f"htu {claims.get('htu')}")
    issued = claims.get("iat")
    if not isinstance(issued, int) or abs(wall - issued) > SKEW_SECONDS:
        raise BadProof(f"iat {issued} at {int(wall)}")
    if not isinstance(claims.get("jti"), str) or not claims["jti"]:
        raise BadProof("no jti")


def _check_signature(key: ec.EllipticCurvePublicKey, signed: bytes, signature: bytes) -> None:
    if len(signature) != 64:
        raise BadProof(f"signature of {len(signature)} bytes")
    pair = utils.encode_dss_signature(int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big"))
    try:
        key.verify(pair, signed, ec.ECDSA(hashes.SHA256()))
    except InvalidSignature as wrong:
        raise BadProof("signature does not fit") from wrong


def _bytes(text: str, what: str) -> bytes:
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError) as unread:
        raise BadProof(f"{what} is not base64url") from unread


def _json(text: str, what: str) -> dict[str, Any]:
    try:
        value = orjson.loads(_bytes(text, what))
    except orjson.JSONDecodeError as unread:
        raise BadProof(f"{what} is not JSON") from unread
    if not isinstance(value, dict):
        raise BadProof(f"{what} is not an object")
    return value
