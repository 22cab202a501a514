"""Is a plugin whole? Everything the core relies on later is looked at once, when the plugin is loaded."""

import re
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from typing import Any, NoReturn
from urllib.parse import urlsplit

from ..errors import PluginFault
from ..fields import AccountSettings, SearchCriteria
from ..manifest import CONTRACT_VERSION, Capability, Manifest, Pace
from ..marketplace import Plugin
from ..values import Sighting

METHODS = {
    Capability.SEARCH: "search",
    Capability.LOOK: "look",
    Capability.BUY: "buy",
    Capability.BID: "bid",
    Capability.CANCEL: "cancel",
    Capability.OUTCOME: "find_purchase",
    Capability.SOLD_PRICES: "sold_prices",
}
NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
HOST = re.compile(r"\.?[a-z0-9-]+(\.[a-z0-9-]+)+")
CURRENCY = re.compile(r"[A-Z]{3}")
TOLD = frozenset(each.name for each in fields(Sighting))


LONGEST_WORDS = 200


def in_words(error: BaseException) -> str:
    """An error in one line; some cannot even be put into words."""
    try:
        words = " ".join(str(error).split())
    except BaseException:  # noqa: BLE001  whatever a stranger's error does when it is read
        words = ""
    return f"{type(error).__name__}: {words}".rstrip(": ")[:LONGEST_WORDS]


class NotWhole(Exception):
    """What is wrong with a plugin, in a person's words."""


class NoNetwork:
    """The session a plugin is connected to while it is looked at: there is no way out."""

    def __init__(self, plugin: Plugin) -> None:
        self.base = plugin.api
        self.web = plugin.manifest.home
        self.settings: AccountSettings | None = None

    async def get(self, url: str, **_: Any) -> NoReturn:
        """Refused."""
        raise PluginFault(f"asked {url} while it was only looked at")

    async def post(self, url: str, **_: Any) -> NoReturn:
        """Refused."""
        raise PluginFault(f"asked {url} while it was only looked at")

    async def commit(self, url: str, **_: Any) -> NoReturn:
        """Refused."""
        raise PluginFault(f"would have spent at {url} while it was only looked at")

    def renewing(self) -> NoReturn:
        """Refused."""
        raise PluginFault("would have renewed secrets while it was only looked at")

    async def keep_secrets(self, *_: Any, **__: str) -> NoReturn:
        """Refused."""
        raise PluginFault("had secrets to keep while it was only looked at")

    async def read(self, parse: Any, answer: Any) -> Any:
        """As the real one, without a thread."""
        return parse(answer)

    def now(self) -> datetime:
        """The current time."""
        return datetime.now(UTC)


def examine(found: object, *, name: str) -> Plugin:
    """The plugin, when all of it is as promised; raises :class:`NotWhole`, or whatever the plugin raises itself."""
    if not isinstance(found, Plugin):
        raise NotWhole("it has no `plugin` made of contract.Plugin")
    if not isinstance(found.manifest, Manifest):
        raise NotWhole("its manifest is not a contract.Manifest")
    examine_manifest(found, name=name)
    examine_capabilities(found)
    return found


def examine_manifest(plugin: Plugin, *, name: str) -> None:
    """What it says about itself makes sense; raises :class:`NotWhole`."""
    _examine_version(plugin.manifest)
    _examine_name(plugin.manifest, name)
    _examine_addresses(plugin)
    _examine_values(plugin.manifest)
    _examine_pace(plugin.manifest.pace)


def examine_capabilities(plugin: Plugin) -> None:
    """It can do what it declares, and nothing else; raises :class:`NotWhole`."""
    found = offered(plugin)
    _demand(
        found == plugin.manifest.capabilities,
        f"it declares {_words(plugin.manifest.capabilities)} and offers {_words(found)}",
    )
    _examine_orders(plugin)


def _examine_orders(plugin: Plugin) -> None:
    """Whoever spends can be asked later what became of it, in the name of an account that can be verified."""
    able, market = plugin.manifest.capabilities, plugin.connect(NoNetwork(plugin))
    lists = callable(getattr(market, "purchases", None))
    _demand(lists == plugin.manifest.lists_purchases, "its manifest does not say truly whether it lists purchases")
    _demand(Capability.BUY in able or Capability.CANCEL not in able, "it can cancel what it cannot buy")
    if not able & {Capability.BUY, Capability.BID}:
        return
    _demand(Capability.OUTCOME in able, "it can spend, and cannot find out what became of it")
    _demand(callable(getattr(market, "verify", None)), "it can spend, and cannot verify an account")
    _demand(plugin.manifest.settings is not None, "it can spend, and has no settings of an account")


def offered(plugin: Plugin) -> set[Capability]:
    """What it can do by the methods it has, whatever it declares."""
    market = plugin.connect(NoNetwork(plugin))
    found = {able for able, method in METHODS.items() if callable(getattr(market, method, None))}
    return found | {Capability.LINK} if plugin.link is not None else found


def _demand(kept: bool, sentence: str) -> None:
    if not kept:
        raise NotWhole(sentence)


def _examine_version(manifest: Manifest) -> None:
    _demand(
        manifest.contract == CONTRACT_VERSION,
        f"it is written for contract {manifest.contract}, this site speaks {CONTRACT_VERSION}",
    )


def _examine_name(manifest: Manifest, name: str) -> None:
    _demand(manifest.name == name, f"its manifest is called {manifest.name!r}, its folder {name!r}")
    _demand(bool(NAME.fullmatch(name)), f"{name!r} is no name: small letters, digits and _ only, at most 40")


def _examine_addresses(plugin: Plugin) -> None:
    for label, address in (("home", plugin.manifest.home), ("api", plugin.api)):
        parts = urlsplit(address)
        _demand(parts.scheme == "https" and bool(parts.hostname), f"its {label} address {address!r} is not https")
    hosts = (*plugin.manifest.hosts, *plugin.manifest.picture_hosts)
    _demand(all(map(_is_host, hosts)), "its hosts are not all names in small letters")
    _demand(bool(plugin.manifest.hosts), "it names no host")


def _is_host(host: object) -> bool:
    return isinstance(host, str) and bool(HOST.fullmatch(host))


def _examine_values(manifest: Manifest) -> None:
    _demand(bool(CURRENCY.fullmatch(manifest.currency)), f"its currency {manifest.currency!r} is no ISO code")
    _demand(bool(manifest.title), "it has no title")
    _demand(
        _is_made_from(manifest.criteria, SearchCriteria),
        "its criteria are not a dataclass made from SearchCriteria",
    )
    _demand(isinstance(manifest.control, manifest.criteria), "its control question is not one of its criteria")
    unknown = sorted(manifest.search_tells - TOLD)
    _demand(not unknown, f"its search tells {', '.join(unknown)}, which no sighting has")
    settings = manifest.settings
    _demand(
        settings is None or _is_made_from(settings, AccountSettings), "its settings are not made from AccountSettings"
    )


def _is_made_from(found: object, base: type) -> bool:
    return isinstance(found, type) and is_dataclass(found) and issubclass(found, base)


def _examine_pace(pace: Pace) -> None:
    kept = 1 <= pace.per_minute <= pace.ceiling_per_minute and pace.floor_seconds >= 1 and pace.concurrency >= 1
    _demand(kept, "its pace makes no sense: 1 <= per_minute <= ceiling, floor and concurrency at least 1")


def _words(capabilities: "set[Capability] | frozenset[Capability]") -> str:
    return ", ".join(sorted(capabilities)) or "nothing"
