"""Does a row answer the question? Pure.

What a row does not tell is no mismatch. Anonymous delivery, convenience-store pick-up, the first-bid campaign and
"new only" stand in no row, so they are not checked here.
"""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from . import fields
from .ask import seller_of
from .manifest import Selling, YahooCriteria
from .meaning import GRADES, condition_of

Row = Mapping[str, Any]
USED = 2
STORE, PERSON, FLEA = 1, 2, 3
HOUR = timedelta(hours=1)


def answers(row: Row, criteria: YahooCriteria, *, now: datetime) -> bool:
    """Whether nothing that the row tells speaks against it; the keyword is not looked at."""
    return all(test(row, criteria) for test in _TESTS) and _ends_in_time(row, criteria, now)


def fits(marks: Callable[[], Row], criteria: YahooCriteria) -> bool:
    """Whether what something is plainly marked as is what was asked for; words, prices and times are not looked at.

    For pages that were asked all of it: the site ignores without a word what it does not know. ``marks`` is not called
    where nothing was asked that a mark could tell.
    """
    asks = criteria.selling != Selling.ANY or criteria.category or criteria.sellers or criteria.appraised
    if not asks:
        return True
    row = marks()
    return all(test(row, criteria) for test in _MARKS)


def _is_sold_as_asked(row: Row, criteria: YahooCriteria) -> bool:
    fixed = row.get("isFixedPrice")
    if criteria.selling not in {Selling.FIXED, Selling.AUCTION} or not isinstance(fixed, bool):
        return True
    return fixed == (criteria.selling == Selling.FIXED)


def _is_in_category(row: Row, criteria: YahooCriteria) -> bool:
    path = [fields.mapping(each).get("id") for each in (*fields.items(row.get("categoryPath")), row.get("category"))]
    known = {number for number in map(fields.whole, path) if number is not None}
    return not criteria.category or not known or criteria.category in known


def _is_of_brand(row: Row, criteria: YahooCriteria) -> bool:
    return _is_among([criteria.brand] if criteria.brand else [], fields.whole(row.get("brandId")))


def _has_grade(row: Row, criteria: YahooCriteria) -> bool:
    grade = GRADES.get(condition_of(row.get("itemCondition")))
    is_used = USED in criteria.grades and grade is not None and grade != 1
    return is_used or _is_among(criteria.grades, grade)


def _is_from_seller_kind(row: Row, criteria: YahooCriteria) -> bool:
    flea, store = row.get("isFleamarketItem"), row.get("isShoppingItem")
    if not isinstance(flea, bool) or not isinstance(store, bool):
        return True
    return _is_among(criteria.sellers, FLEA if flea else STORE if store else PERSON)


def _is_sent_from(row: Row, criteria: YahooCriteria) -> bool:
    return _is_among(criteria.prefectures, fields.whole(row.get("prefectureCode")))


def _costs_as_asked(row: Row, criteria: YahooCriteria) -> bool:
    return _is_between(fields.whole(row.get("price")), criteria.price_from, criteria.price_to)


def _can_be_bought_as_asked(row: Row, criteria: YahooCriteria) -> bool:
    if not criteria.buy_now_from and not criteria.buy_now_to:
        return True
    amount = fields.whole(row.get("buyNowPrice"))
    return bool(amount) and _is_between(amount, criteria.buy_now_from, criteria.buy_now_to)


def _is_marked_as_asked(row: Row, criteria: YahooCriteria) -> bool:
    asked = {"isFreeShipping": criteria.free_shipping, "isAppraisal": criteria.appraised}
    return not any(wanted and row.get(name) is False for name, wanted in asked.items())


def _is_from_the_seller(row: Row, criteria: YahooCriteria) -> bool:
    known = fields.mapping(row.get("seller")).get("userId")
    return not criteria.seller.strip() or not known or known == seller_of(criteria)


def _has_the_words(row: Row, criteria: YahooCriteria) -> bool:
    """Any of those of which any will do, and none of those to leave out."""
    title = _folded(fields.title(row.get("title")) or "")
    any_of, none_of = (
        list(filter(None, map(_folded, words))) for words in (criteria.any_words, criteria.without_words)
    )
    return not any(word in title for word in none_of) and (not any_of or any(word in title for word in any_of))


def _folded(word: str) -> str:
    return fields.squeezed(word).casefold()


def _ends_in_time(row: Row, criteria: YahooCriteria, now: datetime) -> bool:
    end = fields.moment(row.get("endTime"))
    return not criteria.ending_soon or end is None or end - now <= HOUR


def _is_among(wanted: Iterable[int], found: int | None) -> bool:
    chosen = set(wanted)
    return not chosen or found is None or found in chosen


def _is_between(amount: int | None, low: int | None, high: int | None) -> bool:
    return amount is None or ((not low or amount >= low) and (not high or amount <= high))


_TESTS: tuple[Callable[[Row, YahooCriteria], bool], ...] = (
    _is_sold_as_asked,
    _is_in_category,
    _is_of_brand,
    _has_grade,
    _is_from_seller_kind,
    _is_sent_from,
    _costs_as_asked,
    _can_be_bought_as_asked,
    _is_marked_as_asked,
    _is_from_the_seller,
    _has_the_words,
)
_MARKS = (_is_sold_as_asked, _is_in_category, _is_from_seller_kind, _is_marked_as_asked)
