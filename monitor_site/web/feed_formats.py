"""Feeds as RSS 2.0, Atom 1.0 and JSON Feed 1.1, written by Django's feed writer and the standard library."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.feedgenerator import Atom1Feed, Rss201rev2Feed

from .feed_items import Item

MEDIA = "http://search.yahoo.com/mrss/"
# Some readers take the titles of RSS for HTML, others for text: these look the same to both.
WIDE = str.maketrans("<>", "＜＞")


@dataclass(frozen=True, slots=True, kw_only=True)
class Channel:
    """What a feed says of itself; ``changed_at`` is when anything in it last changed."""

    id: str
    title: str
    author: str
    link: str
    language: str
    changed_at: datetime
    items: Sequence[Item]


class _Dated:
    """An empty feed is as old as itself, not as young as its reading."""

    feed: dict[str, Any]

    def latest_post_date(self) -> datetime:
        """When anything in it last changed."""
        changed: datetime = self.feed["changed_at"]
        return changed


class _Rss(_Dated, Rss201rev2Feed):
    def rss_attributes(self) -> dict[str, str]:
        return {"version": "2.0", "xmlns:media": MEDIA}

    def add_item_elements(self, handler: Any, item: dict[str, Any]) -> None:
        super().add_item_elements(handler, item)
        if item["picture"]:
            handler.addQuickElement("media:thumbnail", None, {"url": item["picture"]})


class _Atom(_Dated, Atom1Feed):
    def root_attributes(self) -> dict[str, str]:
        return super().root_attributes() | {"xmlns:media": MEDIA}

    def add_item_elements(self, handler: Any, item: dict[str, Any]) -> None:
        super().add_item_elements(handler, item)
        if item["picture"]:
            handler.addQuickElement("media:thumbnail", None, {"url": item["picture"]})


def rss(channel: Channel) -> str:
    """RSS 2.0, with thumbnails by the media extension."""
    return _written(_Rss, channel, title=lambda title: title.translate(WIDE))


def atom(channel: Channel) -> str:
    """Atom 1.0."""
    return _written(_Atom, channel, title=str)


def _written(kind: type[Any], channel: Channel, *, title: Callable[[str], str]) -> str:
    writer = kind(
        title=title(channel.title), link=channel.link, description=title(channel.title), language=channel.language,
        feed_guid=channel.id, changed_at=channel.changed_at, author_name=channel.author,
    )  # fmt: skip
    for item in channel.items:
        writer.add_item(
            title=title(item.title), link=item.link, description=str(item.html), unique_id=item.id,
            unique_id_is_permalink=False, pubdate=item.at, updateddate=item.changed_at, categories=item.tags,
            picture=item.picture,
        )  # fmt: skip
    return str(writer.writeString("utf-8"))


def json_feed(channel: Channel) -> str:
    """JSON Feed 1.1."""
    told = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": channel.title,
        "home_page_url": channel.link,
        "language": channel.language,
        "authors": [{"name": channel.author}],
        "items": [_in_json(item) for item in channel.items],
    }
    return json.dumps(told, ensure_ascii=False)


def _in_json(item: Item) -> dict[str, Any]:
    told = {
        "id": item.id,
        "url": item.link,
        "title": item.title,
        "content_html": str(item.html),
        "date_published": item.at.isoformat(timespec="seconds"),
        "date_modified": item.changed_at.isoformat(timespec="seconds"),
        "tags": list(item.tags),
    }
    return told | ({"image": item.picture} if item.picture else {})


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """How a feed is written, and what it is called for programs and for people."""

    label: str
    content_type: str
    write: Callable[[Channel], str]


FORMATS: Mapping[str, Format] = {
    "rss": Format(label="RSS", content_type="application/rss+xml; charset=utf-8", write=rss),
    "atom": Format(label="Atom", content_type="application/atom+xml; charset=utf-8", write=atom),
    "json": Format(label="JSON Feed", content_type="application/feed+json; charset=utf-8", write=json_feed),
}
