"""The form of a channel: where it leads, which depends on its kind, and how it tells."""

import secrets
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from datetime import time
from operator import attrgetter
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.forms.boundfield import BoundField
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from monitor_site.alerts.models import Channel, Importance, WatchAlerts
from monitor_site.alerts.models.channels import MOST_A_DAY, MOST_MINUTES
from monitor_site.alerts.routing import USUALLY_TOLD
from monitor_site.alerts.services import Manner, Place
from monitor_site.alerts.ways.kinds import BadChannel, ChannelKind, check
from monitor_site.alerts.ways.webhook import new_secret

from .channel_words import KINDS_OF_ALERTS, LANGUAGES
from .watch_fields import FigureField, SpanField

PREFIX, DROP = "to_", "drop_"
PLAIN = ("name", "language", "is_default", "weekly_test", "digest_minutes", "per_day", "backup")
BROWSER = "webpush"


class ClockField(forms.TimeField):
    """A time of the day, in minutes; ``None`` when left empty."""

    def __init__(self, **kwargs: Any) -> None:
        widget = forms.TimeInput(format="%H:%M", attrs={"type": "time", "class": "input"})
        wrong = {"invalid": _("Please write a time such as 22:30.")}
        formats = ["%H:%M", "%H:%M:%S"]
        super().__init__(required=False, widget=widget, error_messages=wrong, input_formats=formats, **kwargs)

    def clean(self, value: Any) -> Any:
        """The minutes since midnight."""
        moment = super().clean(value)
        return None if moment is None else moment.hour * 60 + moment.minute

    def prepare_value(self, value: Any) -> Any:
        """Minutes as a time."""
        return time(value // 60, value % 60) if isinstance(value, int) else value


class ChannelForm(forms.Form):
    """Make or change a channel. ``form_key`` tells a second submit of the same page from a second channel.

    The fields of the kind are called ``to_`` and their name; a stored secret whose field stays empty is kept.
    """

    form_key = forms.CharField(required=False, max_length=64, widget=forms.HiddenInput)
    name = forms.CharField(label=_("Name"), max_length=80, widget=forms.TextInput(attrs={"class": "input"}))
    language = forms.ChoiceField(
        label=_("Language of its messages"), required=False, widget=forms.Select(attrs={"class": "input"})
    )
    is_default = forms.BooleanField(
        label=_("Use for all watches that name no channel"), required=False, help_text=_("New watches name none.")
    )
    join = forms.BooleanField(label=_("Add to the watches that name other channels, too"), required=False)
    tells = forms.MultipleChoiceField(
        label=_("Tells of"), required=False, widget=forms.CheckboxSelectMultiple, choices=list(KINDS_OF_ALERTS.items())
    )
    least = forms.TypedChoiceField(
        label=_("Least importance of a watch"),
        coerce=int,
        choices=Importance.choices,
        widget=forms.RadioSelect,
        help_text=_("How important a watch is, is set on its page under “Alerts”."),
    )
    quiet_from = ClockField(label=_("Quiet from"))
    quiet_until = ClockField(
        label=_("Quiet until"), help_text=_("By your clock. What comes in between is told at the end, nothing is lost.")
    )
    digest_minutes = SpanField(
        unit=1, label=_("Together every"), help_text=_("For example 30m, 6h or 1d; empty: every match at once.")
    )
    cool_down_minutes = SpanField(
        unit=1,
        label=_("Again about the same listing after"),
        help_text=_("For example 15m; empty: without waiting. What happens sooner waits until then."),
    )
    per_day = FigureField(
        label=_("Messages a day at the most"), help_text=_("The rest comes together on the next day; empty: no limit.")
    )
    weekly_test = forms.BooleanField(
        label=_("Test every week"),
        required=False,
        help_text=_("Sends a test when nothing was delivered for a week, so that silence is no riddle."),
    )
    backup = forms.ModelChoiceField(
        label=_("Stands in when this one fails"),
        queryset=Channel.objects.none(),
        required=False,
        empty_label=_("another channel that works"),
        widget=forms.Select(attrs={"class": "input"}),
    )

    def __init__(
        self,
        *args: Any,
        kind: ChannelKind,
        user: Any,
        channel: Channel | None = None,
        kept: frozenset[str] = frozenset(),
        **kwargs: Any,
    ) -> None:
        self.kind, self.kept, self.channel = kind, kept, channel
        super().__init__(*args, **kwargs)
        self._offer(user)
        for spec in fields(kind.settings):
            self._ask(spec)
        if not self.is_bound:
            self.initial.setdefault("form_key", secrets.token_urlsafe(16))

    def _offer(self, user: Any) -> None:
        others = Channel.objects.of(user).exclude(pk=self.channel.pk if self.channel else 0).order_by("name")
        self.fields["backup"].queryset = others  # type: ignore[attr-defined]
        # By its name alone: the kind is a word of ours for programs.
        self.fields["backup"].label_from_instance = attrgetter("name")  # type: ignore[attr-defined]
        self.fields["language"].choices = list(LANGUAGES.items())  # type: ignore[attr-defined]
        if not WatchAlerts.objects.filter(watch__user=user, channels__isnull=False).exists():
            del self.fields["join"]

    def _ask(self, spec: "Field[Any]") -> None:
        """One field of the kind; what only a browser knows is hidden, and what we make ourselves is not asked."""
        name = PREFIX + spec.name
        if spec.metadata["shown"]:
            self.fields[name] = place_field(spec, is_kept=spec.name in self.kept)
        elif self.kind.name == BROWSER:
            self.fields[name] = forms.CharField(required=False, max_length=2048, widget=forms.HiddenInput)
        if spec.name in self.kept and spec.metadata["shown"] and spec.default is not MISSING:
            label = gettext("Forget the stored value: %(field)s") % {"field": gettext(spec.metadata["label"])}
            self.fields[DROP + spec.name] = forms.BooleanField(label=label, required=False)

    def place_fields(self) -> list[BoundField]:
        """Where it leads, as far as a person types it."""
        asked = [name for name in self.fields if name.startswith((PREFIX, DROP))]
        return [self[name] for name in asked if not self[name].is_hidden]

    def browser_fields(self) -> list[BoundField]:
        """What a script fills in."""
        return [self[name] for name in self.fields if name.startswith(PREFIX) and self[name].is_hidden]

    def clean(self) -> dict[str, Any]:
        """Whether this can be a channel, said beside the field that is wrong."""
        data = self.cleaned_data
        self._demand_whole_hours(data)
        self._demand_bounds(data)
        if not any(name.startswith(PREFIX) for name in self.errors):
            self._check_place()
        return data

    def _demand_whole_hours(self, data: Mapping[str, Any]) -> None:
        start, end = data.get("quiet_from"), data.get("quiet_until")
        if {"quiet_from", "quiet_until"} & set(self.errors):
            return
        if (start is None) != (end is None):
            empty = "quiet_from" if start is None else "quiet_until"
            self.add_error(empty, gettext("Quiet hours need a beginning and an end."))
        elif start is not None and start == end:
            self.add_error("quiet_until", gettext("Beginning and end are the same. Mute the channel instead."))

    def _demand_bounds(self, data: Mapping[str, Any]) -> None:
        most = {"digest_minutes": MOST_MINUTES, "cool_down_minutes": MOST_MINUTES, "per_day": MOST_A_DAY}
        for name, bound in most.items():
            value = data.get(name)
            if value is not None and value > bound:
                words = gettext("At most %(n)s.") if name == "per_day" else gettext("At most 7d.")
                self.add_error(name, words % {"n": f"{bound:,}"})
            elif value == 0 and name != "cool_down_minutes":
                self.add_error(name, gettext("At least 1, or leave it empty."))

    def _check_place(self) -> None:
        values, hidden = self._typed()
        if self.kind.name == BROWSER and "endpoint" not in {*hidden, *self.kept}:
            self.refuse(gettext("Allow messages in this browser first: press the button for it. It needs scripts."))
            return
        try:
            check(self.kind.name, values, hidden, kept=self.kept)
        except BadChannel as error:
            self.add_error(PREFIX + error.field if PREFIX + error.field in self._seen() else None, error.sentence)

    def _seen(self) -> set[str]:
        return {field.name for field in self.place_fields()}

    def _typed(self) -> tuple[dict[str, str], dict[str, str]]:
        """What was typed: what anybody may see, and the secrets that are to change."""
        values: dict[str, str] = {}
        hidden: dict[str, str] = {}
        for spec in fields(self.kind.settings):
            typed = self.cleaned_data.get(PREFIX + spec.name) or ""
            if not spec.metadata["secret"]:
                values[spec.name] = typed
            elif typed or self.cleaned_data.get(DROP + spec.name):
                hidden[spec.name] = typed
        return values, hidden

    def place(self) -> Place:
        """Where it leads; only after ``is_valid``. A new webhook gets the secret that it signs with."""
        values, hidden = self._typed()
        if self.kind.name == "webhook" and "secret" not in self.kept:
            hidden["secret"] = new_secret()
        return Place(kind=self.kind.name, values=values, secrets=hidden)

    def manner(self) -> Manner:
        """How it tells; only after ``is_valid``."""
        data = self.cleaned_data
        return Manner(
            **{name: data[name] for name in PLAIN},
            tells=tuple(data["tells"]),
            least=data["least"],
            quiet_from=data["quiet_from"],
            quiet_until=data["quiet_until"],
            cool_down_minutes=data["cool_down_minutes"] or 0,
        )

    def refuse(self, sentence: str) -> None:
        """Put the refusal of a service over the form."""
        self.add_error(None, ValidationError(sentence))


def place_field(spec: "Field[Any]", *, is_kept: bool) -> forms.CharField:
    """A field of a kind's settings. A secret that is stored is never shown, only replaced."""
    told = spec.metadata
    help_text = gettext(told["help"]) if told["help"] else ""
    if is_kept:
        help_text = " ".join(filter(None, [gettext("Stored, and not shown. Leave it empty to keep it."), help_text]))
    attrs = {"class": "input", "autocomplete": "off", "spellcheck": "false", "autocapitalize": "off"}
    return forms.CharField(
        label=gettext(told["label"]),
        help_text=help_text,
        required=spec.default is MISSING and not is_kept,
        initial="" if spec.default is MISSING or told["secret"] else spec.default,
        max_length=2048,
        widget=forms.TextInput(attrs=attrs | {"placeholder": told["example"]}),
    )


def initial_of(kind: ChannelKind, channel: Channel | None) -> dict[str, Any]:
    """A channel as the form shows it; a new one is called after its kind."""
    if channel is None:
        standard = Manner(name=str(kind.title))
        return standard.fields() | {"tells": [str(one) for one in USUALLY_TOLD]}
    shown = {PREFIX + name: value for name, value in channel.values.items()}
    return {name: getattr(channel, name) for name in Manner.__slots__} | shown
