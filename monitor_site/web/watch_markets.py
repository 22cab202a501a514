"""The part of a watch's form about marketplaces: which ones, and what each takes beside the words."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import fields
from typing import Any

from django import forms
from django.forms.boundfield import BoundField, BoundWidget
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from monitor_site.marketplaces.catalog import catalog
from monitor_site.watches.pages import currency_of

from .watch_fields import option_fields
from .watch_hints import hints

_NOTHING: tuple[Any, ...] = (None, "", False, [], ())


def marketplace_choices() -> list[tuple[str, str]]:
    """Names and titles of the marketplaces that work here, in the reader's language."""
    language = get_language() or "en"
    return [(name, catalog().title(name, language)) for name in sorted(catalog().plugins)]


def of_one_currency(marketplaces: Iterable[str]) -> list[str]:
    """Those of the currency that most have: one watch is about one currency."""
    priced = {name: currency_of(name) for name in marketplaces}
    usual = Counter(priced.values()).most_common(1)
    return [name for name, currency in priced.items() if currency == usual[0][0]]


def floor_of(marketplaces: Iterable[str]) -> int:
    """The shortest interval, in seconds, that one of these marketplaces allows; 0 when none of them works here."""
    return min((catalog().pace(name).floor_seconds for name in marketplaces if name in catalog().plugins), default=0)


class MarketplacesForm(forms.Form):
    """The marketplaces of a watch, each with the criteria of its plugin, named ``<marketplace>__<option>``."""

    marketplaces = forms.MultipleChoiceField(
        label=_("Marketplaces"),
        widget=forms.CheckboxSelectMultiple,
        error_messages={"required": _("Please choose at least one marketplace.")},
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._offer_marketplaces()
        self.options = {name: self._add_options(name) for name in catalog().plugins}

    def _offer_marketplaces(self) -> None:
        """All that work here; what is chosen and works no more can be seen, and taken out."""
        choices = marketplace_choices()
        chosen = self.initial.get("marketplaces") or []
        gone = [name for name in chosen if name not in dict(choices)]
        choices += [(name, gettext("%(name)s (not available here)") % {"name": name}) for name in gone]
        field = self.fields["marketplaces"]
        assert isinstance(field, forms.MultipleChoiceField)  # noqa: S101 - tells the type checker only
        field.choices = choices
        self.initial.setdefault("marketplaces", of_one_currency(name for name, _title in choices))

    def _add_options(self, marketplace: str) -> list[str]:
        """Add the marketplace's own criteria; returns the names their fields have here."""
        found = option_fields(catalog().get(marketplace).manifest.criteria)
        named = {f"{marketplace}__{name}": field for name, field in found.items()}
        self.fields.update(named)
        return list(named)

    def markets(self) -> list[dict[str, Any]]:
        """The choice of each marketplace with its plugin's own criteria and what to know of it."""
        return [self._market(choice) for choice in self["marketplaces"]]

    def _market(self, choice: BoundWidget) -> dict[str, Any]:
        """Ticks apart from what is typed; open when something is set or refused."""
        name = str(choice.data["value"])
        bound = [self[field] for field in self.options.get(name, [])]
        kinds = {kind: [field for field in bound if _kind(field) == kind] for kind in ("inputs", "ticks", "switches")}
        return {"choice": choice, "fields": bound, "open": any(map(_is_set, bound)), "hints": hints(name), **kinds}

    def forget_other_markets(self, chosen: Iterable[str]) -> None:
        """What stands in the hidden criteria of a marketplace that is not chosen is nobody's mistake."""
        for name in set(self.options) - set(chosen):
            for field in self.options[name]:
                self.errors.pop(field, None)

    def chosen_options(self) -> dict[str, dict[str, Any]]:
        """The own criteria of the chosen marketplaces, without the refused ones."""
        chosen = self.cleaned_data.get("marketplaces", [])
        return {name: self._chosen_options(name) for name in chosen if name in self.options}

    def _chosen_options(self, marketplace: str) -> dict[str, Any]:
        """Only what differs from the plugin's own default; what the form does not show stays as it is."""
        known = {f"{marketplace}__{spec.name}" for spec in fields(catalog().get(marketplace).manifest.criteria)}
        kept = {name: self.initial[name] for name in known - set(self.fields) if name in self.initial}
        typed = {name: self.cleaned_data[name] for name in self.options[marketplace] if name in self.cleaned_data}
        chosen = {name: value for name, value in typed.items() if value != self.fields[name].initial}
        return {
            name.removeprefix(f"{marketplace}__"): value
            for name, value in (kept | chosen).items()
            if value not in (None, "", [])
        }


def _kind(field: BoundField) -> str:
    if isinstance(field.field, forms.BooleanField):
        return "switches"
    return "ticks" if isinstance(field.field, forms.MultipleChoiceField) else "inputs"


def _is_set(field: BoundField) -> bool:
    """Whether it is refused, or holds something else than the plugin's default."""
    value = field.value()
    return bool(field.errors) or (value not in _NOTHING and str(value) != str(field.field.initial))


def initial_options(options: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Options by marketplace as the form names them."""
    return {f"{name}__{option}": value for name, own in options.items() for option, value in own.items()}
