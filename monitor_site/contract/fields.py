"""Dataclass fields that the core can draw as a form: a label, a help text, whether it is a secret.

A plugin's settings and criteria are dataclasses made of these; the core draws, validates and stores them.
"""

import json
import unicodedata
from collections.abc import Mapping
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any


def gettext_noop(text: str) -> str:
    """Mark a text of a plugin for translation; unchanged, since the core translates it when it draws a page.

    The name is the one for which the tools that fill the catalogues look.
    """
    return text


def option(  # noqa: PLR0913  all of them by name
    *,
    label: str,
    help: str = "",
    default: Any = MISSING,
    secret: bool = False,
    choices: Mapping[Any, str] | None = None,
    shown: bool = True,
) -> Any:
    """A field of a settings or criteria dataclass; ``secret`` values are encrypted and never shown again.

    ``choices`` are the allowed values with their words, in the order in which a form offers them. What is not
    ``shown`` stands in no form. Label, help and words are English and marked with :func:`gettext_noop`.
    """
    words = {"label": label, "help": help, "choices": choices}
    # A secret never gets into a log by way of repr.
    return field(default=default, repr=not secret, metadata=words | {"secret": secret, "shown": shown})


@dataclass(frozen=True, slots=True, kw_only=True)
class AccountSettings:
    """What a plugin must know to act for an account: a key, a token. Plugins subclass it with :func:`option` fields.

    Values are text; the ones marked ``secret`` are encrypted where they are kept and never shown again.
    """


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchCriteria:
    """What is asked of a marketplace. Plugins subclass it with their own options.

    Equal questions have equal canonical text, whatever the order or width in which they were typed.
    """

    keyword: str = ""

    @property
    def asks_something(self) -> bool:
        """Whether it narrows the marketplace down at all; a plugin adds what else does, such as a category."""
        return bool(self.keyword.strip())


def shown_fields(shape: type[Any]) -> "tuple[Field[Any], ...]":
    """The options of a dataclass that a form offers."""
    return tuple(spec for spec in fields(shape) if spec.metadata.get("shown", True))


def _fold(value: Any) -> Any:
    if isinstance(value, str):
        return " ".join(unicodedata.normalize("NFKC", value).split())
    if isinstance(value, tuple | list | frozenset | set):
        return sorted((_fold(item) for item in value), key=str)
    return value


def _is_default(spec: "Field[Any]", value: Any) -> bool:
    return value == _fold(spec.default) if spec.default is not MISSING else False


def canonical(criteria: SearchCriteria) -> str:
    """The question as text: NFKC, single spaces, word and set order removed, defaults left out.

    >>> canonical(SearchCriteria(keyword="ＡＢ  カメラ"))
    '{"keyword":"AB カメラ"}'
    """
    pairs = ((spec, _fold(getattr(criteria, spec.name))) for spec in fields(criteria))
    kept = {spec.name: value for spec, value in pairs if not _is_default(spec, value)}
    return json.dumps(kept, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def criteria_from(text: str, shape: type[SearchCriteria]) -> SearchCriteria:
    """The criteria that :func:`canonical` wrote; raises ``ValueError`` when ``shape`` has no such option."""
    stored: Mapping[str, Any] = json.loads(text)
    known = {spec.name for spec in fields(shape)}
    if unknown := sorted(set(stored) - known):
        raise ValueError(f"{shape.__name__} has no option {', '.join(unknown)}")
    values: dict[str, Any] = {name: tuple(v) if isinstance(v, list) else v for name, v in stored.items()}
    return shape(**values)
