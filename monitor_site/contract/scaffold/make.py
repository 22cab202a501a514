"""Copy the sample plugin under another name."""

import keyword
import shutil
import sys
import tempfile
from pathlib import Path

from ..rules import NAME

SAMPLE = Path(__file__).parent / "sample_market"
SKIPPED = shutil.ignore_patterns("__pycache__", ".*")
RESERVED = {"plugins", "tests", "practice", "monitor_site", "sample_market"}


class BadName(ValueError):
    """Why a plugin cannot be called that, in words."""


def make_plugin(name: str, *, into: Path) -> Path:
    """Write a working plugin called ``name`` into a folder; the plugin's own folder.

    Raises :class:`BadName`, ``FileExistsError``, or another ``OSError``; then nothing is left behind.
    """
    _check(name)
    folder = into / name
    if folder.exists():
        raise FileExistsError(f"{folder} exists already")
    into.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=".newplugin-", dir=into) as half:
        made = Path(half) / name
        shutil.copytree(SAMPLE, made, ignore=SKIPPED)
        for path in filter(Path.is_file, made.rglob("*")):
            path.write_text(_renamed(path.read_text(encoding="utf-8"), name), encoding="utf-8")
        # All of it appears at once, or nothing.
        made.rename(folder)
    return folder


def _check(name: str) -> None:
    if not NAME.fullmatch(name):
        raise BadName(f"{name!r} is no name: begin with a small letter; small letters, digits and _ only, at most 40")
    if name.endswith("_") or "__" in name:
        raise BadName(f"{name!r} is no name: single _ between words only, since it becomes a host name in the samples")
    if keyword.iskeyword(name) or keyword.issoftkeyword(name) or name in RESERVED | set(sys.stdlib_module_names):
        raise BadName(f"{name!r} is taken: it is a word or a module of Python, or of this product")


def _renamed(text: str, name: str) -> str:
    words = name.replace("_", " ")
    pairs = {"sample_market": name, "sample-market": name.replace("_", "-"), "Sample market": words.capitalize()}
    for old, new in pairs.items():
        text = text.replace(old, new)
    return text
