"""A plugin whose marketplace wants an account, and canary values that must appear nowhere."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from monitor_site.contract import AccountSettings, option
from monitor_site.marketplaces import services
from monitor_site.marketplaces.models import MarketplaceAccount

CANARY = "canary-of-a-secret"


@dataclass(frozen=True, slots=True, kw_only=True)
class Keys(AccountSettings):
    """What the bazaar gives its partners."""

    partner: str = option(label="Partner", help="As on your contract.")
    token: str = option(label="Token", secret=True)
    second: str = option(label="Second token", secret=True, default="")
    area: str = option(label="Area", default="east", choices={"east": "East", "west": "West"})


def account(now: datetime, *, secrets: dict[str, str] | None = None, **changes: Any) -> MarketplaceAccount:
    """A connected account of the installation at the bazaar."""
    usual = {"marketplace": "bazaar", "user": None, "label": "ours", "values": {"partner": "p-1"}}
    given = {"token": CANARY} if secrets is None else secrets
    return services.connect_account(**(usual | {"secrets": given, "now": now} | changes))
