"""Secrets of second factors, which signing in needs: sealed in the database like all others."""

import io

import structlog
from allauth.mfa.adapter import DefaultMFAAdapter
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import generate_totp_secret

from monitor_site.marketplaces import vault

from .context import site_name

IDENTITY = "second factor"
SEALED = ("secret", "seed")

log = structlog.get_logger(__name__)


class FactorAdapter(DefaultMFAAdapter):
    """Seals what apps and recovery codes are made from, and draws the code of an app for the policy of our pages."""

    def encrypt(self, text: str) -> str:
        """As the vault writes it."""
        return vault.seal({"text": text}, identity=IDENTITY)

    def decrypt(self, encrypted_text: str) -> str:
        """What was sealed. Without its key no code is right, least of all one that could be computed."""
        try:
            return vault.unseal(encrypted_text, identity=IDENTITY)["text"]
        except (vault.CannotOpen, vault.BadKeys) as error:
            log.error("second_factor.cannot_open", reason=str(error))  # noqa: TRY400  the sentence says it
            return str(generate_totp_secret())

    def get_totp_issuer(self) -> str:
        """The name that apps show beside the code."""
        return site_name()

    def build_totp_svg(self, url: str) -> str:
        """Black on white in either appearance, and no style inside."""
        import qrcode
        from qrcode.image.svg import SvgPathFillImage

        drawn = io.BytesIO()
        qrcode.make(url, image_factory=SvgPathFillImage, box_size=12).save(drawn)  # type: ignore[attr-defined, no-untyped-call]
        svg = drawn.getvalue().decode()
        return svg[svg.index("<svg") :]


def rotate_factors() -> int:
    """Seal all of them with the first key; how many rows. Raises :class:`vault.CannotOpen`, changes none then."""
    rows = list(Authenticator.objects.select_for_update().exclude(type=Authenticator.Type.WEBAUTHN))
    for row in rows:
        row.data |= {name: vault.rotate(row.data[name]) for name in SEALED if name in row.data}
    Authenticator.objects.bulk_update(rows, ["data"])
    return len(rows)
