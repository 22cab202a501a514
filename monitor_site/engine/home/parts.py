"""Which processes an installation has."""

import sys
from pathlib import Path

from django.conf import settings

from .child import Part


def command(name: str, *arguments: object) -> tuple[str, ...]:
    """The command line of one of our management commands."""
    return (sys.executable, "-u", str(settings.BASE_DIR / "manage.py"), name, *map(str, arguments))


def practice_market(name: str, *, shares: int, truth_log: Path) -> Part:
    """The practice market that plays marketplace ``name`` on an open socket."""
    return Part(
        name=f"practice {name}",
        command=command("run_practice", name, "--fd", shares, "--truth-log", truth_log),
        shares=(shares,),
    )


def web(*, shares: int) -> Part:
    """The web process on an open socket."""
    return Part(name="web", command=command("run_web", "--fd", shares), shares=(shares,))


def promoter() -> Part:
    """The process that puts tickets on lanes."""
    return Part(name="promoter", command=command("run_promoter"))


def workers() -> Part:
    """All lanes under the workers' own supervisor."""
    return Part(name="workers", command=command("rqworker"))
