"""The part of a watch's form about how often it asks."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from monitor_site.marketplaces.catalog import catalog
from monitor_site.watches.models import Watch

from .watch_markets import floor_of
from .watch_words import pace_words

NORMAL_SECONDS = 60
RELAXED_SECONDS = 300
PACES = ("fastest", "normal", "relaxed")


def presets(floor_seconds: int) -> dict[str, int]:
    """What the named paces mean where the shortest interval is ``floor_seconds``."""
    return {
        "fastest": floor_seconds,
        "normal": max(NORMAL_SECONDS, floor_seconds),
        "relaxed": max(RELAXED_SECONDS, floor_seconds),
    }


class PaceForm(forms.Form):
    """A named pace or an interval of one's own."""

    pace = forms.ChoiceField(label=_("Check"), initial="normal", widget=forms.RadioSelect)
    interval_seconds = forms.IntegerField(
        label=_("Seconds between two checks"),
        required=False,
        widget=forms.TextInput(attrs={"class": "input input--num", "inputmode": "numeric"}),
        help_text=_("Only used with “My own interval”. A marketplace that allows less is asked as often as it allows."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._offer_paces()

    def _offer_paces(self) -> None:
        """A marketplace that allows less than a pace says is asked as often as it allows."""
        floors = {name: catalog().pace(name).floor_seconds for name in sorted(catalog().plugins)}
        slowest = max(floors.values(), default=0)
        field = self.fields["pace"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 - tells the type checker only
        field.choices = [
            ("fastest", _fastest(floors)),
            ("normal", _("Every minute") if slowest <= NORMAL_SECONDS else _("Every minute where it is allowed")),
            ("relaxed", _("Every five minutes") if slowest <= RELAXED_SECONDS else _("Every five minutes at the most")),
            ("custom", _("My own interval")),
        ]

    def settle_pace(self, floor_seconds: int) -> None:
        """Turn the chosen pace into seconds, where the shortest interval is ``floor_seconds``."""
        data = self.cleaned_data
        if data.get("pace") in PACES:
            data["interval_seconds"] = presets(floor_seconds)[data["pace"]]
        elif (
            data.get("pace") == "custom" and not data.get("interval_seconds") and "interval_seconds" not in self.errors
        ):
            self.add_error("interval_seconds", gettext("Please give the seconds between two checks."))


def _fastest(floors: Mapping[str, int]) -> str:
    if len(set(floors.values())) < 2:
        return gettext("As often as the marketplace allows")
    return gettext("As often as each marketplace allows: %(paces)s") % {"paces": pace_words(floors)}


def initial_pace(watch: Watch) -> dict[str, Any]:
    """The pace of a watch as the form shows it."""
    named = {seconds: pace for pace, seconds in reversed(presets(floor_of(watch.marketplaces)).items())}
    return {"pace": named.get(watch.interval_seconds, "custom"), "interval_seconds": watch.interval_seconds}
