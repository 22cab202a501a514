"""Mark the words of a rule in a raw title. The title is untrusted text and stays text. Pure."""

import unicodedata
from functools import lru_cache

from django.utils.html import conditional_escape, format_html, format_html_join
from django.utils.safestring import SafeString

from monitor_site.watches.text import fold


def _clusters(title: str) -> list[str]:
    """The title cut where folding cannot join: a half-width kana stays with its voicing mark."""
    parts: list[str] = []
    for char in title:
        joins = char in "ﾞﾟ" or unicodedata.combining(char)
        if parts and joins:
            parts[-1] += char
        else:
            parts.append(char)
    return parts


@lru_cache(maxsize=20_000)
def _folded_cluster(cluster: str) -> str:
    """Titles are made of the same few signs."""
    return fold(cluster)


def _folded(clusters: list[str]) -> tuple[str, list[int]]:
    """The folded text, and for each of its characters the cluster it came from."""
    text, origin = "", []
    for index, cluster in enumerate(clusters):
        piece = _folded_cluster(cluster) or (" " if cluster.isspace() and not text.endswith(" ") else "")
        text += piece
        origin += [index] * len(piece)
    return text, origin


def _hits(clusters: list[str], words: list[str]) -> set[int]:
    text, origin = _folded(clusters)
    hits: set[int] = set()
    for word in filter(None, map(fold, words)):
        start = text.find(word)
        while start >= 0:
            hits.update(origin[start : start + len(word)])
            start = text.find(word, start + len(word))
    return hits


def marked(title: str, words: list[str]) -> SafeString:
    """The title as HTML with ``<mark>`` around the words that hit."""
    clusters = _clusters(title)
    hits = _hits(clusters, words)
    runs: list[tuple[bool, str]] = []
    for index, cluster in enumerate(clusters):
        hit = index in hits
        if runs and runs[-1][0] == hit:
            runs[-1] = (hit, runs[-1][1] + cluster)
        else:
            runs.append((hit, cluster))
    return format_html_join("", "{}", ((_run(hit, text),) for hit, text in runs))


def _run(hit: bool, text: str) -> SafeString:
    return format_html("<mark>{}</mark>", text) if hit else conditional_escape(text)
