"""What every rule of the kit has at hand: the plugin, its samples, and one way to fail."""

from collections.abc import Iterator
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any, ClassVar, NoReturn

import pytest

from ..fields import AccountSettings
from ..manifest import Capability
from ..marketplace import Plugin
from ..rules import in_words
from ..values import SearchPage
from .asking import Outcome, ask
from .samples import Sample, samples_in

WORD = "practice"


def fail(sentence: str) -> NoReturn:
    """Fail with a sentence and without a traceback: it is for the author of a plugin, not of the kit."""
    raise pytest.fail.Exception(sentence, pytrace=False) from None


def demand(kept: object, sentence: str) -> None:
    """Fail with the sentence unless it holds."""
    if not kept:
        fail(sentence)


class Rules:
    """What a plugin's test class says, and how rules get at it."""

    plugin: ClassVar[Plugin]
    """The plugin under test."""

    answers: ClassVar[Path]
    """The folder with its sample answers and their ``manifest.json``."""

    settings: ClassVar[AccountSettings | None] = None
    """An account to ask with; where the plugin has settings and this is left out, an invented one is taken."""

    @property
    def account(self) -> AccountSettings | None:
        """The account to ask with: each field that has no default is a word, or the first of its choices."""
        shape: Any = self.plugin.manifest.settings
        if self.settings is not None or shape is None:
            return self.settings
        try:
            found: AccountSettings = shape(**{spec.name: _invented(spec) for spec in fields(shape) if _is_needed(spec)})
        except Exception as error:  # noqa: BLE001  a shape of the plugin's own, that may check what it is given
            fail(f"no account can be invented, give the test class `settings`: {in_words(error)}")
        return found

    def needs(self, able: Capability) -> None:
        """Skip the rule when the plugin does not declare this."""
        if able not in self.plugin.manifest.capabilities:
            pytest.skip(f"it does not declare {able}")

    def samples(self, *cases: str, able: Capability | None = None) -> list[Sample]:
        """The samples of these cases (all, when none is named) that answer something the plugin declares."""
        return [
            sample
            for sample in self._listed()
            if (not cases or sample.case in cases)
            and sample.capability in self.plugin.manifest.capabilities
            and able in {None, sample.capability}
        ]

    def _listed(self) -> tuple[Sample, ...]:
        try:
            return samples_in(self.answers, self.plugin)
        except (OSError, ValueError, KeyError, TypeError) as error:
            fail(f"the list of sample answers cannot be read: {in_words(error)}")

    def some(self, *cases: str, able: Capability | None = None) -> list[Sample]:
        """As :meth:`samples`; the rule is skipped when there are none."""
        return self.samples(*cases, able=able) or pytest.skip(f"no sample of {' or '.join(cases)}")

    def outcome(self, sample: Sample) -> Outcome:
        """What the plugin makes of a sample."""
        return ask(self.plugin, sample, self.account)

    def outcomes(self, *cases: str, able: Capability | None = None) -> Iterator[Outcome]:
        """What the plugin makes of all samples of these cases."""
        return map(self.outcome, self.some(*cases, able=able))

    def pages(self, *cases: str) -> list[tuple[Sample, SearchPage]]:
        """The pages that samples of lists are read as; a full sample that is no page fails the rule."""
        found = [each for each in self.outcomes(*cases) if each.sample.capability != Capability.LOOK]
        for each in found:
            demand(
                isinstance(each.found, SearchPage), f"{each.sample.file} must be read as a page, and is: {each.words}"
            )
        return [(each.sample, each.found) for each in found]


def _is_needed(spec: "Field[Any]") -> bool:
    return spec.default is MISSING and spec.default_factory is MISSING


def _invented(spec: "Field[Any]") -> str:
    return str(next(iter(spec.metadata.get("choices") or ()), WORD))


def never_nothing(outcome: Outcome, what: str) -> None:
    """Fail unless it is an error of the contract or a page with rows: what cannot be read is not "nothing found"."""
    demand(
        outcome.refused or outcome.rows,
        f"{what} does not say that nothing was found; raise LayoutChanged. {outcome.sample.file}: {outcome.words}",
    )
    demand(
        outcome.error is None or outcome.refused,
        f"{what} must raise an error of the contract. {outcome.sample.file}: {outcome.words}",
    )
