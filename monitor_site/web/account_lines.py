"""What the page of marketplace accounts shows, as plain values. Nothing here can open a secret."""

import time
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

import redis
from django.conf import settings
from django.utils.translation import get_language, gettext

from monitor_site import wording
from monitor_site.connections import redis_client
from monitor_site.contract import AccountSettings, Capability, Manifest
from monitor_site.marketplaces import pace
from monitor_site.marketplaces.catalog import catalog
from monitor_site.marketplaces.models import MarketplaceAccount
from monitor_site.marketplaces.proxies import BadProxies, parse_proxies
from monitor_site.marketplaces.services import secret_names
from monitor_site.purchasing import account_use, queries
from monitor_site.purchasing.account_use import Use
from monitor_site.purchasing.models import Budget

from .account_words import State, ability_words, access_words, state_of
from .budget_lines import Counter, counter_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One account."""

    account: MarketplaceAccount
    title: str
    masked: str
    state: State
    purpose: str
    last_success: datetime | None
    asked: tuple[int, int] | None
    per_hour: int
    per_day: int
    today: str
    way: str
    given: list[tuple[str, str]]
    counters: list[Counter]
    use: Use
    practice: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Market:
    """One marketplace: what its plugin can do, and what its operator says about it."""

    name: str
    title: str
    abilities: list[tuple[str, bool]]
    note: str
    terms_url: str
    access: str
    connects: bool


def page_of(user: Any, *, now: datetime) -> dict[str, Any]:
    """Everything on the page."""
    rows = MarketplaceAccount.objects.of(user).select_related("spends_by").order_by("marketplace", "pk")
    return {"lines": [line_of(row, now=now) for row in rows], "markets": [market_of(name) for name in sorted_names()]}


def sorted_names() -> list[str]:
    """The marketplaces that work here."""
    return sorted(catalog().plugins)


def line_of(account: MarketplaceAccount, *, now: datetime) -> Line:
    """One account."""
    plugin = catalog().plugins.get(account.marketplace)
    budget = Budget.objects.filter(account=account).first()
    rooms = queries.rooms_of(budget, now=now) if budget else []
    shape = plugin.manifest.settings if plugin else None
    per_minute = catalog().pace(account.marketplace).per_minute if plugin else 0
    return Line(
        account=account,
        title=title_of(account.marketplace),
        masked=masked_id(account, shape),
        state=state_of(account, now=now),
        purpose=purpose_of(plugin.manifest if plugin else None),
        last_success=account_use.last_answer(account),
        asked=_asked(account),
        per_hour=60 * per_minute,
        per_day=24 * 60 * per_minute,
        today=_today(account, budget, now),
        way=way_words(account.marketplace),
        given=given_of(account, shape),
        counters=[counter_of(room, now=now) for room in rooms if room.limit is not None],
        use=account_use.use_of(account),
        practice=bool(plugin and catalog().practice_address(account.marketplace)),
    )


def _today(account: MarketplaceAccount, budget: Budget | None, now: datetime) -> str:
    """What was spent today, and of how much, where the day has a limit."""
    spent = wording.money(account_use.spent_today(account, now=now))
    return f"{spent} / {wording.money(budget.per_day)}" if budget and budget.per_day else spent


def way_words(marketplace: str) -> str:
    """Whether requests go through a proxy; which one is the operator's affair."""
    if catalog().practice_address(marketplace):
        return gettext("directly")
    try:
        proxied = marketplace in parse_proxies(settings.PROXIES)
    except BadProxies:
        return gettext("not known")
    return gettext("through a proxy") if proxied else gettext("directly")


def given_of(account: MarketplaceAccount, shape: type[AccountSettings] | None) -> list[tuple[str, str]]:
    """What was filled in and is no secret, such as where things are sent: masked, unless it is one of a few choices."""
    specs = [spec for spec in fields(shape) if spec.name not in secret_names(shape)] if shape else []
    return [(_label(spec), _shown(spec, account.values[spec.name])) for spec in specs if account.values.get(spec.name)]


def _label(spec: Any) -> str:
    return gettext(spec.metadata["label"]) if spec.metadata.get("label") else spec.name


def _shown(spec: Any, value: str) -> str:
    choices = spec.metadata.get("choices") or {}
    return gettext(choices[value]) if value in choices else masked(value)


def _asked(account: MarketplaceAccount) -> tuple[int, int] | None:
    """Requests of the last hour and day; ``None`` when Redis does not say."""
    try:
        return pace.asked(redis_client(), marketplace=account.marketplace, account=account.pk, now=time.time())
    except redis.RedisError:
        return None


def title_of(marketplace: str) -> str:
    """Its name in the reader's language."""
    return catalog().title(marketplace, get_language() or "en")


def purpose_of(manifest: Manifest | None) -> str:
    """What an account there is for."""
    able = manifest.capabilities if manifest else frozenset()
    if Capability.BID in able:
        return gettext("to order and to bid")
    return gettext("to order") if Capability.BUY in able else gettext("to watch only")


def masked_id(account: MarketplaceAccount, shape: type[AccountSettings] | None) -> str:
    """Enough of whose account it is to tell two apart."""
    open_names = [spec.name for spec in fields(shape) if spec.name not in secret_names(shape)] if shape else []
    first = next((account.values[name] for name in open_names if account.values.get(name)), "")
    return masked(account.known_as or first)


def masked(text: str) -> str:
    """The first two signs and, of longer ones, the last two; of short ones a third."""
    shown = min(2, max(1, len(text) // 3))
    return f"{text[:2]}…{text[-2:]}" if len(text) > 6 else f"{text[:shown]}…" if text else ""


def market_of(name: str) -> Market:
    """One marketplace."""
    manifest = catalog().plugins[name].manifest
    language = get_language() or "en"
    return Market(
        name=name,
        title=title_of(name),
        abilities=[(word, one in manifest.capabilities) for one, word in ability_words().items()],
        note=manifest.notes.get(language) or manifest.notes.get("en", ""),
        terms_url=manifest.terms_url,
        access=access_words()[manifest.access],
        connects=connects(manifest),
    )


def connects(manifest: Manifest) -> bool:
    """Whether a person can connect an account of their own there: only those that order have one."""
    return manifest.settings is not None and Capability.BUY in manifest.capabilities
