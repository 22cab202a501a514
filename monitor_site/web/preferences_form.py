"""The form of a person's preferences."""

import zoneinfo
from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

from monitor_site.accounts.models import SecondCurrency, StartPage, Theme


def _zones() -> list[tuple[str, str]]:
    """Those of places, as people look for their own."""
    names = sorted(name for name in zoneinfo.available_timezones() if "/" in name and not name.startswith("Etc/"))
    return [(name, name) for name in ("UTC", *names)]


def _languages() -> list[tuple[str, str]]:
    names = {"zh-hans": "简体中文", "ja": "日本語", "en": "English"}
    return [("", str(_("As the browser asks"))), *((code, names[code]) for code, _name in settings.LANGUAGES)]


class PreferencesForm(forms.Form):
    """All of them are chosen, none is typed."""

    language = forms.ChoiceField(label=_("Language"), choices=_languages, required=False)
    # Their names are those of the database of time zones, in every language.
    time_zone = forms.ChoiceField(label=_("Time zone"), choices=_zones, widget=forms.Select({"translate": "no"}))
    theme = forms.ChoiceField(label=_("Appearance"), choices=Theme.choices)
    start_page = forms.ChoiceField(label=_("Start page"), choices=StartPage.choices)
    second_currency = forms.ChoiceField(
        label=_("Second currency"),
        choices=SecondCurrency.choices,
        required=False,
        help_text=_("Shown beside amounts in yen, always with ≈. What is charged, held and compared stays in yen."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        zone, known = self.initial["time_zone"], self.fields["time_zone"]
        if (zone, zone) not in _zones():
            known.choices = [(zone, zone), *_zones()]  # type: ignore[attr-defined]
