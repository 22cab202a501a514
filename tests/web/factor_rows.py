"""Second factors of people in tests."""

import hashlib
import os
import time
from typing import Any

from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP, format_hotp_value, generate_totp_secret, hotp_value
from cryptography.hazmat.primitives.asymmetric import ec
from fido2.cose import ES256
from fido2.utils import websafe_encode
from fido2.webauthn import AttestationObject, AttestedCredentialData, AuthenticatorData, CollectedClientData

from monitor_site.accounts.models import User


def app_of(user: User) -> str:
    """An app with codes, set up; its key."""
    secret = generate_totp_secret()
    TOTP.activate(user, secret)
    return secret


def code_of(secret: str) -> str:
    """What the app shows now."""
    return format_hotp_value(hotp_value(secret, int(time.time()) // 30))


def recovery_of(user: User) -> list[str]:
    """Recovery codes, made."""
    return RecoveryCodes.activate(user).get_unused_codes()


def passkey_of(user: User, *, name: str = "Phone") -> Authenticator:
    """A passkey, set up: nobody can sign in with it, since nobody has its other half."""
    return Authenticator.objects.create(user=user, type=Authenticator.Type.WEBAUTHN, data=passkey_data(name))


def passkey_data(name: str) -> dict[str, Any]:
    """As a browser gives it, made by the library's own types."""
    key = ec.generate_private_key(ec.SECP256R1()).public_key()
    credential = AttestedCredentialData.create(b"\x00" * 16, os.urandom(16), ES256.from_cryptography_key(key))
    flags = AuthenticatorData.FLAG.AT | AuthenticatorData.FLAG.UP
    told = AuthenticatorData.create(hashlib.sha256(b"localhost").digest(), flags, 0, credential)
    client = CollectedClientData.create(type="webauthn.create", challenge=os.urandom(16), origin="http://localhost")
    attestation = AttestationObject.create("none", told, {})
    answer = {"clientDataJSON": websafe_encode(client), "attestationObject": websafe_encode(attestation)}
    made = {"id": websafe_encode(credential.credential_id), "rawId": websafe_encode(credential.credential_id)}
    return {"name": name, "credential": made | {"type": "public-key", "response": answer}}
