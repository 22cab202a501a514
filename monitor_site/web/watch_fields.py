"""Form fields that take what people type: lists of words, prices, a plugin's own criteria."""

import re
import types
import unicodedata
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from datetime import time
from decimal import Decimal
from enum import Enum
from typing import Any, Union, get_args, get_origin, get_type_hints

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from monitor_site import wording
from monitor_site.contract import SearchCriteria, digits_of

SEPARATORS = re.compile(r"[,，､、;；\r\n]+")
LONGEST_LIST = 2000
UNITS = {
    "m": 1, "min": 1, "分": 1, "h": 60, "時間": 60, "小时": 60, "d": 1440, "日": 1440, "天": 1440,
}  # fmt: skip
SPANS = ((1440, "d"), (60, "h"), (1, "m"))


def split_words(text: str) -> list[str]:
    """The parts of a list separated by commas of any script or new lines, without empty ones.

    >>> split_words("ルミナ T2、 帯付き,,")
    ['ルミナ T2', '帯付き']
    """
    return [part for part in map(str.strip, SEPARATORS.split(text)) if part]


def read_yen(text: str) -> int:
    """An amount in whole yen as people write it; raises ``ValueError`` for anything that needs guessing.

    >>> [read_yen(text) for text in ("5000", "５，０００", "5,000円", "￥5 000", "1.2万")]
    [5000, 5000, 5000, 5000, 12000]
    """
    plain = unicodedata.normalize("NFKC", text).strip().lower()
    plain = re.sub(r"^(?:jpy|¥)\s*|\s*(?:円|yen|jpy)$", "", plain)
    if found := re.fullmatch(r"(\d{1,5}(?:\.\d{1,4})?)\s*万", plain):
        return int(Decimal(found[1]) * 10_000)
    if not re.fullmatch(r"\d{1,3}(?:[, ]\d{3})+|\d{1,12}", plain):
        raise ValueError(text)
    return int(re.sub(r"[, ]", "", plain))


def read_span(text: str, *, unit: int) -> int:
    """A length of time in units of so many minutes; a bare number is units. Raises ``ValueError`` for anything else.

    >>> [read_span(text, unit=1) for text in ("90", "６ h", "2日")], read_span("2d", unit=60)
    ([90, 360, 2880], 48)
    """
    plain = unicodedata.normalize("NFKC", text).strip().lower()
    found = re.fullmatch(r"(\d{1,6})\s*(\D*)", plain)
    size = (UNITS | {"": unit}).get(found[2]) if found else None
    if found is None or size is None or int(found[1]) * size % unit:
        raise ValueError(text)
    return int(found[1]) * size // unit


def read_amount(text: str, currency: str) -> int:
    """An amount in minor units of ``currency`` as people write it; raises ``ValueError`` for what needs guessing.

    What has as many digits behind its last sign as the currency has is a fraction, groups are of three.

    >>> [read_amount(text, "EUR") for text in ("12", "12.50", "12,50 €", "1.226,00", "1,226", "EUR 1 226.00")]
    [1200, 1250, 1250, 122600, 122600, 122600]
    """
    digits = digits_of(currency)
    if currency == wording.YEN:
        return read_yen(text)
    sign = f"(?:{re.escape(currency)}|{re.escape(wording.SIGNS.get(currency, currency))}|[$€£₩¥])"
    plain = unicodedata.normalize("NFKC", text).strip().upper()
    plain = re.sub(rf"^{sign}\s*|\s*{sign}$", "", plain)
    found = re.fullmatch(
        rf"(\d{{1,3}}(?:([,. ])\d{{3}}(?:\2\d{{3}})*)|\d{{1,10}})(?:(?!\2)[.,](\d{{{digits}}}))?", plain
    )
    if not found:
        raise ValueError(text)
    minor: int = int(re.sub(r"\D", "", found[1])) * 10**digits + int(found[3] or 0)
    return minor


class WordsField(forms.CharField):
    """A list of words in one line; works without script."""

    widget = forms.Textarea

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("widget", forms.Textarea(attrs={"rows": 1, "class": "input input--words", "lang": "ja"}))
        super().__init__(required=False, max_length=LONGEST_LIST, **kwargs)

    def clean(self, value: Any) -> Any:
        """The words as a list."""
        return split_words(super().clean(value))

    def prepare_value(self, value: Any) -> Any:
        """A list as the text a person would type."""
        return ", ".join(map(str, value)) if isinstance(value, list | tuple) else value


class NumbersField(WordsField):
    """A list of whole numbers, separated by commas."""

    def clean(self, value: Any) -> Any:
        """The numbers as a list."""
        words = super().clean(value)
        try:
            return [int(word[:18]) for word in words]
        except ValueError:
            raise ValidationError(_("Please give whole numbers, separated by commas.")) from None


