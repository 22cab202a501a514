"""What a person may wish of one listing, checked and put into one form."""

import unicodedata
from typing import TYPE_CHECKING

from django.core.exceptions import NON_FIELD_ERRORS
from django.utils.translation import gettext as _

from monitor_site.contract import Capability
from monitor_site.marketplaces.catalog import catalog

from .limits import BOUNDS, HIGHEST_PRICE
from .models.watches import TRIGGER_BOUNDS
from .wished_words import Errors

if TYPE_CHECKING:
    from .wishes import Wish

LONGEST_ID = 64
FIGURES = ("price_max", "ends_within_minutes", *TRIGGER_BOUNDS)
# What stands here is the whole of such a wish; everything else is about searches.
OWN = frozenset({
    "kind", "external_id", "name", "marketplaces", "back_on_sale", "relisted", "interval_seconds", "policy",
    "tell_existing", "active_from", "active_to", "weekdays", "cron", "jitter", *FIGURES,
})  # fmt: skip


def own_figures(wish: "Wish") -> dict[str, int | None]:
    """The figures of its triggers; nothing and 0 are off."""
    return {name: getattr(wish, name) or None for name in FIGURES}


def check_listing(wish: "Wish", errors: Errors) -> None:
    """Which listing, and what to tell of it."""
    _check_id(wish.external_id, errors)
    if len(wish.marketplaces) > 1:
        _add(errors, "marketplaces", _("A listing is at one marketplace. Please choose that one."))
    elif wish.marketplaces and not _can_look(wish.marketplaces[0]):
        _add(errors, "marketplaces", _("This marketplace cannot be asked about a single listing."))
    _check_figures(wish, errors)


def _check_id(external_id: str, errors: Errors) -> None:
    if not external_id:
        _add(errors, "external_id", _("Please give the address of a listing, or its item ID."))
    elif len(external_id) > LONGEST_ID or any(unicodedata.category(char)[0] in "CZ" for char in external_id):
        _add(errors, "external_id", _("No item ID looks like this. Please paste the address of the listing."))


def _can_look(marketplace: str) -> bool:
    """What is not there is said with the other marketplaces that are not."""
    plugin = catalog().plugins.get(marketplace)
    return plugin is None or Capability.LOOK in plugin.manifest.capabilities


def _check_figures(wish: "Wish", errors: Errors) -> None:
    figures = own_figures(wish)
    bounds = TRIGGER_BOUNDS | {"ends_within_minutes": BOUNDS["ends_within_minutes"], "price_max": (1, HIGHEST_PRICE)}
    for name, (least, most) in bounds.items():
        value = figures[name]
        if value is not None and not least <= value <= most:
            facts = {"least": f"{least:,}", "most": f"{most:,}"}
            _add(errors, name, _("Please give a number from %(least)s to %(most)s.") % facts)
    if wish.back_on_sale is not True and not any(figures.values()):
        _add(errors, NON_FIELD_ERRORS, _("Please choose at least one thing that you want to be told of."))


def _add(errors: Errors, name: str, sentence: str) -> None:
    errors.setdefault(name, []).append(sentence)
