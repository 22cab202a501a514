"""The rules about everything but words. Pure."""

from collections.abc import Iterator
from datetime import datetime, timedelta

from monitor_site.contract import Condition, Kind, Shipping, Sighting, Status

from .rule import Rule
from .verdicts import RuleVerdict, Verdict, known_or, said, yes_or_no

MOST_STARS = 5


def on_sale(sighting: Sighting) -> RuleVerdict:
    """Always asked first: what is gone needs no other reason."""
    known = None if sighting.status is Status.UNKNOWN else sighting.status is Status.ON_SALE
    return said("status", known_or(known), saw=sighting.status.value, wanted=Status.ON_SALE.value)


def figure_rules(rule: Rule, sighting: Sighting, *, now: datetime) -> Iterator[RuleVerdict]:
    """All rules about figures and states that the watch has, in a person's order."""
    if rule.kinds:
        yield said(
            "kind", yes_or_no(sighting.kind.value in rule.kinds), saw=sighting.kind.value, wanted=" ".join(rule.kinds)
        )
    if rule.price_min is not None or rule.price_max is not None:
        yield _price(rule, sighting)
    if rule.conditions:
        yield _condition(rule, sighting)
    if rule.shipping_included:
        yield _shipping(sighting)
    yield from _seller_rules(rule, sighting)
    yield from _time_rules(rule, sighting, now=now)


def _price(rule: Rule, sighting: Sighting) -> RuleVerdict:
    wanted = f"{'' if rule.price_min is None else rule.price_min}–{'' if rule.price_max is None else rule.price_max}"
    if sighting.price is None or sighting.price.amount == 0 or sighting.price.currency != rule.currency:
        return said("price", Verdict.UNKNOWN, wanted=wanted)
    fee = _fee(sighting) if rule.landed else 0
    amount = sighting.price.amount
    if fee is None and not _above(rule, amount):
        return said("price", Verdict.UNKNOWN, saw=amount, wanted=wanted)
    total = amount + (fee or 0)
    inside = (rule.price_min is None or total >= rule.price_min) and not _above(rule, total)
    return said("price", yes_or_no(inside), saw=total, wanted=wanted)


def _above(rule: Rule, amount: int) -> bool:
    return rule.price_max is not None and amount > rule.price_max


def _fee(sighting: Sighting) -> int | None:
    """What the buyer pays for shipping; ``None`` when nobody says."""
    if sighting.shipping is Shipping.INCLUDED:
        return 0
    return sighting.shipping_fee.amount if sighting.shipping_fee else None


def _condition(rule: Rule, sighting: Sighting) -> RuleVerdict:
    seen = sighting.condition
    known = None if seen is Condition.UNKNOWN else seen.value in rule.conditions
    return said("condition", known_or(known), saw=seen.value, wanted=" ".join(rule.conditions))


def _shipping(sighting: Sighting) -> RuleVerdict:
    seen = sighting.shipping
    known = None if seen is Shipping.UNKNOWN else seen is Shipping.INCLUDED
    return said("shipping", known_or(known), saw=seen.value, wanted=Shipping.INCLUDED.value)


def _seller_rules(rule: Rule, sighting: Sighting) -> Iterator[RuleVerdict]:
    seller = sighting.seller
    if rule.blocked_sellers:
        known = seller.id not in rule.blocked_sellers if seller else None
        yield said("blocked_seller", known_or(known), saw=seller.id if seller else "")
    if rule.rating_min is not None:
        rating = share_of_good(seller.rating) if seller else None
        known = None if rating is None else rating >= rule.rating_min
        yield said("rating", known_or(known), saw=rating, wanted=rule.rating_min)
    if rule.rated_min is not None:
        count = seller.count if seller else None
        known = None if count is None else count >= rule.rated_min
        yield said("rated", known_or(known), saw=count, wanted=rule.rated_min)


def share_of_good(rating: float | None) -> float | None:
    """A rating in percent; stars out of five are brought to the same scale.

    >>> share_of_good(4.5), share_of_good(97.5)
    (90.0, 97.5)
    """
    return rating * 100 / MOST_STARS if rating is not None and rating <= MOST_STARS else rating


def _time_rules(rule: Rule, sighting: Sighting, *, now: datetime) -> Iterator[RuleVerdict]:
    if sighting.kind is Kind.AUCTION and rule.bids_max is not None:
        known = None if sighting.bids is None else sighting.bids <= rule.bids_max
        yield said("bids", known_or(known), saw=sighting.bids, wanted=rule.bids_max)
    if sighting.kind is Kind.AUCTION and rule.ends_within is not None:
        left = None if sighting.ends_at is None else sighting.ends_at - now
        yield _within("ends_within", left, rule.ends_within)
    if rule.listed_within is not None:
        age = None if sighting.created is None else now - sighting.created
        yield _within("listed_within", age, rule.listed_within)


def _within(name: str, span: timedelta | None, wanted: timedelta) -> RuleVerdict:
    """Seconds seen and wanted."""
    known = None if span is None else span <= wanted
    seen = None if span is None else int(span.total_seconds())
    return said(name, known_or(known), saw=seen, wanted=int(wanted.total_seconds()))
