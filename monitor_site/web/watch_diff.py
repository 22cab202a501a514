"""What changed between two wishes, in words: which field, what went, what came."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from django.utils.dates import WEEKDAYS
from django.utils.translation import gettext, pgettext

from monitor_site import wording
from monitor_site.contract import Condition
from monitor_site.marketplaces.catalog import catalog
from monitor_site.watches.models import Watch
from monitor_site.watches.named import CONDITIONS
from monitor_site.watches.versions import WISHED

from .rule_words import minute_words
from .watch_fields import option_fields
from .watch_words import marketplace_title

Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One field: what it was called before and is called now; ``foreign`` when these are words of a marketplace."""

    label: str
    gone: tuple[str, ...]
    come: tuple[str, ...]
    foreign: bool = False


FOREIGN = {"must", "any_of", "none_of"}


def changes_between(before: Values, after: Values) -> list[Change]:
    """The fields that differ, in the order of a wish, a plugin's own criteria last; kept in whatever shape."""
    plain = [name for name in WISHED if name != "options"]
    found = [_change(label_of(name), _said(name, before), _said(name, after), name in FOREIGN) for name in plain]
    return [*filter(None, found), *_option_changes(before.get("options") or {}, after.get("options") or {})]


def _change(label: str, before: tuple[str, ...], after: tuple[str, ...], foreign: bool = False) -> Change | None:
    gone = tuple(one for one in before if one not in after)
    come = tuple(one for one in after if one not in before)
    return Change(label=label, gone=gone, come=come, foreign=foreign) if gone or come else None


def label_of(name: str) -> str:
    """What a field of a watch is called."""
    words = str(getattr(Watch._meta.get_field(name), "verbose_name", name))  # noqa: SLF001 - Django documents it
    return words[:1].upper() + words[1:]


def _said(name: str, values: Values) -> tuple[str, ...]:
    """A kept value as the phrases a person reads; none for nothing."""
    value = values.get(name)
    many = value if isinstance(value, list | tuple) else [value]
    say = SAYINGS.get(name) or _plain_saying(name)
    return tuple(say(one) for one in many if one not in (None, ""))


def _plain_saying(name: str) -> Callable[[Any], str]:
    named = dict(getattr(Watch._meta.get_field(name), "choices", None) or ())  # noqa: SLF001 - Django documents it
    return lambda value: _plainly(named.get(value, value))


def _plainly(value: Any) -> str:
    if isinstance(value, bool):
        return gettext("yes") if value else gettext("no")
    return str(value)


def _grade(value: str) -> str:
    return str(CONDITIONS[Condition(value)]) if value in set(Condition) else value


SAYINGS: Mapping[str, Callable[[Any], str]] = {
    "marketplaces": marketplace_title,
    "price_min": wording.money,
    "price_max": wording.money,
    "fall_amount": wording.money,
    "rise_amount": wording.money,
    "fall_percent": "{}%".format,
    "rise_percent": "{}%".format,
    "conditions": _grade,
    "interval_seconds": wording.duration,
    "active_from": minute_words,
    "active_to": minute_words,
    "weekdays": lambda day: str(WEEKDAYS.get(day, day)),
}


def _option_changes(before: Values, after: Values) -> Iterator[Change]:
    """The plugins' own criteria, each under its marketplace."""
    for marketplace in sorted({*before, *after}):
        old, new = before.get(marketplace) or {}, after.get(marketplace) or {}
        fields = _fields_of(marketplace)
        for name in sorted({*old, *new}):
            field = fields.get(name)
            words = {"marketplace": marketplace_title(marketplace), "field": getattr(field, "label", name)}
            label = pgettext("criterion of a marketplace", "%(marketplace)s: %(field)s") % words
            change = _change(label, _option_said(field, old.get(name)), _option_said(field, new.get(name)))
            if change:
                yield change


def _fields_of(marketplace: str) -> Mapping[str, Any]:
    plugin = catalog().plugins.get(marketplace)
    return option_fields(plugin.manifest.criteria) if plugin else {}


def _option_said(field: Any, value: Any) -> tuple[str, ...]:
    named = dict(getattr(field, "choices", ()))
    many = value if isinstance(value, list | tuple) else [value]
    return tuple(_plainly(named.get(one, one)) for one in many if one not in (None, ""))
