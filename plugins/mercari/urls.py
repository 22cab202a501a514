"""The addresses people know: of a listing's page, of where to buy it, and what a pasted one asks for. Pure."""

from urllib.parse import quote

from .meaning import is_personal


def page_of(external_id: str, *, web: str, shop: bool) -> str:
    """The page of a listing."""
    return f"{web}/{'shops/product' if shop else 'item'}/{quote(external_id, safe='')}"


def link(external_id: str, *, web: str) -> str:
    """Where a person buys: a person's thing on the page that confirms the purchase, a shop's on its own page.

    Called when: a person is asked to buy by hand. An auction is bid for on its listing's own page, which its
    sightings name. Raises nothing.
    """
    if is_personal(external_id):
        return f"{web}/purchase/{external_id}"
    return page_of(external_id, web=web, shop=True)
