"""What a person says to a proposal, and how they want to be asked."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from monitor_site import wording
from monitor_site.purchasing.learning import NOTHING, Lesson
from monitor_site.purchasing.models import Order

from .order_words import DECLINE_REASONS
from .watch_fields import PriceField, split_words

MEANT = {"limit": "expensive", "words": "wrong", "block": "seller"}
LONGEST_WORDS = 500


class LowerForm(forms.Form):
    """A lower maximum. Without the field nothing lower is asked for; an empty one is not the whole price."""

    at_most = PriceField(label=_("At most, with shipping"))

    def __init__(self, *args: Any, order: Order, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.order = order
        self.fields["at_most"].currency = order.currency  # type: ignore[attr-defined]

    def clean_at_most(self) -> int | None:
        """More than nothing, and no more than was shown."""
        amount: int | None = self.cleaned_data["at_most"]
        if "at_most" not in self.data:
            return None
        if not amount or amount > self.order.price_max:
            most = wording.money(self.order.price_max, self.order.currency)
            raise ValidationError(gettext("Please give an amount above 0 and not above %(most)s.") % {"most": most})
        return amount


class DeclineForm(forms.Form):
    """A "no", with or without a reason, and what is to be learned from it."""

    reason = forms.CharField(required=False, max_length=40)
    limit = PriceField()
    words = forms.CharField(required=False, max_length=LONGEST_WORDS)
    block = forms.BooleanField(required=False)

    def __init__(self, *args: Any, order: Order, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["limit"].currency = order.currency  # type: ignore[attr-defined]

    def reason_given(self) -> str:
        """The chosen one, else the one that something was filled in for; empty for none that we know."""
        said = self.cleaned_data["reason"]
        meant = next((reason for name, reason in MEANT.items() if self.cleaned_data[name]), "")
        return said if said in DECLINE_REASONS else meant

    def lesson(self) -> Lesson:
        """What was filled in beside the reason; what stands beside another one is not meant."""
        data, reason = self.cleaned_data, self.reason_given()
        if reason == "expensive":
            return Lesson(limit=data["limit"])
        if reason == "wrong":
            return Lesson(words=tuple(split_words(data["words"])))
        return Lesson(block_seller=True) if reason == "seller" and data["block"] else NOTHING


class StyleForm(forms.Form):
    """How somebody approves."""

    one_press = forms.BooleanField(
        label=_("One press is enough"),
        required=False,
        help_text=_("Otherwise a button that moves money asks for a second press. Keys always need two."),
    )
    proof_above = PriceField(
        label=_("Prove again that it is me above"),
        help_text=_("Whoever has not signed in or proven it in the last minutes does so first. Empty: never."),
    )
