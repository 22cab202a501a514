"""From bytes to a page: charset, completeness, and the JSON that some pages carry. Pure."""

import codecs
import json
import re
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode

from monitor_site.contract import Answer, LayoutChanged

from . import fields

# The second knows signs that sellers use and the first does not, such as figures in a circle.
EUC_JP = ("euc_jp", "euc_jis_2004")
_META_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset=[\"']?([A-Za-z0-9_-]{1,40})", re.IGNORECASE)
_PAGE_TYPES = ("", "text/html", "application/xhtml+xml")
_TAIL_BYTES = 4096
# Signs that no charset gave: a few are an accident, every third that is not plain ASCII is another charset.
_ACCIDENTS, _GARBLED = 3, 1 / 3
_SILENT = ("script", "style", "noscript", "template")
# Where sellers write what they like, and where every page leads elsewhere: to notices of maintenance, for one.
_OTHERS = ("#description", "nav", "aside", "footer", "a")


def text_of(answer: Answer) -> str:
    """The page as text, in the charset it declares, else UTF-8, else EUC-JP; one broken byte does not cost the page.

    Raises LayoutChanged for another media type, an empty body, or a charset that nobody can tell: titles that are
    garbled match nothing, and nobody would notice.
    """
    if answer.media_type not in _PAGE_TYPES:
        raise LayoutChanged(f"{answer.status} with {answer.media_type} where a page belongs")
    if not answer.body.strip():
        raise LayoutChanged("empty body")
    declared = _declared(answer)
    for charset in (declared, "utf-8", *EUC_JP):
        try:
            text = answer.body.decode(charset)
        except (UnicodeDecodeError, LookupError):
            continue
        return _refuse_escapes(text)
    return _refuse_garbled(answer.body.decode(_known(declared), "replace"))


def _refuse_escapes(text: str) -> str:
    """ISO-2022-JP is plain ASCII to any other charset, but for its escapes, which no page has."""
    if "\x1b$" in text:
        raise LayoutChanged("ISO-2022-JP, which the page does not declare")
    return text


def _refuse_garbled(text: str) -> str:
    lost = text.count("\ufffd")
    if lost > max(_ACCIDENTS, _GARBLED * sum(not sign.isascii() for sign in text)):
        raise LayoutChanged(f"{lost} signs are in no charset that the page declares or that is usual there")
    return text


def _declared(answer: Answer) -> str:
    header = re.search(r"charset=[\"']?([\w-]+)", answer.headers.get("content-type", ""))
    if header:
        return header[1].lower()
    meta = _META_CHARSET.search(answer.body[:2048])
    return meta[1].decode("ascii").lower() if meta else "utf-8"


def _known(charset: str) -> str:
    try:
        return codecs.lookup(charset).name
    except LookupError:
        return "utf-8"


def tree_of(text: str) -> LexborHTMLParser:
    """The page as a tree."""
    return LexborHTMLParser(text)


def check_whole(text: str) -> None:
    """Raise LayoutChanged for a page that was cut off: half a list must not pass for a list."""
    if "</html" not in text[-_TAIL_BYTES:].lower():
        raise LayoutChanged("cut off: the page has no end")


def words_of(tree: LexborHTMLParser) -> str:
    """What the page itself says to a person, squeezed: no scripts, no links, nothing that a seller wrote."""
    for node in tree.css(",".join((*_SILENT, *_OTHERS))):
        node.decompose()
    heading = " ".join(node.text() for node in tree.css("title"))
    return fields.squeezed(f"{heading} {tree.body.text(separator=' ') if tree.body else ''}")


def word(node: LexborNode | None) -> str:
    """The text of a node, squeezed; empty when there is no node."""
    return fields.squeezed(node.text()) if node is not None else ""


def next_data(tree: LexborHTMLParser, *path: str) -> dict[str, Any]:
    """The object at ``path`` below the page's initial state; empty when the page has none there.

    Raises LayoutChanged when the block is there and is no JSON.
    """
    block = tree.css_first("script#__NEXT_DATA__")
    if block is None:
        return {}
    try:
        found: Any = json.loads(block.text())
    except (ValueError, RecursionError) as unread:
        raise LayoutChanged(f"the page's data is no JSON: {unread}") from unread
    for name in ("props", "pageProps", "initialState", *path):
        found = fields.mapping(found).get(name)
    return fields.mapping(found)
