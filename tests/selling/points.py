"""Faults at named moments, in this process and in those it starts: armed by a file that is used up once.

The file's name stands in ``TEST_FAULTPOINT``; it says which moment and what happens then: ``kill``, ``stop``, ``raise``
or ``kill-worker``, which a sender does to its worker. Who was hit is written beside it.
"""

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

VARIABLE = "TEST_FAULTPOINT"
# Set for workers on a busy machine: a deadline that comes too soon is another story.
PATIENT = "TEST_PATIENT"


def hit(name: str) -> None:
    """Do what is armed for this moment, once."""
    place = os.environ.get(VARIABLE)
    if not place:
        return
    if PATIENT in os.environ:
        _be_patient()
    try:
        moment, act = Path(place).read_text().split()
    except OSError:
        return
    if moment == name:
        _used_up(Path(place))
        _act(act)


def before_answering(get_response: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A middleware: between what a press has done and the answer to it lies a moment, too."""

    def answer(request: Any) -> Any:
        response = get_response(request)
        if request.method == "POST":
            hit("answering")
        return response

    return answer


def _be_patient() -> None:
    from datetime import timedelta

    from monitor_site.purchasing import submitting

    submitting.SEND_TIME = timedelta(seconds=120)


def _used_up(place: Path) -> None:
    place.rename(place.with_suffix(".coming"))
    place.with_suffix(".coming").write_text(str(os.getpid()))
    place.with_suffix(".coming").rename(place.with_suffix(".hit"))


def _act(act: str) -> None:
    if act == "raise":
        from django.db import OperationalError

        raise OperationalError("the answer to COMMIT was lost")
    target = _grandparent() if act == "kill-worker" else os.getpid()
    os.kill(target, signal.SIGSTOP if act == "stop" else signal.SIGKILL)


def _grandparent() -> int:
    """Of a sender: the worker."""
    import psutil

    return int(psutil.Process(os.getppid()).ppid())


class Points:
    """Arms and looks; ``place`` is the file."""

    def __init__(self, place: Path) -> None:
        self.place = place

    def arm(self, name: str, act: str) -> None:
        self.place.write_text(f"{name} {act}")

    def clear(self) -> None:
        """Nothing is armed, nothing was hit."""
        for place in (self.place, self.place.with_suffix(".hit")):
            place.unlink(missing_ok=True)

    @property
    def hit_by(self) -> int | None:
        """The process that came to the moment."""
        done = self.place.with_suffix(".hit")
        return int(done.read_text()) if done.exists() else None
