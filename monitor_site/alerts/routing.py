"""Through which channels a person is told of something."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field

from .models import AlertKind, Channel, Importance, WatchAlerts

USUALLY_TOLD = (
    AlertKind.MATCH, AlertKind.PRICE_DROP, AlertKind.BACK, AlertKind.CROSSING, AlertKind.ORDER, AlertKind.TROUBLE,
)  # fmt: skip


@dataclass(slots=True)
class Routes:
    """The channels of some people and the wishes of some watches, read once."""

    channels: dict[int, Channel] = field(default_factory=dict)
    defaults: dict[int, list[Channel]] = field(default_factory=dict)
    named: dict[int, list[int]] = field(default_factory=dict)
    importance: dict[int, int] = field(default_factory=dict)

    def importance_of(self, watch_ids: Iterable[int]) -> int:
        """What the watch that matters most says."""
        return max((self.importance.get(pk, Importance.NORMAL) for pk in watch_ids), default=Importance.NORMAL)

    def channels_of(self, *, user_id: int, kind: str, watch_ids: Collection[int]) -> list[Channel]:
        """The channels that tell this person of this, for all the watches that hit; each once.

        A watch that names channels is told of there, others on the default ones.
        """
        found: dict[int, Channel] = {}
        for watch_id in watch_ids or [0]:
            least = self.importance.get(watch_id, Importance.NORMAL)
            for channel in self._of_watch(user_id, watch_id):
                if kind in channel.tells and channel.least <= least:
                    found |= {one.pk: one for one in self.working(channel)}
        return [found[pk] for pk in sorted(found)]

    def _of_watch(self, user_id: int, watch_id: int) -> list[Channel]:
        named = [self.channels[pk] for pk in self.named.get(watch_id, ()) if pk in self.channels]
        return named or self.defaults.get(user_id, [])

    def working(self, channel: Channel) -> list[Channel]:
        """The channel itself; who stands in for it beside one that fails and in the place of one that was given up."""
        if not channel.is_failing:
            return [channel]
        stand_ins = self.stand_ins(channel)
        return stand_ins if channel.disabled_at and stand_ins else [channel, *stand_ins]

    def stand_ins(self, channel: Channel) -> list[Channel]:
        """Its backup, or else the first of the person's other channels that works; nobody when there is none."""
        backup = self.channels.get(channel.backup_id or 0)
        if backup is not None and not backup.is_failing:
            return [backup]
        others = [one for one in self.channels.values() if one.user_id == channel.user_id and one.pk != channel.pk]
        return [one for one in others if not one.is_failing][:1]


def routes_of(*, user_ids: Collection[int], watch_ids: Collection[int] = ()) -> Routes:
    """Read what :class:`Routes` needs: three queries."""
    routes = Routes()
    for channel in Channel.objects.filter(user__in=user_ids).order_by("pk"):
        routes.channels[channel.pk] = channel
        if channel.is_default:
            routes.defaults.setdefault(channel.user_id, []).append(channel)
    _read_wishes(routes, watch_ids)
    return routes


def _read_wishes(routes: Routes, watch_ids: Collection[int]) -> None:
    wishes = WatchAlerts.objects.filter(watch__in=watch_ids)
    routes.importance = dict(wishes.values_list("watch_id", "importance"))
    through = WatchAlerts.channels.through.objects.filter(watchalerts__watch__in=watch_ids)
    for watch_id, channel_id in through.values_list("watchalerts__watch_id", "channel_id"):
        routes.named.setdefault(watch_id, []).append(channel_id)
