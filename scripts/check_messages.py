"""Translations are well formed, complete, and compiled: what is shipped is what the sources say."""

import gettext
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LOCALE = ROOT / "monitor_site" / "locale"


def messages(compiled: Path) -> dict[object, str]:
    """All entries of a compiled catalogue but its header, which holds dates."""
    with compiled.open("rb") as file:
        catalogue = gettext.GNUTranslations(file)._catalog  # type: ignore[attr-defined]  # noqa: SLF001
    return {source: text for source, text in catalogue.items() if source}


def faults(source: Path, folder: str) -> list[str]:
    """What is wrong with one catalogue."""
    fresh = Path(folder) / "fresh.mo"
    done = subprocess.run(
        ["msgfmt", "--check", "--statistics", "-o", str(fresh), str(source)],  # noqa: S607 - the machine's own
        env=os.environ | {"LC_ALL": "C"},
        capture_output=True,
        text=True,
        check=False,
    )
    name = source.relative_to(ROOT)
    if done.returncode:
        return [f"{name}: {done.stderr.strip()}"]
    found = [f"{name}: {done.stderr.strip()}"] if "untranslated" in done.stderr or "fuzzy" in done.stderr else []
    compiled = source.with_suffix(".mo")
    if not compiled.exists() or messages(compiled) != messages(fresh):
        found.append(f"{name}: its compiled form is older; run `make messages`")
    return found


def main() -> int:
    """Check all catalogues; the number of faults. Without msgfmt nothing can be said, which CI does not accept."""
    if not shutil.which("msgfmt"):
        sys.stderr.write("msgfmt is missing (package gettext): translations were not checked\n")
        return int(os.environ.get("CI") == "true")
    with tempfile.TemporaryDirectory() as folder:
        found = [fault for source in sorted(LOCALE.rglob("*.po")) for fault in faults(source, folder)]
    sys.stderr.write("".join(f"{fault}\n" for fault in found))
    return len(found)


if __name__ == "__main__":
    sys.exit(main())
