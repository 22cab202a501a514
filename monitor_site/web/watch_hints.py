"""What a person should know of a marketplace before trusting a watch to it; one short sentence each."""

from collections.abc import Callable, Mapping

from django.utils.functional import Promise
from django.utils.translation import get_language, gettext, ngettext
from django.utils.translation import gettext_lazy as _

from monitor_site import wording
from monitor_site.contract import Capability, Manifest
from monitor_site.marketplaces.catalog import catalog
from monitor_site.watches.doubts import open_doubts, unclear_doubts
from monitor_site.watches.follow import can_look
from monitor_site.watches.models import ShippingWish, Watch

from .watch_words import marketplace_title

UNTOLD: Mapping[str, "str | Promise"] = {
    "condition": _("%(marketplace)s usually does not tell the condition in its results; while a condition is ticked,"
                   " what does not tell it is decided after one look, a little later."),
    "shipping": _("%(marketplace)s usually does not tell in its results who pays for shipping; with “Shipping"
                  " included”, what does not tell it is decided after one look, a little later."),
    "price": _("%(marketplace)s usually does not tell the price in its results; while there is a price limit, what does"
               " not tell it is decided after one look, a little later."),
}  # fmt: skip
NEVER: Mapping[str, "str | Promise"] = {
    "condition": _("%(marketplace)s usually does not tell the condition in its results; what does not tell it never"
                   " matches while a condition is ticked."),
    "shipping": _("%(marketplace)s usually does not tell in its results who pays for shipping; what does not tell it"
                  " never matches with “Shipping included”."),
    "price": _("%(marketplace)s usually does not tell the price in its results; what does not tell it never matches"
               " while there is a price limit."),
}  # fmt: skip
LACKS: Mapping[Capability, "str | Promise"] = {
    Capability.LOOK: _("A listing cannot be looked at again."),
    Capability.SOLD_PRICES: _("It shows no sold prices."),
}
USES: Mapping[str, Callable[[Watch], bool]] = {
    "condition": lambda watch: bool(watch.conditions),
    "shipping": lambda watch: watch.shipping == ShippingWish.INCLUDED,
    "price": lambda watch: watch.price_min is not None or watch.price_max is not None,
}


def hints(marketplace: str) -> list[str]:
    """All there is to know of a marketplace; nothing when its plugin does not work here."""
    plugin = catalog().plugins.get(marketplace)
    if plugin is None:
        return []
    manifest = plugin.manifest
    untold = [_untold(marketplace, name) for name in UNTOLD if name not in manifest.search_tells]
    lacks = [str(sentence) for able, sentence in LACKS.items() if able not in manifest.capabilities]
    return [*_lateness(manifest), *untold, *lacks, *_note(manifest)]


def hints_for(watch: Watch) -> list[str]:
    """What the results of its marketplaces do not tell and the rule of this watch asks for."""
    found = []
    for name in watch.marketplaces:
        plugin = catalog().plugins.get(name)
        told = plugin.manifest.search_tells if plugin else frozenset(UNTOLD)
        found += [_untold(name, field) for field in UNTOLD if field not in told and USES[field](watch)]
    return found


def _untold(marketplace: str, field: str) -> str:
    """What follows where a search does not tell a field: a look decides, where the marketplace allows one."""
    sentences = UNTOLD if can_look(marketplace) else NEVER
    return str(sentences[field]) % {"marketplace": marketplace_title(marketplace)}


def doubts_of(watch: Watch) -> list[str]:
    """What waits for a look, and what stays unclear after it."""
    looks, unclear = open_doubts(watch), unclear_doubts(watch)
    found = []
    if looks:
        words = ngettext(
            "%(n)s listing waits for a look that decides.", "%(n)s listings wait for a look that decides.", looks
        )
        found.append(words % {"n": f"{looks:,}"})
    if unclear:
        words = ngettext(
            "%(n)s listing stays unclear: not even a look told enough.",
            "%(n)s listings stay unclear: not even a look told enough.",
            unclear,
        )
        found.append(words % {"n": f"{unclear:,}"})
    return found


def _lateness(manifest: Manifest) -> list[str]:
    if not manifest.index_lag:
        return []
    return [gettext("New listings appear about %(time)s late.") % {"time": wording.duration(manifest.index_lag)}]


def _note(manifest: Manifest) -> list[str]:
    """The plugin's own words, in the reader's language, else in English."""
    language = (get_language() or "en").lower()
    note = manifest.notes.get(language) or manifest.notes.get("en", "")
    return [note] if note else []
