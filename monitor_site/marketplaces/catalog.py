"""Which marketplaces this site knows: the folders in ``PLUGIN_DIR`` and what is installed under the entry points.

A plugin that cannot be loaded stays listed as broken, with the reason in words; it never takes the site down.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import MappingProxyType, ModuleType

import structlog
from django.conf import settings

from monitor_site.contract import Pace, Plugin
from monitor_site.contract.rules import LONGEST_WORDS, NotWhole, examine, import_folder, in_words

GROUP = "monitor_site.marketplaces"

# Two threads that look at once must not see each other's half-imported plugins.
_loading = threading.RLock()

log = structlog.get_logger(__name__)


class UnknownMarketplace(LookupError):
    """No plugin of this name works here."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalog:
    """The marketplaces that work (``plugins``) and those that do not (``broken``: name → reason, one line)."""

    plugins: Mapping[str, Plugin]
    broken: Mapping[str, str]

    def get(self, name: str) -> Plugin:
        """The plugin of that name; raises :class:`UnknownMarketplace`."""
        try:
            return self.plugins[name]
        except KeyError:
            raise UnknownMarketplace(name) from None

    def title(self, name: str, language: str) -> str:
        """What people call the marketplace; its bare name when its plugin does not work."""
        plugin = self.plugins.get(name)
        return plugin.manifest.title_in(language) if plugin else name

    def pace(self, name: str) -> Pace:
        """How often it may be asked; a practice market bears more. Raises :class:`UnknownMarketplace`."""
        pace = self.get(name).manifest.pace
        return _practice_pace() if self.practice_address(name) else pace

    def practice_address(self, name: str) -> str:
        """Where the practice market that plays this marketplace listens, empty when the real one is asked."""
        return settings.PRACTICE_MARKETS.get(name, "").rstrip("/")


def _practice_pace() -> Pace:
    return Pace(
        per_minute=settings.PRACTICE_PACE_PER_MINUTE,
        ceiling_per_minute=settings.PRACTICE_PACE_PER_MINUTE,
        floor_seconds=1,
        concurrency=settings.PRACTICE_CONCURRENCY,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """Something that may be a plugin: its name, where it was found, and how to import it."""

    name: str
    origin: str
    load: Callable[[], object]


@cache
def catalog() -> Catalog:
    """The marketplaces of this process, looked for once; never raises because of a plugin."""
    return load_catalog(settings.PLUGIN_DIR)


def load_catalog(plugin_dir: Path) -> Catalog:
    """Look through a folder and the installed entry points. Of two plugins with one name the first stays."""
    with _loading:
        return _load_all((*_in_folder(plugin_dir), *_installed()))


def _load_all(candidates: Iterable[Candidate]) -> Catalog:
    plugins: dict[str, Plugin] = {}
    broken: dict[str, str] = {}
    for candidate in candidates:
        taken = candidate.name in plugins or candidate.name in broken
        label = f"{candidate.name} ({candidate.origin})" if taken else candidate.name
        try:
            _demand_new(candidate, plugins)
            plugins[candidate.name] = examine(candidate.load(), name=candidate.name)
        except KeyboardInterrupt:  # a person at the keyboard, not the plugin
            raise
        except BaseException as error:  # whatever a plugin does, even sys.exit, it is only broken
            broken[label] = _reason(error)
            log.exception("plugin.broken", plugin=label, origin=candidate.origin, reason=broken[label])
    return Catalog(plugins=MappingProxyType(plugins), broken=MappingProxyType(broken))


def _demand_new(candidate: Candidate, plugins: Mapping[str, Plugin]) -> None:
    if candidate.name in plugins:
        raise NotWhole(f"another plugin is called {candidate.name!r} already")


def _reason(error: BaseException) -> str:
    return str(error)[:LONGEST_WORDS] if isinstance(error, NotWhole) else in_words(error)


def _in_folder(plugin_dir: Path) -> Iterator[Candidate]:
    folders = sorted(plugin_dir.iterdir()) if plugin_dir.is_dir() else []
    for folder in folders:
        if folder.name[0] not in "._" and any(folder.glob("*.py")):
            yield Candidate(name=folder.name, origin=str(folder), load=partial(_from_folder, folder))


def _installed() -> Iterator[Candidate]:
    for point in sorted(entry_points(group=GROUP), key=lambda point: point.name):
        origin = point.dist.name if point.dist else point.value
        yield Candidate(name=point.name, origin=origin, load=partial(_from_entry_point, point))


def _from_entry_point(point: EntryPoint) -> object:
    """An entry point names the package or the plugin itself."""
    found = point.load()
    return _plugin_of(found) if isinstance(found, ModuleType) else found


def _from_folder(folder: Path) -> object:
    return _plugin_of(import_folder(folder))


def _plugin_of(module: ModuleType) -> object:
    return getattr(module, "plugin", None)
