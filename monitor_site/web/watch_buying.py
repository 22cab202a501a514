"""What matches of one watch may lead to beside alerts: nothing, or a proposal to buy."""

from datetime import timedelta
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods

from monitor_site.purchasing import proposing, queries, rules
from monitor_site.purchasing.models import BuyPolicy, BuyRule
from monitor_site.purchasing.models.rules import LONGEST_APPROVAL_MINUTES
from monitor_site.watches.models import Watch

from .watch_fields import PriceField
from .watches import head_of, own_watch

REHEARSED = timedelta(days=30)
OFF, ASK = "off", BuyPolicy.ASK.value
USUAL_MINUTES = 15


class BuyingForm(forms.Form):
    """The buy rule of a watch."""

    then = forms.ChoiceField(
        label=pgettext_lazy("action", "Then"),
        choices=[(OFF, _("Only tell me")), (ASK, _("Propose to buy, and ask me"))],
        widget=forms.RadioSelect,
    )
    price_max = PriceField(
        label=_("Highest price with shipping"), help_text=_("Empty or 0: nothing is bought, and nothing is proposed.")
    )
    shipping_estimate = PriceField(
        label=_("Shipping when I pay it"),
        help_text=_("Held where the buyer pays and nobody says how much. Empty: such things are not proposed."),
    )
    approval_minutes = forms.IntegerField(
        label=_("Time to answer, in minutes"),
        min_value=1,
        max_value=LONGEST_APPROVAL_MINUTES,
        widget=forms.NumberInput(attrs={"class": "input input--num"}),
    )

    def __init__(self, *args: Any, watch: Watch, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("price_max", "shipping_estimate"):
            self.fields[name].currency = watch.currency  # type: ignore[attr-defined]

    def wish(self) -> rules.BuyWish:
        """What the form says, once it is valid."""
        names = ("price_max", "shipping_estimate", "approval_minutes")
        return rules.BuyWish(**{name: self.cleaned_data[name] for name in names})


@own_watch
@require_http_methods(["GET", "HEAD", "POST"])
def watch_buying(request: HttpRequest, watch: Watch) -> HttpResponse:
    """Look at it and change it."""
    rule = BuyRule.objects.filter(watch=watch).select_related("watch").first()
    form = BuyingForm(request.POST if request.method == "POST" else None, watch=watch, initial=_initial(rule))
    if request.method != "POST" or not form.is_valid():
        context = head_of(watch) | _facts(watch, rule) | {"tab": "buying", "form": form}
        return render(request, "web/watches/buying.html", context, status=422 if form.is_bound else 200)
    if form.cleaned_data["then"] == ASK:
        rules.set_rule(watch=watch, wish=form.wish(), now=timezone.now())
    else:
        rules.remove_rule(watch=watch, now=timezone.now())
    messages.success(request, gettext("Saved."))
    return redirect("watch-buying", watch.pk)


def _initial(rule: BuyRule | None) -> dict[str, Any]:
    if rule is None:
        return {"then": OFF, "approval_minutes": USUAL_MINUTES}
    names = ("price_max", "shipping_estimate", "approval_minutes")
    return {"then": ASK} | {name: getattr(rule, name) for name in names}


def _facts(watch: Watch, rule: BuyRule | None) -> dict[str, Any]:
    """What the rule would have done, and what speaks against it."""
    if rule is None:
        return {"rule": None}
    told = proposing.expectations(rule=rule, since=timezone.now() - REHEARSED) if rule.price_max else None
    return {"rule": rule, "expected": told, "guarded": queries.is_guarded(watch)}
