"""Text of strangers, made harmless for each way out. Pure."""

import re
import unicodedata
from html import escape

LONGEST_TITLE = 120
# Zl, Zp and Cc break lines; Cf turns the direction, hides letters and joins emoji: all but the joiner go.
INVISIBLE = {"Cc", "Cf", "Cs", "Cn", "Co", "Zl", "Zp"}
JOINER = "\N{ZERO WIDTH JOINER}"
MARKS = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~])")


def tame(text: str, *, most: int = LONGEST_TITLE) -> str:
    r"""One line of visible text that calls nobody: chats would ring everybody at ``@everyone``.

    >>> tame("Camera\n@here")
    'Camera ＠here'
    """
    visible = "".join(" " if _is_invisible(char) else char for char in text).replace("@", "＠")
    line = " ".join(visible.split())
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


def _is_invisible(char: str) -> bool:
    return char != JOINER and unicodedata.category(char) in INVISIBLE


def for_html(text: str) -> str:
    """Text between tags and in attributes."""
    return escape(text, quote=True)


def for_markdown(text: str) -> str:
    r"""Text that no dialect of Markdown reads as a mark.

    >>> for_markdown("[A] *b*")
    '\\[A\\] \\*b\\*'
    """
    return MARKS.sub(r"\\\1", text)
