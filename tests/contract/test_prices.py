"""Price words in all shapes: the right amount, or "not known"; never a wrong one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor_site.contract import YEN, Money, PriceStyle, read_price

EURO = PriceStyle(currency="EUR", digits=2, group=".", decimal=",", spaced=True)
DOLLAR = PriceStyle(currency="USD", digits=2, group=",", decimal=".")

IN_YEN = [
    ("12,800", 12_800),
    ("¥12,800", 12_800),
    ("￥12,800", 12_800),
    ("\\12,800", 12_800),
    ("12,800円", 12_800),
    ("１２，８００円", 12_800),
    ("12800", 12_800),
    ("1,600.00", 1_600),
    ("1,600", 1_600),
    ("3,440円（税込）", 3_440),
    ("現在 3,440 円", 3_440),
    ("JPY 3,440", 3_440),
    ("1万円", 10_000),
    ("1万2,800円", 12_800),
    ("1万2800円", 12_800),
    ("1万5千円", 15_000),
    ("1.5万円", 15_000),
    ("35万", 350_000),
    ("F26171、23,100円", 23_100),
    ("23,100円 23,100円", 23_100),
]
IN_EUROS = [
    ("1.226 €", 122_600),
    ("1.226,00 €", 122_600),
    ("1.226,99 €", 122_699),
    ("14,99 €", 1_499),
    ("1\u00a0099,00 €", 109_900),
    ("Beginning at   1 099,00 €   tax incl.", 109_900),
    ("1.320,99", 132_099),
]
UNREADABLE = [
    "68 50円", "F26171 23,100円",
    "", "-", "円", "無料", "0円", "¥0", "68 50", "1,60円", "12,8000円", "3,000〜5,000円", "2,237円 2,460円",
    "1,226.99円", "F26171", "12.800円", "1.5万2,000円", "1万12,000円", "九千円", "NaN", "1e5円", "¥-300", "٣٠٠0x円",
    "9" * 40 + "円",
]  # fmt: skip


@pytest.mark.parametrize(("text", "amount"), IN_YEN)
def test_yen_are_read_in_every_shape(text: str, amount: int) -> None:
    assert read_price(text) == Money(amount=amount, currency="JPY")


@pytest.mark.parametrize(("text", "cents"), IN_EUROS)
def test_euros_are_read_as_their_marketplace_writes_them(text: str, cents: int) -> None:
    assert read_price(text, EURO) == Money(amount=cents, currency="EUR")


@pytest.mark.parametrize("text", ["$1,600.00", "1,600.00 USD", "$1,600"])
def test_dollars_are_read_as_their_marketplace_writes_them(text: str) -> None:
    assert read_price(text, DOLLAR) == Money(amount=160_000, currency="USD")


@pytest.mark.parametrize("text", UNREADABLE)
def test_what_is_not_plainly_one_price_is_not_known(text: str) -> None:
    assert read_price(text) is None


@given(amount=st.integers(1, 10**11), sign=st.sampled_from(["{:,}円", "¥{:,}", "{}", "￥{:,}（税込）", "即決 {:,} 円"]))
def test_every_amount_comes_back_as_it_was_written(amount: int, sign: str) -> None:
    assert read_price(sign.format(amount)) == Money(amount=amount, currency="JPY")


@given(st.text(alphabet="0123456789,. ¥円万千€ー〜-A", max_size=24), st.sampled_from([YEN, EURO, DOLLAR]))
def test_any_text_gives_a_price_or_nothing_and_never_digits_that_are_not_there(text: str, style: PriceStyle) -> None:
    found = read_price(text, style)
    if found is not None and "万" not in text:
        assert str(found.amount // 10**style.digits) in "".join(each for each in text if each.isdigit())
