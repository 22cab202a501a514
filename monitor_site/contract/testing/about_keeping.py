"""Rules about what lies between two questions: nothing. Each is asked anew, and read from its answer alone."""

import gc
import weakref
from dataclasses import fields
from datetime import timedelta
from typing import Any, NoReturn
from urllib.parse import parse_qsl, unquote, urlsplit

from ..errors import LayoutChanged, MarketplaceError, NoPace, Unavailable
from ..fields import canonical
from ..manifest import Capability
from ..values import Answer
from .asking import Outcome, ask, asked_of, run
from .rule import Rules, demand
from .samples import Sample
from .session import NOW, Request, ScriptedSession

ODD = "q&a=1#50%+x"
LATER = NOW + timedelta(days=40)


class _Watched(Answer):
    """An answer of which one can tell whether somebody keeps it."""

    __slots__ = ("__weakref__",)


class AboutKeeping(Rules):
    """Nothing is kept, nothing is swallowed, nothing is read from the machine."""

    def test_what_the_session_raises_comes_out_as_it_is(self) -> None:
        """It means what the core must do next; whoever catches it asks again or takes it for "nothing found"."""
        for sample in self.some("full"):
            for error in (Unavailable("cut off"), NoPace("no room"), LayoutChanged("too large")):
                outcome = self._when_raised(sample, error)
                demand(
                    outcome.error is error and len(outcome.asked) == 1,
                    f"{sample.capability} must let {type(error).__name__} of the session out and ask no more; "
                    f"it asked {len(outcome.asked)} times: {outcome.words}",
                )

    def test_a_connection_asks_every_time(self) -> None:
        """What the marketplace says now is asked of it, not of a memory."""
        for sample in self.some("full"):
            found, again = self._asked_twice(sample)
            demand(again, f"{sample.capability} asked again by one connection asks nothing: it answers from memory")
            demand(found[0] == found[1], f"{sample.file} is read differently the second time by one connection")

    def test_it_leaves_a_question_as_it_is(self) -> None:
        """The core asks it again, and of others."""
        for sample in self.some("full"):
            before = canonical(sample.question), sample.question.keyword
            self.outcome(sample)
            after = canonical(sample.question), sample.question.keyword
            demand(
                before == after, f"{sample.capability} changed the question it was asked: {before[1]!r}, {after[1]!r}"
            )

    def test_a_keyword_is_asked_as_it_is(self) -> None:
        """People look for "R&D #1" too: unescaped, it is another question."""
        self.needs(Capability.SEARCH)
        for sample in self.some("full", able=Capability.SEARCH)[:1]:
            asked = self.outcome(_asking(sample, ODD)).asked
            demand(
                any(ODD in text for request in asked for text in _texts(request)),
                f"the keyword {ODD!r} does not arrive; escape it: {asked[0].url if asked else 'nothing was asked'}",
            )

    def test_the_time_of_reading_gets_into_nothing(self) -> None:
        """A time that the answer does not tell is not known; it is not now."""
        for sample in self.some("full"):
            now, later = self.outcome(sample), ask(self.plugin, sample, self.account, moment=LATER)
            demand(
                now.found == later.found, f"{sample.file} is read differently at another time: {_unlike(now, later)}"
            )
            clocks = now.guard.clocks
            demand(not clocks, f"reading {sample.file} looked at the machine's clock: {', '.join(clocks)}")

    def test_it_keeps_no_answer(self) -> None:
        """A process asks for months."""
        for sample in self.some("full"):
            kept = self._answered_by_watched(sample)
            gc.collect()
            demand(
                not any(each() for each in kept),
                f"the answer of {sample.file} is still kept when it has long been read",
            )

    def test_it_reads_by_the_session(self) -> None:
        """``session.read`` takes big answers off the event loop."""
        for outcome in self.outcomes("full"):
            demand(
                outcome.reads or outcome.error,
                f"{outcome.sample.file} was parsed without session.read: it blocks others",
            )

    def _asked_twice(self, sample: Sample) -> tuple[list[Any], int]:
        """What one connection finds in the same answer, time and again, and how many requests the second time took."""
        session = ScriptedSession(self.plugin, lambda _: sample.answer, self.account)

        async def twice() -> list[Any]:
            market = self.plugin.connect(session)
            first = await asked_of(market, sample)
            session.asked.clear()
            return [first, await asked_of(market, sample)]

        return run(twice), len(session.asked)

    def _when_raised(self, sample: Sample, error: MarketplaceError) -> Outcome:
        def reply(_: Request) -> NoReturn:
            raise error

        return ask(self.plugin, sample, self.account, reply=reply)

    def _answered_by_watched(self, sample: Sample) -> "list[weakref.ref[Answer]]":
        """Ask, and leave nothing of it but references; each frame that knew the answer is gone then."""
        answers: list[Answer] = []

        def reply(_: Request) -> Answer:
            answers.append(_Watched(**{each.name: getattr(sample.answer, each.name) for each in fields(Answer)}))
            return answers[-1]

        outcome = ask(self.plugin, sample, self.account, reply=reply)
        demand(answers and outcome.error is None, f"{sample.file} cannot be read: {outcome.words}")
        return list(map(weakref.ref, answers))


def _asking(sample: Sample, keyword: str) -> Sample:
    return sample.asking(type(sample.question)(keyword=keyword))


def _texts(request: Request) -> list[str]:
    """All that a request says, as the marketplace reads it."""
    parts = urlsplit(request.url)
    told = [value for _, value in parse_qsl(parts.query, keep_blank_values=True)]
    return [*told, *map(unquote, parts.path.split("/")), *_leaves(request.json)]


def _leaves(json: Any) -> list[str]:
    if isinstance(json, dict):
        return [leaf for value in json.values() for leaf in _leaves(value)]
    if isinstance(json, list | tuple):
        return [leaf for value in json for leaf in _leaves(value)]
    return [json] if isinstance(json, str) else []


def _unlike(first: Outcome, second: Outcome) -> str:
    """The first field in which two readings differ."""
    for one, other in zip(first.rows, second.rows, strict=False):
        for name in getattr(one, "__dataclass_fields__", {}):
            if getattr(one, name) != getattr(other, name, None):
                return f"{name} is {getattr(one, name)}, then {getattr(other, name, None)}"
    return f"{first.words}, then {second.words}"
