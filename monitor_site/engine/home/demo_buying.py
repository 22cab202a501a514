"""What lets the demo person buy at a practice market: an account it knows, a budget, and a watch that proposes."""

from datetime import datetime
from importlib import import_module

from django.conf import settings

from monitor_site.accounts.models import User
from monitor_site.contract import Capability, Plugin
from monitor_site.marketplaces import services
from monitor_site.marketplaces.catalog import catalog
from monitor_site.marketplaces.models import MarketplaceAccount
from monitor_site.purchasing import budgeting, rules
from monitor_site.watches.models import Watch

LABEL = "practice"
REASON = "practice market: nothing is paid"
LIMITS = budgeting.Limits(per_item=15_000, per_day=60_000, per_month=200_000)
PRICE_MAX = 7_000
MINUTES = 15
SHIPPING_ESTIMATE = 1_500


def let_buy(*, user: User, watch: Watch, now: datetime) -> None:
    """Have matches of ``watch`` proposed, and bought, once approved, with an account that the practice market knows."""
    if settings.LIVE or not (account := _connected(user, watch.marketplaces[0], now)):
        return
    budgeting.set_overall_budget(user=user, limits=LIMITS, now=now)
    wish = rules.BuyWish(
        price_max=PRICE_MAX, shipping_estimate=SHIPPING_ESTIMATE, approval_minutes=MINUTES, account=account
    )
    rules.set_rule(watch=watch, wish=wish, now=now)


def _connected(user: User, marketplace: str, now: datetime) -> MarketplaceAccount | None:
    """``None`` where nothing can be bought, or no account is played."""
    plugin = catalog().plugins.get(marketplace)
    if plugin is None or Capability.BUY not in plugin.manifest.capabilities:
        return None
    values, secrets = _settings(plugin)
    account = services.connect_account(
        marketplace=marketplace, user=user, label=LABEL, values=values, secrets=secrets, now=now
    )
    services.let_spend(account=account, by=user, reason=REASON, now=now)
    return account


def _settings(plugin: Plugin) -> tuple[dict[str, str], dict[str, str]]:
    """An account of the practice market: what anybody may see, and what is sealed."""
    given = import_module(plugin.practice).account("demo")
    secret = services.secret_names(plugin.manifest.settings) if plugin.manifest.settings else set()
    values = {name: value for name, value in given.items() if name not in secret}
    return values, {name: value for name, value in given.items() if name in secret}
