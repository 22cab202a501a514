"""What people find important, brought to the questions that their watches ask."""

from collections.abc import Mapping, Sequence

from django.db import transaction
from django.db.models import Max
from django.db.models.functions import Coalesce

from monitor_site.alerts.models import WatchAlerts
from monitor_site.alerts.models.channels import Importance
from monitor_site.watches.models import Target, WatchTarget
from monitor_site.watches.questions import lock

# Of 100. What is usual is left to the kind of the question.
VALUES: Mapping[int, int | None] = {Importance.LOW: 30, Importance.NORMAL: None, Importance.HIGH: 80}
WRITTEN_AT_ONCE = 200


def rank_questions() -> int:
    """Give each question the importance of the most important watch that asks it; returns how many changed."""
    wanted = _wanted()
    now = dict(Target.objects.exclude(importance=None).values_list("pk", "importance"))
    changed = {pk: wanted.get(pk) for pk in {*wanted, *now} if wanted.get(pk) != now.get(pk)}
    for value in set(changed.values()):
        ids = sorted(pk for pk, other in changed.items() if other == value)
        for start in range(0, len(ids), WRITTEN_AT_ONCE):
            _write(ids[start : start + WRITTEN_AT_ONCE], value)
    return len(changed)


@transaction.atomic
def _write(ids: Sequence[int], value: int | None) -> None:
    """Under the lock that a recording takes, in its order."""
    Target.objects.filter(pk__in=lock(ids)).update(importance=value)


def _wanted() -> dict[int, int]:
    """Of the questions that some watch finds more or less important than usual, unless another one makes up for it."""
    odd = WatchAlerts.objects.exclude(importance=Importance.NORMAL).filter(watch__paused_at=None)
    asked = WatchTarget.objects.filter(watch__paused_at=None, target__in=odd.values("watch__links__target"))
    most = asked.values_list("target_id").annotate(most=Max(Coalesce("watch__alerts__importance", Importance.NORMAL)))
    return {pk: value for pk, importance in most if (value := VALUES[importance]) is not None}
