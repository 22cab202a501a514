"""Write the icon sprite from a list of names: ``manage.py make_icons FOLDER`` (the unpacked ``lucide-static``)."""

import re
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

LIST = settings.BASE_DIR / "static" / "ui" / "icons.txt"
SPRITE = settings.BASE_DIR / "static" / "ui" / "icons.svg"
LOOK = 'fill="none" stroke="currentColor" stroke-width="1.75" stroke-linecap="round" stroke-linejoin="round"'


def symbol(name: str, drawing: str) -> str:
    """One icon of the sprite: the shapes of a Lucide file in our line width."""
    shapes = " ".join(re.findall(r"<(?!svg|/svg|!--)[^>]+>", drawing))
    return f'<symbol id="{name}" viewBox="0 0 24 24" {LOOK}>{" ".join(shapes.split())}</symbol>'


def sprite(names: list[str], folder: Path) -> str:
    """The whole sprite; raises ``OSError`` when the package has no such icon."""
    symbols = [symbol(name, (folder / f"{name}.svg").read_text(encoding="utf-8")) for name in names]
    head = "<!-- Lucide icons (lucide-static 1.62.0), ISC licence, https://lucide.dev/license -->"
    return "\n".join([head, '<svg xmlns="http://www.w3.org/2000/svg">', *symbols, "</svg>", ""])


class Command(BaseCommand):
    help = "Write static/ui/icons.svg from static/ui/icons.txt and an unpacked lucide-static package."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, help="the folder 'icons' of the package")

    def handle(self, *args: Any, **options: Any) -> None:
        names = LIST.read_text(encoding="utf-8").split()
        SPRITE.write_text(sprite(names, options["folder"]), encoding="utf-8")
        self.stdout.write(f"{len(names)} icons")