class PriceField(forms.CharField):
    """A price in minor units of ``currency``, which the form sets; ``None`` when left empty."""

    currency = wording.YEN

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("widget", forms.TextInput(attrs={"class": "input input--num", "inputmode": "numeric"}))
        super().__init__(required=False, max_length=30, **kwargs)

    def clean(self, value: Any) -> Any:
        """The amount."""
        text = super().clean(value)
        try:
            return read_amount(text, self.currency) if text else None
        except ValueError:
            raise ValidationError(self._example()) from None

    def prepare_value(self, value: Any) -> Any:
        """A stored price as a person would type it."""
        is_stored = isinstance(value, int) and digits_of(self.currency)
        return wording.figure(value, self.currency) if is_stored else value

    def _example(self) -> str:
        if self.currency == wording.YEN:
            return gettext("Please write the price as a whole number of yen, for example 5000 or 5,000.")
        example = wording.money(125 * 10 ** digits_of(self.currency) // 10, self.currency)
        return gettext("Please write the price as an amount like %(price)s.") % {"price": example}


class FigureField(forms.CharField):
    """A whole number as people write it, ``None`` when left empty."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("widget", forms.TextInput(attrs={"class": "input input--num", "inputmode": "numeric"}))
        super().__init__(required=False, max_length=20, **kwargs)

    def clean(self, value: Any) -> Any:
        """The number."""
        text = re.sub(r"[,\s%]", "", unicodedata.normalize("NFKC", super().clean(value)))
        if text and not re.fullmatch(r"\d{1,9}", text):
            raise ValidationError(_("Please give a whole number."))
        return int(text) if text else None


class SpanField(forms.CharField):
    """A length of time such as ``30m``, ``6h`` or ``2d``, in whole units of ``unit`` minutes; ``None`` when empty."""

    def __init__(self, *, unit: int, **kwargs: Any) -> None:
        self.unit = unit
        kwargs.setdefault("widget", forms.TextInput(attrs={"class": "input input--num"}))
        super().__init__(required=False, max_length=20, **kwargs)

    def clean(self, value: Any) -> Any:
        """The number of units."""
        text = super().clean(value)
        try:
            return read_span(text, unit=self.unit) if text else None
        except ValueError:
            raise ValidationError(_("Please write a time such as 30m, 6h or 2d.")) from None

    def prepare_value(self, value: Any) -> Any:
        """Units as the shortest text that says the same."""
        if not isinstance(value, int):
            return value
        minutes = value * self.unit
        size, letter = next(pair for pair in SPANS if minutes % pair[0] == 0)
        return f"{minutes // size}{letter}"


class ClockField(forms.TimeField):
    """A time of day as minutes since midnight; ``None`` when empty."""

    def __init__(self, **kwargs: Any) -> None:
        kwargs.setdefault("widget", forms.TimeInput(format="%H:%M", attrs={"class": "input", "type": "time"}))
        super().__init__(required=False, **kwargs)

    def clean(self, value: Any) -> Any:
        """The minutes."""
        found = super().clean(value)
        return None if found is None else found.hour * 60 + found.minute

    def prepare_value(self, value: Any) -> Any:
        """Minutes as a time of day."""
        return time(value // 60, value % 60) if isinstance(value, int) else value


def option_fields(shape: type[SearchCriteria]) -> dict[str, forms.Field]:
    """Form fields for the criteria that a plugin adds to the keyword, by their names."""
    hints = get_type_hints(shape)
    own = [spec for spec in fields(shape) if spec.name != "keyword" and spec.metadata.get("shown", True)]
    return {spec.name: _option_field(spec, hints[spec.name]) for spec in own}


def _option_field(spec: "Field[Any]", hint: Any) -> forms.Field:
    words: dict[str, Any] = {
        "label": _said(spec.metadata.get("label") or spec.name),
        "help_text": _said(spec.metadata.get("help")),
        "initial": None if spec.default is MISSING else spec.default,
    }
    kind = _plain_type(hint)
    if named := spec.metadata.get("choices"):
        return _choice_field(kind, {value: _said(text) for value, text in named.items()}, words)
    if isinstance(kind, type) and issubclass(kind, Enum):
        return _choice_field(kind, {item: str(item.value) for item in kind}, words)
    if get_origin(kind) is tuple:
        return (NumbersField if get_args(kind)[0] is int else WordsField)(**words)
    return _scalar_field(kind, words)


def _said(text: Any) -> str:
    """A plugin's text in the reader's language; nothing for nothing."""
    return gettext(str(text)) if text else ""


def _choice_field(kind: Any, named: Mapping[Any, str], words: dict[str, Any]) -> forms.Field:
    """Ticks where several may be chosen, else a list to pick from, with an empty line where nothing is chosen yet."""
    offered = [(value.value if isinstance(value, Enum) else value, text) for value, text in named.items()]
    coerce: Any = type(offered[0][0])
    if get_origin(kind) is tuple:
        ticks = forms.CheckboxSelectMultiple
        return forms.TypedMultipleChoiceField(choices=offered, coerce=coerce, required=False, widget=ticks, **words)
    blank = [("", "—")] if words["initial"] in (None, "") and "" not in dict(offered) else []
    select = forms.Select(attrs={"class": "input"})
    return forms.TypedChoiceField(
        choices=[*blank, *offered], coerce=coerce, empty_value=None, required=False, widget=select, **words
    )


def _scalar_field(kind: Any, words: dict[str, Any]) -> forms.Field:
    if kind is bool:
        return forms.BooleanField(required=False, **words)
    text = forms.TextInput(attrs={"class": "input"})
    if kind is int:
        return forms.IntegerField(required=False, min_value=0, max_value=2**31 - 1, widget=text, **words)
    return forms.CharField(required=False, max_length=200, widget=text, **words)


def _plain_type(hint: Any) -> Any:
    """``int`` of ``int | None``; anything else as it is."""
    if get_origin(hint) in {Union, types.UnionType}:
        return next(part for part in get_args(hint) if part is not type(None))
    return hint
