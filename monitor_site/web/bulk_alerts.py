"""How many watches are told of at once: actions of the list's bulk form."""

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from django.utils.translation import gettext

from monitor_site.alerts import joining
from monitor_site.alerts.models import Channel, Importance
from monitor_site.watches.models import Watch

IMPORTANCE, CHANNEL, DEFAULT = "importance-", "through-", "through-default"


def alert_acts(channels: Iterable[Channel]) -> dict[str, str]:
    """Name → words: each importance, each of these channels, and the default ones."""
    words = gettext("Importance: %(level)s")
    acts = {f"{IMPORTANCE}{level.value}": words % {"level": level.label} for level in Importance}
    names = {channel.pk: channel.name for channel in channels}
    through = gettext("Alert through “%(name)s”, too")
    acts |= {f"{CHANNEL}{pk}": through % {"name": name} for pk, name in names.items()}
    return acts | ({DEFAULT: gettext("Alert through the default channels alone")} if names else {})


def alert_act(act: str, user: Any) -> Callable[[Watch], bool] | None:
    """One of :func:`alert_acts` as a function of a watch, which says whether it changed something."""
    if act.startswith(IMPORTANCE):
        return partial(_set_importance, importance=int(act.removeprefix(IMPORTANCE)))
    if act == DEFAULT:
        return lambda watch: joining.name_no_channel(watch=watch)
    if act.startswith(CHANNEL):
        channel = Channel.objects.of(user).get(pk=int(act.removeprefix(CHANNEL)))
        return lambda watch: joining.name_channel(watch=watch, channel=channel)
    return None


def _set_importance(watch: Watch, *, importance: int) -> bool:
    return joining.set_importance(watch=watch, importance=importance)
