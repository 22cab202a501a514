"""A question asked for one person: the answer is that person's own, short-lived, and never recorded.

Whoever shows a preview begins it here; a worker asks. All of it stands in Redis and may be lost at any time.
"""

import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import redis

from monitor_site.connections import key, lane_queue
from monitor_site.contract import Sighting
from monitor_site.outbox.services import Route

from .models import TargetKind
from .portable import from_plain, to_plain
from .questions import target_key

SEARCHES, LOOKS = "searches", "looks"
WANTED_SECONDS = 600
# So long an answer stands: a limit that changes meanwhile asks nothing again.
FOUND_SECONDS = 60
FAILED_SECONDS = 20
# A worker that died with a question in its hands has answered by then or never will.
ASKED_SECONDS = 30
DONE = frozenset({"found", "failed", "stopped"})

_routes: list[Route] = []


def register(*, lane: str, job: str) -> None:
    """Say which job asks; it takes a user's id and the key of a question."""
    _routes[:] = [Route(lane=lane, job=job)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is asked: a search by its canonical criteria, or a look at a listing by its external id."""

    marketplace: str
    kind: str
    criteria: str

    @property
    def key(self) -> str:
        """The same as that of the target which would ask it."""
        return target_key(marketplace=self.marketplace, kind=self.kind, criteria=self.criteria)


def look_at(marketplace: str, external_id: str) -> Question:
    """The question how one listing is."""
    return Question(marketplace=marketplace, kind=TargetKind.LISTING.value, criteria=external_id)


def searches(questions: Iterable[tuple[str, str]]) -> list[Question]:
    """Searches, of (marketplace, canonical criteria)."""
    kind = TargetKind.SEARCH.value
    return [Question(marketplace=name, kind=kind, criteria=criteria) for name, criteria in questions]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a person wants to know at present. ``typed`` is the form it came from, ``at`` epoch seconds."""

    questions: Sequence[Question]
    at: float
    typed: str = ""
    id: str = field(default_factory=lambda: secrets.token_urlsafe(12))


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """How far a question is: ``asked``, ``waiting`` (for pace), ``stopped`` (by the breaker), ``failed`` or ``found``.

    ``again_at`` (epoch seconds) is when it is asked again, ``error`` the code of an error.
    """

    state: str
    again_at: float | None = None
    error: str = ""
    sightings: Sequence[Sighting] = ()

    @property
    def is_done(self) -> bool:
        """Nothing more comes by itself."""
        return self.state in DONE


def _wanted_key(user_id: int, slot: str) -> str:
    return key("preview", user_id, slot)


def _answer_key(user_id: int, question: str) -> str:
    return key("preview", user_id, "answer", question)


def begin(client: redis.Redis, *, user_id: int, slot: str, want: Wanted) -> None:
    """Want this now, and have it asked; what the same person wanted before in this slot is dropped."""
    client.set(_wanted_key(user_id, slot), json.dumps(asdict(want)), ex=WANTED_SECONDS)
    answers(client, user_id=user_id, questions=want.questions, now=want.at)


def wanted(client: redis.Redis, *, user_id: int, slot: str) -> Wanted | None:
    """What a person wants in a slot; ``None`` when nothing, or no more."""
    text: Any = client.get(_wanted_key(user_id, slot))
    if text is None:
        return None
    told = json.loads(text)
    return Wanted(**told | {"questions": [Question(**one) for one in told["questions"]]})


def question_of(client: redis.Redis, *, user_id: int, key: str) -> Question | None:
    """The question of that key, if its person still wants it."""
    slots = (wanted(client, user_id=user_id, slot=slot) for slot in (SEARCHES, LOOKS))
    return next((one for slot in slots if slot for one in slot.questions if one.key == key), None)


def answers(
    client: redis.Redis, *, user_id: int, questions: Sequence[Question], now: float
) -> Mapping[Question, Answer]:
    """How far these questions are; what nobody asks yet, or what has waited long enough, is handed to a worker."""
    texts: Any = client.mget([_answer_key(user_id, one.key) for one in questions]) if questions else []
    known = {one: _read(text) for one, text in zip(questions, texts, strict=True) if text}
    for one in questions:
        answer = known.get(one)
        if answer is None or (answer.again_at is not None and answer.again_at <= now):
            known[one] = _hand_out(client, user_id=user_id, question=one)
    return known


def _hand_out(client: redis.Redis, *, user_id: int, question: Question) -> Answer:
    asked, (route,) = Answer(state="asked"), _routes
    keep(client, user_id=user_id, key=question.key, answer=asked)
    lane_queue(route.lane, client).enqueue(
        route.job, user_id, question.key, ttl=ASKED_SECONDS, result_ttl=0, failure_ttl=3600
    )
    return asked


def keep(client: redis.Redis, *, user_id: int, key: str, answer: Answer) -> None:
    """Write an answer down for its person, for a short while."""
    plain = {
        "state": answer.state,
        "again_at": answer.again_at,
        "error": answer.error,
        "sightings": [to_plain(sighting) for sighting in answer.sightings],
    }
    life = {"found": FOUND_SECONDS, "asked": ASKED_SECONDS}.get(answer.state, FAILED_SECONDS)
    client.set(_answer_key(user_id, key), json.dumps(plain), ex=life)


def forget(client: redis.Redis, *, user_id: int, key: str) -> None:
    """Nobody wants the answer any more."""
    client.delete(_answer_key(user_id, key))


def _read(text: bytes) -> Answer:
    told = json.loads(text)
    return Answer(**told | {"sightings": [from_plain(one) for one in told["sightings"]]})
