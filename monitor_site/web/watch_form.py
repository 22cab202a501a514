"""The form of a watch: what people type becomes a ``Wish``; whether it can be fulfilled is the service's word."""

import secrets
from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from monitor_site import wording
from monitor_site.marketplaces.catalog import catalog
from monitor_site.watches.models import Watch
from monitor_site.watches.pages import currency_of
from monitor_site.watches.services import Wish
from monitor_site.watches.wishes import words_missing

from .watch_fields import PriceField, WordsField
from .watch_limits import LIMITS, LimitsForm
from .watch_markets import MarketplacesForm, floor_of, initial_options
from .watch_pace import PaceForm, initial_pace

PLAIN = ("name", "marketplaces", "must", "any_of", "none_of", *LIMITS)


class WatchForm(LimitsForm, MarketplacesForm, PaceForm):
    """Make or change a watch. ``form_key`` tells a second submit of the same page from a second wish."""

    form_key = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)
    must = WordsField(
        label=_("All of these words"),
        help_text=_(
            "Separate words by commas; what has a space in it must stand there just like that. Give at least one "
            "word, here or below, unless the marketplaces take something else instead. A | between two spellings means"
            " either: ルミナ|LUMINA."
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
    tell_existing = forms.BooleanField(
        label=_("Also show me what already matches"),
        required=False,
        help_text=_("Otherwise what is on sale now is noted quietly, and only what comes later is shown."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._set_currency()
        if not self.is_bound:
            self.initial.setdefault("form_key", secrets.token_urlsafe(16))

    def _set_currency(self) -> None:
        """Prices are in the currency of the chosen marketplaces; that they share one is the service's word."""
        chosen = self["marketplaces"].value() or ()
        currency = next((currency_of(name) for name in chosen if name in catalog().plugins), wording.YEN)
        for name in ("price_min", "price_max"):
            field = self.fields[name]
            assert isinstance(field, PriceField)  # noqa: S101 - tells the type checker only
            field.currency = currency

    def clean(self) -> dict[str, Any]:
        """Turn the chosen pace into seconds; what is missing is said together with what is wrong."""
        data: dict[str, Any] = self.cleaned_data
        chosen = data.get("marketplaces", [])
        self.forget_other_markets(chosen)
        self.settle_pace(floor_of(chosen))
        self._demand_words(data, chosen)
        return data

    def _demand_words(self, data: dict[str, Any], chosen: list[str]) -> None:
        if {"must", "any_of"} & set(self.errors):
            return
        words = [*data["must"], *data["any_of"]]
        if not chosen and not words:
            self.add_error("must", gettext("Please give at least one word to look for."))
        elif sentence := words_missing(chosen, words=words, options=self.chosen_options()):
            self.add_error("must", sentence)

    def wish(self) -> Wish:
        """What was typed, ready for the service; only after ``is_valid``."""
        data = self.cleaned_data
        return Wish(
            **{name: data[name] for name in PLAIN},
            interval_seconds=data["interval_seconds"],
            tell_existing=data["tell_existing"],
            options=self.chosen_options(),
        )

    def refuse(self, error: ValidationError) -> None:
        """Put the service's refusals beside the fields they are about."""
        for name, sentences in error.message_dict.items():
            for sentence in sentences:
                self.add_error(name if name in self.fields else None, sentence)


def initial_of(watch: Watch) -> Mapping[str, Any]:
    """A watch as the form shows it."""
    return {
        **{name: getattr(watch, name) for name in PLAIN},
        **initial_options(watch.options),
        "tell_existing": watch.tell_existing,
        **initial_pace(watch),
    }
