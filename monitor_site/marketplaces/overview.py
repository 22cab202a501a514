"""Every plugin and how it is doing: for the administration page and ``manage.py status``."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import redis
from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext

from monitor_site.contract import Plugin

from . import breaker, pace
from .breaker import BreakerView
from .catalog import Catalog
from .models import MarketplaceAccount
from .proxies import BadProxies, parse_proxies


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One working plugin. ``address`` is empty when it is neither played nor live, ``proxy`` never has a password.

    ``tokens`` are the requests that could go out now, ``None`` when Redis does not say; ``account`` is the
    installation's own, ``needs_account`` whether reading may want one.
    """

    name: str
    plugin: Plugin
    practice: bool
    address: str
    proxy: str
    per_minute: int
    tokens: float | None
    breaker: BreakerView | None
    last_success: datetime | None
    account: MarketplaceAccount | None

    @property
    def needs_account(self) -> bool:
        """Whether the installation can read with an account of its own."""
        return self.plugin.manifest.settings is not None and self.plugin.manifest.reads_signed_in

    @property
    def capabilities(self) -> str:
        """What the plugin can do, by the contract's words."""
        return ", ".join(sorted(self.plugin.manifest.capabilities))

    @property
    def place(self) -> str:
        """Where it is asked, in words."""
        if not self.address:
            return gettext("nowhere: no practice market plays it, and this installation does not ask real ones")
        kind = gettext("%(address)s, its practice market") if self.practice else gettext("%(address)s, the real one")
        return kind % {"address": self.address}

    @property
    def pace_words(self) -> str:
        """How often it may be asked, and how much of that is left."""
        pace = gettext("%(n)d requests a minute") % {"n": self.per_minute}
        unknown = gettext("how many are left is not known")
        left = unknown if self.tokens is None else gettext("%(n)d left now") % {"n": self.tokens}
        return f"{pace}; {left}"

    @property
    def breaker_words(self) -> str:
        """Whether it is asked, else why not and until when."""
        if self.breaker is None:
            return gettext("not known: Redis does not answer")
        if self.is_paused:
            return gettext("paused by the operator")
        state = {"open": gettext("open"), "half_open": gettext("half-open")}.get(self.breaker["state"])
        if state is None or self.breaker_until is None:
            return gettext("closed")
        told = {"state": state, "reason": self.breaker["reason"], "moment": stamp(self.breaker_until)}
        return gettext("%(state)s because of %(reason)s, until %(moment)s") % told

    @property
    def is_stopped(self) -> bool:
        """Whether there is a breaker to close."""
        return self.breaker is not None and self.breaker["state"] != "closed" and not self.is_paused

    @property
    def is_paused(self) -> bool:
        """Whether an operator wants it asked nothing."""
        return self.breaker is not None and self.breaker["reason"] == breaker.PAUSED

    @property
    def pause_words(self) -> str:
        """What pauses its account, and until when; empty when nothing does."""
        until = self.account.paused_until if self.account else None
        if self.account is None or until is None or until <= timezone.now():
            return ""
        told = {"reason": self.account.pause_reason, "moment": stamp(until)}
        return gettext("paused because of %(reason)s, until %(moment)s") % told

    @property
    def breaker_until(self) -> datetime | None:
        """Until when nobody asks."""
        until = self.breaker["until"] if self.breaker else None
        return datetime.fromisoformat(until) if until else None


def stamp(moment: datetime) -> str:
    """To the second, in the reader's zone."""
    return f"{timezone.localtime(moment):%Y-%m-%d %H:%M:%S}"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Figures:
    breakers: Mapping[str, BreakerView]
    successes: Mapping[str, datetime | None]
    tokens: Mapping[str, float]


def standings(catalog: Catalog, client: redis.Redis) -> list[Standing]:
    """All plugins that work, by name. Without Redis their figures are unknown; the rest is told all the same."""
    figures = _figures(catalog, client)
    accounts = {row.marketplace: row for row in MarketplaceAccount.objects.filter(user=None)}
    return [_standing(name, catalog, figures, accounts.get(name)) for name in sorted(catalog.plugins)]


def _figures(catalog: Catalog, client: redis.Redis) -> _Figures:
    names = sorted(catalog.plugins)
    try:
        return _Figures(
            breakers=breaker.read_all(client, names),
            successes=breaker.last_successes(client, names),
            tokens={name: pace.left(client, marketplace=name, pace=catalog.pace(name)) for name in names},
        )
    except redis.RedisError:
        return _Figures(breakers={}, successes={}, tokens={})


def _standing(name: str, catalog: Catalog, figures: _Figures, account: MarketplaceAccount | None) -> Standing:
    plugin, practice = catalog.get(name), catalog.practice_address(name)
    live = plugin.api if settings.LIVE else ""
    return Standing(
        name=name,
        plugin=plugin,
        practice=bool(practice),
        address=practice or live,
        proxy="" if practice else proxy_words(name),
        per_minute=catalog.pace(name).per_minute,
        tokens=figures.tokens.get(name),
        breaker=figures.breakers.get(name),
        last_success=figures.successes.get(name),
        account=account,
    )


def proxy_words(name: str) -> str:
    """The proxy of a marketplace without its password, or why it cannot be read; empty when there is none."""
    try:
        return str(parse_proxies(settings.PROXIES).get(name) or "")
    except BadProxies as error:
        return str(error)
