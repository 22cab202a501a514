"""The form of a watch: what people type becomes a ``Wish``; whether it can be fulfilled is the service's word."""

import secrets
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms.boundfield import BoundField, BoundWidget
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from monitor_site.marketplaces.catalog import catalog
from monitor_site.watches.models import ShippingWish, Watch
from monitor_site.watches.services import Wish

from .named import CONDITIONS
from .watch_fields import WordsField, YenField, option_fields

NORMAL_SECONDS = 60
RELAXED_SECONDS = 300
PACES = ("fastest", "normal", "relaxed")
_NOTHING: tuple[Any, ...] = (None, "", False, [], ())


def presets(floor_seconds: int) -> dict[str, int]:
    """What the named paces mean at a marketplace whose shortest interval is ``floor_seconds``."""
    return {
        "fastest": floor_seconds,
        "normal": max(NORMAL_SECONDS, floor_seconds),
        "relaxed": max(RELAXED_SECONDS, floor_seconds),
    }


def marketplace_choices() -> list[tuple[str, str]]:
    """Names and titles of the marketplaces that work here, in the reader's language."""
    language = get_language() or "en"
    return [(name, catalog().title(name, language)) for name in sorted(catalog().plugins)]


class WatchForm(forms.Form):
    """Make or change a watch. ``form_key`` tells a second submit of the same page from a second wish."""

    form_key = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)
    must = WordsField(
        label=_("All of these words"),
        help_text=_(
            "Separate words by commas; what has a space in it must stand there just like that. Give at least one "
            "word, here or below."
        ),
    )
    any_of = WordsField(
        label=_("At least one of these words"),
        help_text=_("For different spellings or models. Each of them is a question of its own."),
    )
    none_of = WordsField(
        label=_("None of these words"),
        help_text=_("For example ジャンク or ケースのみ: listings with one of them are left out."),
    )
    name = forms.CharField(
        label=_("Name"),
        required=False,
        max_length=200,
        help_text=_("Left empty, the watch is called after its words."),
        widget=forms.TextInput(attrs={"class": "input"}),
    )
    marketplace = forms.ChoiceField(label=_("Marketplace"), widget=forms.RadioSelect)
    price_min = YenField(label=_("Price from"))
    price_max = YenField(label=_("Price to"))
    conditions = forms.MultipleChoiceField(
        label=_("Condition"),
        required=False,
        help_text=_("None ticked means any condition."),
        widget=forms.CheckboxSelectMultiple,
        choices=[(grade.value, words) for grade, words in CONDITIONS.items()],
    )
    shipping = forms.ChoiceField(
        label=_("Shipping"), choices=ShippingWish.choices, initial=ShippingWish.ANY, widget=forms.RadioSelect
    )
    pace = forms.ChoiceField(label=_("Check"), initial="normal", widget=forms.RadioSelect)
    interval_seconds = forms.IntegerField(
        label=_("Seconds between two checks"),
        required=False,
        widget=forms.TextInput(attrs={"class": "input input--num", "inputmode": "numeric"}),
        help_text=_("Only used with “My own interval”."),
    )
    tell_existing = forms.BooleanField(
        label=_("Also show me what already matches"),
        required=False,
        help_text=_("Otherwise what is on sale now is noted quietly, and only what comes later is shown."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._offer_marketplaces()
        self._offer_paces()
        self.options = {name: self._add_options(name) for name in catalog().plugins}
        if not self.is_bound:
            self.initial.setdefault("form_key", secrets.token_urlsafe(16))

    def _offer_marketplaces(self) -> None:
        choices = marketplace_choices()
        chosen = self.initial.get("marketplace")
        if chosen and chosen not in dict(choices):
            choices.append((chosen, gettext("%(name)s (not available here)") % {"name": chosen}))
        self._choice("marketplace").choices = choices
        self.initial.setdefault("marketplace", choices[0][0] if choices else "")

    def _offer_paces(self) -> None:
        """A marketplace that allows less than a pace says is asked as often as it allows."""
        slowest = max((catalog().pace(name).floor_seconds for name in catalog().plugins), default=0)
        self._choice("pace").choices = [
            ("fastest", _("As often as the marketplace allows")),
            ("normal", _("Every minute") if slowest <= NORMAL_SECONDS else _("Every minute where it is allowed")),
            ("relaxed", _("Every five minutes") if slowest <= RELAXED_SECONDS else _("Every five minutes at the most")),
            ("custom", _("My own interval")),
        ]

    def _choice(self, name: str) -> forms.ChoiceField:
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 - tells the type checker only
        return field

    def _add_options(self, marketplace: str) -> list[str]:
        """Add the marketplace's own criteria; returns the names their fields have here."""
        found = option_fields(catalog().get(marketplace).manifest.criteria)
        named = {f"{marketplace}__{name}": field for name, field in found.items()}
        self.fields.update(named)
        return list(named)

    def markets(self) -> list[dict[str, Any]]:
        """The choice of each marketplace with its plugin's own criteria."""
        return [self._market(choice) for choice in self["marketplace"]]

    def _market(self, choice: BoundWidget) -> dict[str, Any]:
        """Ticks apart from what is typed; open when something is set or refused."""
        bound = [self[name] for name in self.options.get(str(choice.data["value"]), [])]
        kinds = {name: [field for field in bound if _kind(field) == name] for name in ("inputs", "ticks", "switches")}
        return {"choice": choice, "fields": bound, "open": any(map(_is_set, bound)), **kinds}

    def clean(self) -> dict[str, Any]:
        """Turn the chosen pace into seconds; what is missing is said together with what is wrong."""
        data: dict[str, Any] = self.cleaned_data
        self._forget_other_markets(str(data.get("marketplace")))
        if not {"must", "any_of"} & set(self.errors) and not data["must"] and not data["any_of"]:
            self.add_error("must", gettext("Please give at least one word to look for."))
        pace, marketplace = data.get("pace"), str(data.get("marketplace"))
        if pace in PACES:
            floor = catalog().pace(marketplace).floor_seconds if marketplace in catalog().plugins else 0
            data["interval_seconds"] = presets(floor)[pace]
        elif pace == "custom" and not data.get("interval_seconds") and "interval_seconds" not in self.errors:
            self.add_error("interval_seconds", gettext("Please give the seconds between two checks."))
        return data

    def _forget_other_markets(self, chosen: str) -> None:
        """What stands in the hidden criteria of another marketplace is nobody's mistake."""
        for marketplace, names in self.options.items():
            for name in names if marketplace != chosen else ():
                self.errors.pop(name, None)

    def wish(self) -> Wish:
        """What was typed, ready for the service; only after ``is_valid``."""
        data = self.cleaned_data
        plain = ("name", "marketplace", "must", "any_of", "none_of", "price_min", "price_max", "shipping")
        return Wish(
            **{name: data[name] for name in plain},
            conditions=data["conditions"],
            interval_seconds=data["interval_seconds"],
            tell_existing=data["tell_existing"],
            options=self._chosen_options(data["marketplace"]),
        )

    def _chosen_options(self, marketplace: str) -> dict[str, Any]:
        """Only what differs from the plugin's own default; what the form does not show stays as it is."""
        if marketplace not in self.options:
            return {}
        known = {f"{marketplace}__{spec.name}" for spec in fields(catalog().get(marketplace).manifest.criteria)}
        kept = {name: self.initial[name] for name in known - set(self.fields) if name in self.initial}
        names = self.options[marketplace]
        chosen = {name: value for name in names if (value := self.cleaned_data[name]) != self.fields[name].initial}
        return {
            name.removeprefix(f"{marketplace}__"): value
            for name, value in (kept | chosen).items()
            if value not in (None, "", [])
        }

    def refuse(self, error: ValidationError) -> None:
        """Put the service's refusals beside the fields they are about."""
        for name, sentences in error.message_dict.items():
            for sentence in sentences:
                self.add_error(name if name in self.fields else None, sentence)


def _kind(field: BoundField) -> str:
    if isinstance(field.field, forms.BooleanField):
        return "switches"
    return "ticks" if isinstance(field.field, forms.MultipleChoiceField) else "inputs"


def _is_set(field: BoundField) -> bool:
    """Whether it is refused, or holds something else than the plugin's default."""
    value = field.value()
    return bool(field.errors) or (value not in _NOTHING and str(value) != str(field.field.initial))


def initial_of(watch: Watch) -> Mapping[str, Any]:
    """A watch as the form shows it."""
    floor = catalog().pace(watch.marketplace).floor_seconds if watch.marketplace in catalog().plugins else 0
    named = {seconds: pace for pace, seconds in reversed(presets(floor).items())}
    plain = ("name", "marketplace", "must", "any_of", "none_of", "price_min", "price_max", "conditions", "shipping")
    return {
        **{name: getattr(watch, name) for name in plain},
        **{f"{watch.marketplace}__{name}": value for name, value in watch.options.items()},
        "tell_existing": watch.tell_existing,
        "pace": named.get(watch.interval_seconds, "custom"),
        "interval_seconds": watch.interval_seconds,
    }
