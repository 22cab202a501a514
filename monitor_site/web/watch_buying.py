"""What matches of one watch may lead to beside alerts: nothing, or a proposal to buy."""

from datetime import timedelta
from functools import partial
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import get_language, gettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods

from monitor_site.accounts.factors import has_second_factor
from monitor_site.marketplaces.catalog import catalog
from monitor_site.marketplaces.models import MarketplaceAccount
from monitor_site.purchasing import proposing, queries, rules
from monitor_site.purchasing.models import BuyPolicy, BuyRule, Way
from monitor_site.purchasing.models.rules import LONGEST_APPROVAL_MINUTES
from monitor_site.watches.models import Watch

from .proving import before_doing, is_proven, typed
from .watch_fields import PriceField
from .watches import head_of, own_watch

REHEARSED = timedelta(days=30)
OFF, ASK, BUY = "off", BuyPolicy.ASK.value, BuyPolicy.BUY.value
BY_HAND = "hand"
USUAL_MINUTES = 15
REFUSED = {
    rules.Unguarded: _("Without a budget nothing is bought by itself. Make a budget first."),
    rules.Endless: _("Say until when; a day that is still to come."),
    rules.NotProven: _(
        "Buying without being asked must be allowed with a second factor: set one up under Security first."
    ),
}


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

    how = forms.ChoiceField(
        label=pgettext_lazy("action", "Who orders"), required=False, widget=forms.RadioSelect, initial=BY_HAND
    )
    until = forms.DateField(
        label=_("By itself until"),
        required=False,
        widget=forms.DateInput(attrs={"class": "input", "type": "date"}),
        help_text=_("Only where nobody is asked: after this day it is proposed again."),
    )

    def __init__(self, *args: Any, watch: Watch, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("price_max", "shipping_estimate"):
            self.fields[name].currency = watch.currency  # type: ignore[attr-defined]
        self.accounts = {str(one.pk): one for one in queries.accounts_that_order(watch)}
        if not self.accounts:
            del self.fields["how"], self.fields["until"]
            return
        ways = [(BY_HAND, _("I do, at the marketplace")), *((key, _who(one)) for key, one in self.accounts.items())]
        self.fields["how"].choices = ways  # type: ignore[attr-defined]
        self.fields["then"].choices += [(BUY, _("Buy, without asking me"))]  # type: ignore[attr-defined]

    def clean(self) -> dict[str, Any]:
        """Nobody but this site can buy without asking."""
        data = super().clean() or {}
        if data.get("then") == BUY and data.get("how") not in self.accounts:
            self.add_error("how", gettext("Only an account of yours can buy without asking you."))
        return data

    def wish(self) -> rules.BuyWish:
        """What the form says, once it is valid."""
        names = ("price_max", "shipping_estimate", "approval_minutes")
        return rules.BuyWish(
            **{name: self.cleaned_data[name] for name in names},
            policy=self.cleaned_data["then"],
            account=self.accounts.get(self.cleaned_data.get("how", "")),
            until=self.cleaned_data.get("until"),
        )


def _who(account: MarketplaceAccount) -> str:
    """An account, and whether it only rehearses."""
    name = f"{catalog().title(account.marketplace, get_language() or 'en')} {account.label}".rstrip()
    if account.spends_since is None:
        return gettext("This site, with %(account)s (dry run: the account may not spend yet)") % {"account": name}
    return gettext("This site, with %(account)s") % {"account": name}


@own_watch
@require_http_methods(["GET", "HEAD", "POST"])
def watch_buying(request: HttpRequest, watch: Watch) -> HttpResponse:
    """Look at it and change it."""
    rule = BuyRule.objects.filter(watch=watch).select_related("watch").first()
    form = BuyingForm(typed(request), watch=watch, initial=_initial(rule))
    page = partial(_page, request, watch, rule, form)

    def asks() -> bool:
        return form.cleaned_data["then"] == BUY and has_second_factor(request.user)

    if first := before_doing(request, form, asks=asks, page=page):
        return first
    if not _saved(request, watch, form):
        return page(422)
    messages.success(request, gettext("Saved."))
    return redirect("watch-buying", watch.pk)


def _page(request: HttpRequest, watch: Watch, rule: BuyRule | None, form: BuyingForm, status: int) -> HttpResponse:
    context = head_of(watch) | _facts(watch, rule) | {"tab": "buying", "form": form}
    return render(request, "web/watches/buying.html", context, status=status)


def _saved(request: HttpRequest, watch: Watch, form: BuyingForm) -> bool:
    """Whether it could be done; why not stands in the form."""
    if form.cleaned_data["then"] == OFF:
        rules.remove_rule(watch=watch, now=timezone.now())
        return True
    try:
        proven = has_second_factor(request.user) and is_proven(request)
        rules.set_rule(watch=watch, wish=form.wish(), now=timezone.now(), proven=proven)
    except tuple(REFUSED) as refused:
        form.add_error(None, str(REFUSED[type(refused)]))
        return False
    return True


def _initial(rule: BuyRule | None) -> dict[str, Any]:
    if rule is None:
        return {"then": OFF, "approval_minutes": USUAL_MINUTES, "how": BY_HAND}
    names = ("price_max", "shipping_estimate", "approval_minutes", "until")
    how = str(rule.account_id) if rule.way == Way.PARTNER_API and rule.account_id else BY_HAND
    return {"then": rule.policy, "how": how} | {name: getattr(rule, name) for name in names}


def _facts(watch: Watch, rule: BuyRule | None) -> dict[str, Any]:
    """What the rule would have done, and what speaks against it."""
    if rule is None:
        return {"rule": None}
    told = proposing.expectations(rule=rule, since=timezone.now() - REHEARSED) if rule.price_max else None
    return {"rule": rule, "expected": told, "guarded": queries.is_guarded(watch)}
