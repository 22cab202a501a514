"""How the matches of one watch are told of: how important they are, and through which channels."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods

from monitor_site.alerts import services
from monitor_site.alerts.models import Channel, Importance, WatchAlerts
from monitor_site.watches.models import Watch

from .channel_words import join_names
from .watches import head_of, own_watch


class WatchAlertsForm(forms.Form):
    """Importance and channels of a watch."""

    importance = forms.TypedChoiceField(
        label=_("Importance"),
        coerce=int,
        choices=Importance.choices,
        widget=forms.RadioSelect,
        help_text=_("A channel tells only of watches that reach its threshold; high importance also rings louder."),
    )
    # Choices, no rows: a number that no database holds is then one that is not among them.
    channels = forms.MultipleChoiceField(label=_("Channels"), required=False, widget=forms.CheckboxSelectMultiple)

    def __init__(self, *args: Any, user: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        rows = Channel.objects.of(user).order_by("name", "pk").values_list("pk", "name")
        self.fields["channels"].choices = [(str(pk), name) for pk, name in rows]  # type: ignore[attr-defined]
        self.fields["channels"].help_text = defaults_words(user)


def defaults_words(user: Any) -> str:
    """What happens when no channel is ticked."""
    names = list(Channel.objects.of(user).filter(is_default=True).order_by("name").values_list("name", flat=True))
    if not names:
        return gettext("None ticked: nobody is told, since no channel is used by default.")
    return gettext("None ticked: the default ones (%(names)s).") % {"names": join_names(names)}


@own_watch
@require_http_methods(["GET", "HEAD", "POST"])
def watch_alerts(request: HttpRequest, watch: Watch) -> HttpResponse:
    """Look at it and change it."""
    form = WatchAlertsForm(
        request.POST if request.method == "POST" else None, user=request.user, initial=_initial(watch)
    )
    if request.method != "POST" or not form.is_valid():
        context = head_of(watch) | {"tab": "alerts", "form": form}
        return render(request, "web/watches/alerts.html", context, status=422 if form.is_bound else 200)
    data = form.cleaned_data
    chosen = Channel.objects.of(request.user).filter(pk__in=data["channels"])
    services.set_watch_alerts(watch=watch, importance=data["importance"], channels=list(chosen))
    messages.success(request, gettext("Saved."))
    return redirect("watch-alerts", watch.pk)


def _initial(watch: Watch) -> dict[str, Any]:
    wishes = WatchAlerts.objects.filter(watch=watch).first()
    if wishes is None:
        return {"importance": Importance.NORMAL}
    return {"importance": wishes.importance, "channels": list(wishes.channels.values_list("pk", flat=True))}
