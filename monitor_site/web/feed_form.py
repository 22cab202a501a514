"""The form for a new feed: what it lists, and what it is called."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from monitor_site.alerts.feeding import LONGEST_NAME, Wish
from monitor_site.alerts.models import FeedKind
from monitor_site.watches.models import Watch

OF_ALL = (FeedKind.ALL, FeedKind.DROPS)


class FeedForm(forms.Form):
    """One list offers both kinds of feeds of everything and each of the person's watches."""

    lists = forms.ChoiceField(label=_("Lists"))
    name = forms.CharField(
        label=_("Name"), max_length=LONGEST_NAME, required=False, help_text=_("Empty: as what it lists.")
    )
    form_key = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)

    def __init__(self, *args: Any, user: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user = user
        watches = Watch.objects.of(user).order_by("name", "pk").values_list("pk", "name")
        of_all = [(kind.value, kind.label) for kind in OF_ALL]
        self.fields["lists"].choices = [*of_all, *((f"{pk}", name) for pk, name in watches)]  # type: ignore[attr-defined]

    def wish(self) -> Wish:
        """What the form says, once it is valid."""
        lists, name = self.cleaned_data["lists"], self.cleaned_data["name"]
        if lists in set(OF_ALL):
            return Wish(kind=lists, name=name)
        watch = Watch.objects.of(self.user).filter(pk=lists).first()
        return Wish(kind=FeedKind.WATCH, name=name, watch=watch)
