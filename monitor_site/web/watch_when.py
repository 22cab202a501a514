"""The part of a watch's form about the times at which it asks."""

from django import forms
from django.utils.dates import WEEKDAYS
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from .watch_fields import ClockField
from .watch_sections import Section, SectionedForm

WHEN = pgettext_lazy("times", "When")
# What stands in one line stands together.
TIMES = (("active_from", "active_to"), ("weekdays",), ("cron",), ("jitter",))


class WhenForm(SectionedForm):
    """Hours, days, cron. The names are those of the wish."""

    active_from = ClockField(label=_("Only from"), help_text=_("On your clock. Left empty, the whole day."))
    active_to = ClockField(label=_("Until"), help_text=_("Earlier than the first means over midnight."))
    weekdays = forms.TypedMultipleChoiceField(
        label=_("Only on these days"),
        required=False,
        coerce=int,
        help_text=_("None ticked means every day. A day is the one on which its time begins."),
        widget=forms.CheckboxSelectMultiple,
        choices=list(WEEKDAYS.items()),
    )
    cron = forms.CharField(
        label=_("At times (cron)"),
        required=False,
        max_length=200,
        help_text=_(
            "For those who know it, in place of an interval: minute, hour, day, month, weekday. 0 7,19 * * mon-fri is"
            " weekdays at 7:00 and 19:00, on your clock."
        ),
        widget=forms.TextInput(attrs={"class": "input", "spellcheck": "false", "autocapitalize": "off"}),
    )
    jitter = forms.BooleanField(
        label=_("A little irregularly"),
        required=False,
        help_text=_("Each check comes up to a tenth of the interval earlier or later; on average nothing changes."),
    )

    def when(self) -> Section:
        """Its own section."""
        return self.section("when", WHEN, TIMES)
