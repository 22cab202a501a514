"""The part of a watch's form about what it accepts beside its words: folded sections that sum themselves up."""

from collections.abc import Mapping

from django import forms
from django.core.exceptions import ValidationError
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from monitor_site.watches.limits import is_pattern, no_pattern
from monitor_site.watches.models import RelistedWish, ShippingWish
from monitor_site.watches.models.watches import LONGEST_PATTERN
from monitor_site.watches.named import CONDITIONS, KINDS

from .watch_fields import FigureField, PriceField, SpanField
from .watch_sections import Section
from .watch_when import TIMES, WHEN, WhenForm

# Title and fields by section; what stands in one line stands together.
SECTIONS: Mapping[str, tuple["str | Promise", tuple[tuple[str, ...], ...]]] = {
    "words": (_("More words"), (("in_description",), ("pattern",))),
    "limits": (
        _("Limits"),
        (
            ("price_min", "price_max"),
            ("landed",),
            ("kinds",),
            ("conditions",),
            ("shipping",),
            ("listed_within_hours",),
            ("relisted",),
        ),
    ),
    "seller": (_("Seller"), (("rating_min", "rated_min"),)),
    "when": (WHEN, (*TIMES, ("adaptive",))),
    "auctions": (_("Auctions"), (("ends_within_minutes", "bids_max"),)),
}
LIMITS = tuple(name for _title, lines in SECTIONS.values() for line in lines for name in line)


class LimitsForm(WhenForm):
    """What a watch accepts. The names are those of the wish."""

    in_description = forms.BooleanField(
        label=_("Look into the description too"),
        required=False,
        help_text=_(
            "Wanted words may stand there, unwanted ones may not. A search does not tell it, so each listing that fits"
            " otherwise is looked at once, and its match comes a little later."
        ),
    )
    pattern = forms.CharField(
        label=_("Pattern of the title"),
        required=False,
        max_length=LONGEST_PATTERN,
        help_text=_("A regular expression, for those who know them; for example T[23]D? or (?:初期|前期)型."),
        widget=forms.TextInput(attrs={"class": "input", "lang": "ja", "spellcheck": "false", "autocapitalize": "off"}),
    )
    price_min = PriceField(label=_("Price from"))
    price_max = PriceField(label=_("Price to"))
    landed = forms.BooleanField(
        label=_("The price includes shipping"),
        required=False,
        help_text=_("The limits then hold for price and shipping fee together."),
    )
    kinds = forms.MultipleChoiceField(
        label=_("How it is sold"),
        required=False,
        help_text=_("None ticked means any of them."),
        widget=forms.CheckboxSelectMultiple,
        choices=[(kind.value, words) for kind, words in KINDS.items()],
    )
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
    listed_within_hours = SpanField(
        unit=60, label=_("Listed within"), help_text=_("For example 6h or 2d; a bare number is hours.")
    )
    relisted = forms.ChoiceField(
        label=_("Listed again under a new number"),
        choices=RelistedWish.choices,
        initial=RelistedWish.ALERT,
        required=False,
        widget=forms.RadioSelect,
        help_text=_("What the same seller lists again after it has met this watch before."),
    )
    rating_min = FigureField(
        label=_("Good ratings, percent"), help_text=_("For example 95; stars are counted in percent.")
    )
    rated_min = FigureField(label=_("Number of ratings"), help_text=_("At least so many."))
    ends_within_minutes = SpanField(
        unit=1,
        label=_("Ends within"),
        help_text=_("For example 30m, 6h or 1d."),
    )
    adaptive = forms.BooleanField(
        label=_("As often as it is worth"),
        required=False,
        help_text=_(
            "Up to four times as often while something new keeps coming, down to a quarter while nothing does."
        ),
    )
    bids_max = FigureField(label=_("Bids at the most"), help_text=_("0: nobody has bid yet."))

    def clean_relisted(self) -> str:
        """A form that does not say it means the usual."""
        return self.cleaned_data["relisted"] or RelistedWish.ALERT

    def clean_pattern(self) -> str:
        """Said together with everything else that is wrong."""
        pattern: str = self.cleaned_data["pattern"]
        if not is_pattern(pattern):
            raise ValidationError(no_pattern())
        return pattern

    def sections(self) -> dict[str, Section]:
        """All sections by name."""
        return {name: self.section(name, title, lines) for name, (title, lines) in SECTIONS.items()}
