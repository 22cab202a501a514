"""What marketplaces send now and then, made fit for the core: odd picture addresses, half characters, endless names.

Pure.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from ..values import Money, Sighting
from .shape import LONGEST_NAME, LONGEST_TITLE, is_picture


def is_storable(sightings: Sequence[Sighting]) -> bool:
    """Whether every text fits the database as it is: nearly always."""
    too_long = any(
        len(each.title) > LONGEST_TITLE or (each.seller and len(each.seller.name or "") > LONGEST_NAME)
        for each in sightings
    )
    return not too_long and _is_clean("".join(chain.from_iterable(map(_texts, sightings))))


def forgiven(sighting: Sighting) -> Sighting:
    """Without the values that cost only themselves: prices of 0 are not known, odd picture addresses go."""
    images: Any = sighting.images
    return replace(
        sighting,
        price=_unless_zero(sighting.price),
        buy_now=_unless_zero(sighting.buy_now),
        images=tuple(filter(is_picture, images)) if isinstance(images, tuple) else images,
    )


def cleaned(sighting: Sighting) -> Sighting:
    """With texts that a database can hold."""
    seller = sighting.seller
    return replace(
        sighting,
        title=_clean(sighting.title)[:LONGEST_TITLE],
        description=_clean(sighting.description) if sighting.description else sighting.description,
        extra={name: _clean(text) for name, text in sighting.extra.items()},
        seller=replace(seller, name=_clean(seller.name)[:LONGEST_NAME]) if seller and seller.name else seller,
    )


def _unless_zero(price: Any) -> Any:
    return None if isinstance(price, Money) and price.amount == 0 else price


def _texts(sighting: Sighting) -> Iterator[str]:
    """All that people typed."""
    yield sighting.title
    yield sighting.description or ""
    yield from sighting.extra.values()
    if sighting.seller:
        yield sighting.seller.name or ""


def _is_clean(text: str) -> bool:
    try:
        return b"\x00" not in text.encode()
    except UnicodeEncodeError:
        return False


def _clean(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8").replace("\x00", "")
