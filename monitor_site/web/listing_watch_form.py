"""The form of a watch about one listing."""

import secrets
from collections.abc import Mapping
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from monitor_site import wording
from monitor_site.contract import SearchUrl
from monitor_site.marketplaces.catalog import catalog
from monitor_site.watches.follow import can_look
from monitor_site.watches.models import RelistedWish, Watch, WatchKind
from monitor_site.watches.pages import currency_of
from monitor_site.watches.services import Wish

from .watch_fields import FigureField, PriceField, SpanField
from .watch_markets import floor_of, marketplace_choices
from .watch_pace import PaceForm, initial_pace
from .watch_paste import LONGEST_ADDRESS, asked_by
from .watch_when import TIMES, WhenForm
from .why_not_address import listing_meant

TRIGGERS = (
    "fall_percent", "fall_amount", "price_max", "lowest_days", "rise_percent", "rise_amount", "back_on_sale",
    "ends_within_minutes",
)  # fmt: skip
PLAIN = ("name", *TRIGGERS, "relisted", "tell_existing", "interval_seconds", *(name for line in TIMES for name in line))


class ListingWatchForm(WhenForm, PaceForm):
    """Make or change a watch about one listing; ``fixed`` is the listing of one that is there already."""

    form_key = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)
    item = forms.CharField(
        label=_("Address or item ID"),
        max_length=LONGEST_ADDRESS,
        error_messages={"required": _("Please give the address of a listing, or its item ID.")},
        help_text=_("Paste the address of the listing; with a bare item ID, choose its marketplace too."),
        widget=forms.TextInput(attrs={"class": "input", "autocomplete": "off", "spellcheck": "false"}),
    )
    marketplace = forms.ChoiceField(
        label=_("Marketplace"), required=False, widget=forms.Select(attrs={"class": "input"})
    )
    name = forms.CharField(
        label=_("Name"),
        required=False,
        max_length=200,
        help_text=_("Left empty, the watch is called after the listing."),
        widget=forms.TextInput(attrs={"class": "input"}),
    )
    fall_percent = FigureField(label=_("Falls by percent"), help_text=_("For example 10."))
    fall_amount = PriceField(label=_("Falls by amount"), help_text=_("For example 3000."))
    price_max = PriceField(label=_("At this price or less"))
    lowest_days = FigureField(
        label=_("Lowest price in so many days"),
        help_text=_("From the prices seen here; says nothing before they are known for so long."),
    )
    rise_percent = FigureField(label=_("Rises by percent"))
    rise_amount = PriceField(label=_("Rises by amount"))
    back_on_sale = forms.BooleanField(
        label=_("Back on sale"),
        required=False,
        help_text=_("Once sold or gone, it is then looked at every 6 hours; else the watch ends."),
    )
    ends_within_minutes = SpanField(unit=1, label=_("Auction ends within"), help_text=_("For example 30m, 6h or 1d."))
    relisted = forms.ChoiceField(
        label=_("Listed again under a new number"),
        choices=RelistedWish.choices,
        initial=RelistedWish.ALERT,
        widget=forms.RadioSelect,
        help_text=_("The watch goes on with the new one."),
    )
    tell_existing = forms.BooleanField(label=_("Tell me too if the price or the end is so already"), required=False)

    def __init__(self, *args: Any, fixed: Watch | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fixed = fixed
        if fixed:
            self.fields["item"].disabled = self.fields["marketplace"].disabled = True
        self._offer_marketplaces()
        self._set_currency()
        if not self.is_bound:
            self.initial.setdefault("form_key", secrets.token_urlsafe(16))

    def _offer_marketplaces(self) -> None:
        found = [(name, title) for name, title in marketplace_choices() if can_look(name)]
        chosen = self.initial.get("marketplace")
        if chosen and chosen not in dict(found):
            found.append((chosen, chosen))
        field = self.fields["marketplace"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101 - tells the type checker only
        field.choices = [("", gettext("The one of the address")), *found]

    def _set_currency(self) -> None:
        """Amounts are in the currency of the marketplace."""
        name = self._meant()[0]
        currency = currency_of(name) if name in catalog().plugins else wording.YEN
        for field in (self.fields[name] for name in ("fall_amount", "price_max", "rise_amount")):
            assert isinstance(field, PriceField)  # noqa: S101 - tells the type checker only
            field.currency = currency

    def _meant(self) -> tuple[str, str]:
        """Marketplace and number that stand in the form; empty where nobody can say."""
        item, chosen = str(self["item"].value() or "").strip(), str(self["marketplace"].value() or "")
        if self.fixed or (chosen and not _is_address(item)):
            return chosen, item
        return listing_meant(item) or (chosen, "")

    def clean(self) -> dict[str, Any]:
        """Which listing is meant, and how often it is looked at."""
        data: dict[str, Any] = self.cleaned_data
        name, external_id = self._meant()
        data |= {"marketplace": name, "external_id": external_id}
        if data.get("item") and not external_id:
            self.add_error("item", _not_understood(data["item"]))
        elif data.get("item") and not can_look(name) and not self.fixed:
            self.add_error("marketplace", gettext("This marketplace cannot be asked about a single listing."))
        self.settle_pace(floor_of([name]))
        if not self.errors and not any(data.get(name) for name in TRIGGERS):
            self.add_error(None, gettext("Please choose at least one thing that you want to be told of."))
        return data

    def wish(self) -> Wish:
        """What was typed, ready for the service; only after ``is_valid``."""
        data = self.cleaned_data
        return Wish(
            **{name: data[name] for name in PLAIN},
            kind=WatchKind.LISTING,
            marketplaces=[data["marketplace"]],
            external_id=data["external_id"],
        )

    def refuse(self, error: ValidationError) -> None:
        """Put the service's refusals beside the fields they are about."""
        places = {"external_id": "item", "marketplaces": "marketplace"}
        for name, sentences in error.message_dict.items():
            place = places.get(name, name)
            for sentence in sentences:
                self.add_error(place if place in self.fields else None, sentence)


def _is_address(text: str) -> bool:
    return "/" in text or "." in text


def _not_understood(text: str) -> str:
    """Why no listing is meant."""
    if any(isinstance(asked_by(name, text), SearchUrl) for name in catalog().plugins):
        return gettext("This is the address of a search, not of one listing.")
    if _is_address(text):
        return gettext("No marketplace here knows this address.")
    return gettext("No marketplace here knows this item ID by its form. Please choose its marketplace.")


def initial_of(watch: Watch) -> Mapping[str, Any]:
    """A watch as the form shows it."""
    return {
        **{name: getattr(watch, name) for name in PLAIN},
        **initial_pace(watch),
        "item": watch.external_id,
        "marketplace": watch.marketplaces[0],
    }
