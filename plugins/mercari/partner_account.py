"""The account of a partner of Mercari: who asks, and where what is bought goes."""

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from monitor_site.contract import AccountSettings, option
from monitor_site.contract import gettext_noop as _

# An access token is renewed when so little is left of it.
MARGIN = timedelta(seconds=60)


@dataclass(frozen=True, slots=True, kw_only=True)
class PartnerAccount(AccountSettings):
    """Credentials that Mercari granted for its partner API, and an address in Japan.

    ``access`` is the last access token with its end and whose it is; the plugin renews it.
    """

    client_id: str = option(label=_("Client ID"), help=_("As Mercari gave it to you for the partner API."))
    client_secret: str = option(label=_("Client secret"), secret=True)
    refresh_token: str = option(
        label=_("Refresh token"), help=_("From the consent of the buyer, with the scope openapi:buy."), secret=True
    )
    place: str = option(
        label=_("Server"), choices={"live": _("Mercari itself"), "sandbox": _("Mercari's sandbox")}, default="live"
    )
    authorization: str = option(
        label=_("How the token is sent"),
        help=_("Public clients differ in it; change it when Mercari does not accept the token."),
        choices={"bearer": _("With the word Bearer"), "bare": _("Alone")},
        default="bearer",
    )
    family_name: str = option(label=_("Family name"))
    first_name: str = option(label=_("First name"))
    family_name_kana: str = option(label=_("Family name in katakana"))
    first_name_kana: str = option(label=_("First name in katakana"))
    telephone: str = option(label=_("Telephone"))
    zip_code: str = option(label=_("Postal code"), help=_("Seven digits."))
    prefecture: str = option(label=_("Prefecture"))
    city: str = option(label=_("City"))
    address1: str = option(label=_("Street and number"))
    address2: str = option(label=_("Building"), default="")
    label: str = option(
        label=_("Order number on the parcel"),
        help=_("Mercari takes a free text beside the address; by it a purchase is recognized as yours."),
        choices={"yes": _("Yes"), "no": _("No")},
        default="yes",
    )
    access: str = option(label=_("Access token"), secret=True, default="", shown=False)

    @property
    def fingerprint(self) -> str:
        """By which an access token is known to be of these credentials and of no earlier ones."""
        return fingerprint(self.client_id, self.refresh_token)

    def token(self, now: datetime) -> str:
        """The access token, empty when it must be renewed."""
        whose, until, token = [*self.access.split(" ", 2), "", "", ""][:3]
        if whose != self.fingerprint or not until.isdecimal():
            return ""
        return token if datetime.fromtimestamp(int(until), tz=UTC) - now > MARGIN else ""


def fingerprint(client_id: str, refresh_token: str) -> str:
    """As :attr:`PartnerAccount.fingerprint`."""
    return hashlib.sha256(f"{client_id}\0{refresh_token}".encode()).hexdigest()[:16]


def access_of(token: str, *, seconds: int, whose: str, now: datetime) -> str:
    """What is kept of an access token that is good for so many seconds."""
    return f"{whose} {int(now.timestamp()) + seconds} {token}"
