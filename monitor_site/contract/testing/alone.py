"""Loads a plugin and reads its samples in a process of its own: ``python -m ... '{"module": ..., "answers": ...}'``.

Prints, as JSON, what the plugin did when it was loaded and what it reads out of each sample.
"""

import contextlib
import io
import json
import os
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ..fields import AccountSettings
from ..marketplace import Plugin
from ..rules import in_words
from .asking import ask
from .guard import guarded
from .origin import load, origin_of
from .samples import samples_in

# Long enough for a machine that does much else.
SECONDS = 600
# Far from each other, and from anywhere: whoever reads times by the machine's zone differs in one of them.
ZONES = ("America/Phoenix", "Pacific/Kiritimati")


def alone(plugin: Plugin, answers: Path, *, seed: int, settings: AccountSettings | None = None) -> dict[str, Any]:
    """Start such a process with a hash seed and in another time zone; it reads the last sample first.

    ``deeds`` when loaded (a crash, too), ``read`` by file.
    """
    known = asdict(settings) if settings else None
    try:
        origin = origin_of(plugin)
    except LookupError as reason:
        return {"deeds": [str(reason)], "read": {}}
    order = json.dumps(origin | {"answers": str(answers), "settings": known})
    path = os.pathsep.join(filter(None, sys.path))
    zone = ZONES[seed % len(ZONES)]
    given = (
        *("/usr/bin/env", f"PYTHONHASHSEED={seed}", f"PYTHONPATH={path}", f"TZ={zone}"),
        *(sys.executable, "-B", "-m", __name__),
    )
    done = subprocess.run((*given, order), capture_output=True, text=True, check=False, timeout=SECONDS)  # noqa: S603
    if done.returncode:
        return {"deeds": [f"ended with {done.returncode}: {done.stderr.strip()[-300:]}"], "read": {}}
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def look(order: dict[str, Any]) -> dict[str, Any]:
    """What :func:`alone` asks for, here."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed), guarded() as guard:
        try:
            plugin = load(order)
        except Exception as error:  # noqa: BLE001  it is told
            return {"deeds": [*guard.deeds, *guard.sleeps, in_words(error)], "read": {}}
    deeds = guard.deeds + guard.sleeps
    deeds += [f"printed {printed.getvalue()[:80]!r}"] if printed.getvalue() else []
    settings = plugin.manifest.settings(**order["settings"]) if order["settings"] else None
    return {"deeds": deeds, "read": read(plugin, Path(order["answers"]), settings, backwards=True)}


def read(
    plugin: Plugin, answers: Path, settings: AccountSettings | None = None, *, backwards: bool = False
) -> dict[str, str]:
    """What each sample with a result is read as, as text."""
    samples = samples_in(answers, plugin)
    outcomes = (ask(plugin, sample, settings) for sample in (samples[::-1] if backwards else samples))
    return {f"{each.sample.capability} {each.sample.file}": repr(each.found) for each in outcomes if each.error is None}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(look(json.loads(sys.argv[1]))))
