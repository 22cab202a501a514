"""The address of a search, pasted on the page of a new watch."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from monitor_site.watches.models import Watch
from monitor_site.web.watch_paste import read_address

NEW = "/watches/new/"
HOME = "https://curio.example"

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("curio")]


def pasted(client: Client, address: str) -> Any:
    answer = client.get(NEW, {"address": address})
    assert answer.status_code == 200
    return answer


def initial(answer: Any, *names: str) -> tuple[Any, ...]:
    form = answer.context["form"]
    return tuple(form[name].value() for name in names)


def test_a_search_fills_in_the_form(hers: Client) -> None:
    answer = pasted(hers, f"{HOME}/s?q=blue+vase&not=broken&max=5000&new=1&free=1&seller=anna&colour=red&shelf=3,4")
    assert initial(answer, "marketplaces", "must", "none_of", "price_max") == (
        ["curio"], "blue, vase", "broken", 5000
    )  # fmt: skip
    assert initial(answer, "conditions", "shipping") == (["new"], "included")
    assert initial(answer, "curio__seller", "curio__colour", "curio__shelves") == ("anna", "red", "3, 4")
    text = answer.content.decode()
    assert "A search at Curio. Filled in below: words, price, condition, shipping, Seller, Colour, Shelves." in text
    assert text.count("<details open") == 1


def test_what_was_filled_in_saves_as_it_is(hers: Client) -> None:
    address = f"{NEW}?address={HOME}/s%3Fseller%3Danna%26order%3Dold%26colour%3Dred"
    form = hers.get(address).context["form"]
    typed = {name: form[name].value() for name in form.fields}
    answer = hers.post(address, {name: value for name, value in typed.items() if value not in (None, False)})
    watch = Watch.objects.get()
    assert answer["Location"] == reverse("watch", args=[watch.pk])
    assert (watch.marketplaces, watch.options) == (["curio"], {"curio": {"seller": "anna", "colour": "red"}})


def test_what_cannot_be_kept_is_named(hers: Client) -> None:
    text = pasted(hers, f"{HOME}/s?q=vase&order=old&page=7").content.decode()
    assert "Left out: page=7, Order" in text


def test_a_single_listing_says_what_can_be_done_today(hers: Client) -> None:
    answer = pasted(hers, f"{HOME}/i/x123")
    assert "This is a single listing at Curio, which cannot be asked about one alone" in answer.content.decode()
    assert initial(answer, "must") == ("",)


def test_an_address_that_nobody_knows_is_said_so_and_stays(hers: Client) -> None:
    text = pasted(hers, "https://elsewhere.example/?q=vase").content.decode()
    assert "No marketplace here knows this address." in text
    assert 'value="https://elsewhere.example/?q=vase"' in text


def test_an_address_inside_a_shared_text_is_found(hers: Client) -> None:
    assert initial(pasted(hers, f"Look at this! {HOME}/s?q=vase and tell me"), "must") == ("vase",)


def test_an_address_of_the_practice_market_counts_as_the_marketplaces_home(hers: Client, settings: Any) -> None:
    settings.PRACTICE_MARKETS = {"curio": "http://127.0.0.1:9009"}
    assert initial(pasted(hers, "http://127.0.0.1:9009/s?q=vase"), "must") == ("vase",)
    assert not read_address("http://127.0.0.1:90099/s?q=vase").understood
    assert not read_address("http://127.0.0.1:9009.evil.example/s?q=vase").understood


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "\x00\x07",
        "vase",
        "https://",
        "http://[",
        "http://[::1",
        "https://curio.example:99999999/s",
        "javascript:alert(1)",
        f"{HOME}/boom",
        f"{HOME}/odd",
        f"{HOME}/s?shelf=x",
        f"{HOME}/s?colour=green",
        f"{HOME}/s?max=-5",
        f"{HOME}/s?q={'%F0%9F%8C%B8' * 900}",
        f"{HOME}/s?q=%00%07",
        f"{HOME}/s?max={'9' * 5000}",
        "\ud800",
        "x" * 100_000,
    ],
)
def test_nothing_that_can_be_pasted_breaks_the_page(hers: Client, text: str) -> None:
    read_address(text)
    answer = pasted(hers, text.encode("utf-8", "replace").decode())
    assert answer.context["form"]["must"].value() is not None


def test_markup_in_an_address_is_only_text(hers: Client) -> None:
    text = pasted(hers, f'{HOME}/s?q="><script>alert(1)</script>&x=<b>bold</b>').content.decode()
    assert "<script>alert" not in text
    assert "<b>bold" not in text


def test_a_flood_of_leftovers_is_cut(hers: Client) -> None:
    address = f"{HOME}/s?q=vase&" + "&".join(f"p{n}={'v' * 100}" for n in range(15))
    sentence = read_address(address).sentences[-1]
    assert sentence.endswith("…")
    assert len(sentence) < 1000


def test_a_stranger_is_sent_to_sign_in(client: Client) -> None:
    answer = client.get(NEW, {"address": f"{HOME}/s?q=vase"})
    assert reverse("account_login") in answer["Location"]
    assert not Watch.objects.exists()


def test_a_search_for_nothing_is_said_to_be_one() -> None:
    found = read_address(f"{HOME}/s")
    assert found.sentences == ("This is a search at Curio that asks for nothing we know.",)
