"""The address of a search or of a listing, pasted by a person, as the beginning of a watch."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from enum import Enum
from typing import Any
from urllib.parse import urlsplit

import structlog
from django.utils.translation import gettext, pgettext

from monitor_site.contract import ListingUrl, Plugin, SearchUrl
from monitor_site.marketplaces.catalog import catalog
from monitor_site.watches.follow import can_look
from monitor_site.watches.models import ShippingWish
from monitor_site.watches.named import CONDITIONS

from .watch_words import marketplace_title

LONGEST_ADDRESS = 2000
SHOWN_LEFTOVERS = 12
LONGEST_LEFTOVER = 60
# What people share is often a title with the address behind it.
ADDRESS = re.compile(r"https?://\S+", re.IGNORECASE)

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pasted:
    """What was pasted, what it puts into the form, and what there is to say about it.

    ``listing``: it is the address of one listing, which can be watched.
    """

    address: str = ""
    initial: Mapping[str, Any] = field(default_factory=dict)
    understood: bool = False
    listing: bool = False
    sentences: tuple[str, ...] = ()


NOTHING_PASTED = Pasted()


def read_address(text: str) -> Pasted:
    """What an address of any marketplace here asks for; never raises, whatever is typed or a plugin does."""
    address = "".join(char for char in text if char.isprintable()).strip()[:LONGEST_ADDRESS]
    if not address:
        return NOTHING_PASTED
    for name in sorted(catalog().plugins):
        match asked_by(name, address):
            case SearchUrl() as search:
                return _search(name, address, search)
            case ListingUrl():
                lookable = can_look(name)
                return Pasted(address=address, listing=lookable, sentences=() if lookable else _listing(name))
    sentence = gettext("No marketplace here knows this address. Please give words below instead.")
    return Pasted(address=address, sentences=(sentence,))


def asked_by(name: str, address: str) -> ListingUrl | SearchUrl | None:
    """What an address asks a marketplace for, the real one or its practice market; never raises."""
    plugin = catalog().get(name)
    found = ADDRESS.search(address)
    try:
        asked = plugin.parse_url(_at_home(name, plugin, found.group() if found else address))
    except Exception as error:  # noqa: BLE001 - a plugin's fault is no reason to refuse a person the form
        log.warning("plugin.parse_url_failed", plugin=name, error=repr(error))
        return None
    return None if isinstance(asked, SearchUrl) and not isinstance(asked.criteria, plugin.manifest.criteria) else asked


def _at_home(name: str, plugin: Plugin, address: str) -> str:
    """An address of the practice market as its marketplace would write it; any other one as it is."""
    practice = urlsplit(catalog().practice_address(name))
    parts = urlsplit(address)
    if not practice.netloc or parts.netloc.lower() != practice.netloc.lower():
        return address
    home = urlsplit(plugin.manifest.home)
    return parts._replace(scheme=home.scheme, netloc=home.netloc).geturl()


def _listing(name: str) -> tuple[str, ...]:
    sentence = gettext(
        "This is a single listing at %(marketplace)s, which cannot be asked about one alone; give its words below, and"
        " new listings like it are found."
    )
    return (sentence % {"marketplace": marketplace_title(name)},)


def _search(name: str, address: str, search: SearchUrl) -> Pasted:
    own, hidden = _options(search)
    initial = {"marketplaces": [name], **_rule(search), **{f"{name}__{key}": value for key, value in own.items()}}
    sentences = [_understood(name, search)]
    if left := [*search.leftovers, *hidden]:
        shown = [str(part)[:LONGEST_LEFTOVER] for part in left[:SHOWN_LEFTOVERS]] + ["…"] * (
            len(left) > SHOWN_LEFTOVERS
        )
        sentences.append(gettext("Left out: %(parts)s") % {"parts": _joined(shown)})
    return Pasted(address=address, initial=initial, understood=True, sentences=tuple(sentences))


def _rule(search: SearchUrl) -> dict[str, Any]:
    """The words and limits as the form names them; what the address does not say is left alone."""
    rule = {
        "must": search.criteria.keyword.split(),
        "any_of": list(search.any_of),
        "none_of": list(search.none_of),
        "price_min": search.price_min,
        "price_max": search.price_max,
        "conditions": [grade.value for grade in search.conditions if grade in CONDITIONS],
        "shipping": ShippingWish.INCLUDED if search.shipping_included else ShippingWish.ANY,
    }
    return {key: value for key, value in rule.items() if value not in (None, [])}


def _options(search: SearchUrl) -> tuple[dict[str, Any], list[str]]:
    """The plugin's own criteria as a form shows them, and the labels of those that no form shows."""
    chosen = dict(_chosen(search))
    shown = {spec.name: _typed(value) for spec, value in chosen.items() if spec.metadata.get("shown", True)}
    return shown, [_label(spec) for spec in chosen if spec.name not in shown]


def _chosen(search: SearchUrl) -> "Iterator[tuple[Field[Any], Any]]":
    for spec in fields(search.criteria):
        value = getattr(search.criteria, spec.name)
        if spec.name != "keyword" and (spec.default is MISSING or value != spec.default):
            yield spec, value


def _typed(value: Any) -> Any:
    if isinstance(value, tuple | list | set | frozenset):
        return [_typed(item) for item in value]
    return value.value if isinstance(value, Enum) else value


def _label(spec: "Field[Any]") -> str:
    return gettext(str(spec.metadata.get("label") or spec.name))


def _understood(name: str, search: SearchUrl) -> str:
    """Where it leads and what of it stands in the form now."""
    rule = _rule(search)
    labels = [
        *([gettext("words")] if {"must", "any_of", "none_of"} & set(rule) else []),
        *([gettext("price")] if {"price_min", "price_max"} & set(rule) else []),
        *([gettext("condition")] if "conditions" in rule else []),
        *([gettext("shipping")] if search.shipping_included else []),
        *[_label(spec) for spec, _ in _chosen(search) if spec.metadata.get("shown", True)],
    ]
    words = {"marketplace": marketplace_title(name), "parts": _joined(labels)}
    if not labels:
        return gettext("This is a search at %(marketplace)s that asks for nothing we know.") % words
    return gettext("A search at %(marketplace)s. Filled in below: %(parts)s.") % words


def _joined(parts: list[str]) -> str:
    return pgettext("between words", ", ").join(parts)
