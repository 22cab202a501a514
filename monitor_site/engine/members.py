"""What targets are called in the schedule: a search by its number, all others by their number after ``look:``.

The scripts tell by the name in which set an id stands: questions for sales stand among the looks, and give way with
them.
"""

from monitor_site.watches.models import Target, TargetKind

LOOK = "look:"


def member(target: Target) -> str:
    """The name of a target."""
    return member_of(target.pk, target.kind)


def member_of(target_id: int, kind: str) -> str:
    """The name of a target of that kind."""
    return str(target_id) if kind == TargetKind.SEARCH else f"{LOOK}{target_id}"


def number_of(name: str) -> int:
    """The number of the target that has this name."""
    return int(name.removeprefix(LOOK))


def is_look(name: str) -> bool:
    """Whether the target that has this name is a look, or gives way like one."""
    return name.startswith(LOOK)
