"""A language nobody speaks: English with accents, longer by two fifths. What is not translated stands out in it."""

import re
import struct
from pathlib import Path

PLACES = re.compile(r"(%\([a-z_0-9]+\)[sd]|%%|%[sd]|\{[^}]*\}|<[^>]+>|&[a-z]+;)")
ACCENTS = str.maketrans("aeiouyncsrgwAEIOUYNCSRGW", "áéíóúýñçšřğŵÁÉÍÓÚÝÑÇŠŘĞŴ")
LETTERS = re.compile(r"[A-Za-z]")
HEADER = b"Content-Type: text/plain; charset=UTF-8\nPlural-Forms: nplurals=2; plural=(n != 1);\n"


def said(text: str) -> str:
    """The text as it is said there; places for values and markup stay.

    >>> said("%(n)d more to see")
    '%(n)d móřé tó šééöööö'
    """
    parts = PLACES.split(text)
    letters = sum(len(LETTERS.findall(part)) for part in parts[::2])
    last = max((at for at in range(0, len(parts), 2) if LETTERS.search(parts[at])), default=0)
    spoken = [part.translate(ACCENTS) if at % 2 == 0 else part for at, part in enumerate(parts)]
    core = spoken[last].rstrip()
    spoken[last] = core + "ö" * (letters * 2 // 5) + spoken[last][len(core) :]
    return "".join(spoken)


def write(shipped: Path, folder: Path) -> Path:
    """Have a catalogue of ours say all this for English; ``shipped`` names one that holds every text there is."""
    folder = folder / "en" / "LC_MESSAGES"
    folder.mkdir(parents=True)
    texts = {key: _translated(key) for key in _keys(shipped.read_bytes()) if key}
    (folder / "django.mo").write_bytes(_catalogue({b"": HEADER} | texts))
    return folder.parent.parent


def _translated(key: bytes) -> bytes:
    text = key.decode().rsplit("\x04", 1)[-1]
    return "\0".join(map(said, text.split("\0"))).encode()


def _keys(data: bytes) -> list[bytes]:
    count, start = struct.unpack("<2I", data[8:16])
    return [data[at : at + size] for size, at in struct.iter_unpack("<2I", data[start : start + 8 * count])]


def _catalogue(texts: dict[bytes, bytes]) -> bytes:
    """The format that gettext reads: a head, two tables of lengths and places, the texts."""
    keys = sorted(texts)
    at, tables, body = 28 + 16 * len(keys), b"", b""
    for text in [*keys, *(texts[key] for key in keys)]:
        tables += struct.pack("<2I", len(text), at + len(body))
        body += text + b"\0"
    head = struct.pack("<7I", 0x950412DE, 0, len(keys), 28, 28 + 8 * len(keys), 0, 0)
    return head + tables + body
