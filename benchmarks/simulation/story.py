"""One story, told by chance from a seed: acts of people, senders, clocks and the marketplace, one at a time."""

import random
from collections import Counter as Count
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from monitor_site.contract import PurchaseStage
from monitor_site.purchasing import asking
from monitor_site.purchasing.asking import Answer, Question

from . import rules
from .book import Book
from .market import MOST_LAG, Counter, Market, at_once

START = datetime(2026, 5, 1, 3, 0, tzinfo=UTC)
SEND_SECONDS, NETWORK_SECONDS = 15, 60
ACCOUNTS, LISTINGS = (1, 2), ("a", "b", "c")
STAGES = [PurchaseStage.WAIT_SHIPPING, PurchaseStage.SHIPPED, PurchaseStage.RECEIVED, PurchaseStage.CANCELLED]


@dataclass
class Sender:
    """A process that sends one order. The kernel ends it at its deadline, by the machine's own count of seconds."""

    name: str
    epoch: int
    listing: str
    account: int
    dies_at: datetime
    committed: bool = False
    answer: tuple[str, str] | None = None


@dataclass
class Flight:
    """A request on the network: it arrives, or is lost."""

    sender: Sender
    arrives_at: datetime


@dataclass
class Story:
    """``real`` is the time that passes, ``skew`` what our clock is off by; it jumps once at most."""

    seed: int
    book: Book
    resends: bool = False
    real: datetime = START
    skew: timedelta = timedelta(0)
    jumped: bool = False
    market: Market = field(default_factory=Market)
    senders: list[Sender] = field(default_factory=list)
    flights: list[Flight] = field(default_factory=list)
    answers: list[tuple[Question, Answer]] = field(default_factory=list)
    sent: Count[tuple[str, int]] = field(default_factory=Count)
    begun: list[tuple[str, bool]] = field(default_factory=list)
    stopped: bool = False
    opened: int = 0
    told: list[str] = field(default_factory=list)
    homes: dict[str, tuple[str, int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        self.market.lists = self.chance.random() < 0.7
        for account in ACCOUNTS:
            if self.chance.random() < 0.8:
                purchase = self.market.sell(account, f"old-{account}", None, START - timedelta(days=9), timedelta(0))
                self.book.knew(account, purchase.transaction_id, purchase.external_id, START - timedelta(days=1))

    @property
    def now(self) -> datetime:
        """What our clock says."""
        return self.real + self.skew

    def tell(self, *, acts: int, watch: Callable[["Story"], None] | None = None) -> None:
        """So many acts, then a day and a half of peace in which everything must come to its end."""
        names, weights = list(ACTS), [weight for _act, weight in ACTS.values()]
        for name in self.chance.choices(names, weights, k=acts):
            self._act(name, watch)
        self.market.mood = self.chance.choice(["well", "gone"])
        for _hour in range(30 + max(0, -self.skew // timedelta(hours=1))):
            self.real += timedelta(hours=1)
            self._act("wake", watch)
            self._act("ask", watch)
        self.market.mood = "well"
        for name in ("settle", "sweep", "person", "sweep"):
            self._act(name, watch)
        rules.at_the_end(self)

    def _act(self, name: str, watch: Callable[["Story"], None] | None) -> None:
        self.told.append(name)
        self._run_out()
        ACTS[name][0](self)
        rules.always(self)
        if watch is not None:
            watch(self)

    def _run_out(self) -> None:
        """What time does by itself: senders die at their deadline, requests arrive or are lost."""
        self.senders = [one for one in self.senders if one.dies_at > self.real]
        for flight in [one for one in self.flights if one.arrives_at <= self.real]:
            self.flights.remove(flight)
            self._arrive(flight)

    def _arrive(self, flight: Flight) -> None:
        sender = flight.sender
        if self.chance.random() < 0.15:
            sender.answer = ("refused", "")
            return
        # Now and then a marketplace lags longer than its plugin says.
        lag = MOST_LAG * self.chance.random() * self.chance.choice([0, 1, 1, 40])
        at = flight.arrives_at
        sold = self.market.sell(sender.account, sender.listing, sender.name, at, lag)
        sender.answer = ("placed", sold.transaction_id)


def _open(story: Story) -> None:
    name = f"o{story.opened}"
    story.opened += 1
    home = (story.chance.choice(LISTINGS), story.chance.choice(ACCOUNTS))
    if story.book.open_order(name, *home, story.now):
        story.homes[name] = home


def _begin(story: Story) -> None:
    """A worker takes an order up; twice, now and then, since any job may run twice."""
    for name in story.chance.sample(sorted(story.homes), min(2, len(story.homes))):
        for _time in range(story.chance.choice([1, 1, 2])):
            epoch = story.book.begin(name, story.now)
            if epoch is not None:
                story.begun.append((name, story.stopped))
                dies_at = story.real + timedelta(seconds=SEND_SECONDS)
                story.senders.append(Sender(name, epoch, *story.homes[name], dies_at))


def _send(story: Story) -> None:
    """The last check, and the request: on its way for up to a minute, or lost at once."""
    for sender in [one for one in story.senders if not one.committed][:1]:
        if not story.book.may_commit(sender.name, sender.epoch, story.now):
            story.senders.remove(sender)
            story.book.conclude(sender.name, sender.epoch, "not_sent", "", story.now)
            continue
        sender.committed = True
        story.sent[sender.name, sender.epoch] += 1
        if story.chance.random() < 0.8:
            seconds = story.chance.choice([0, 1, NETWORK_SECONDS])
            story.flights.append(Flight(sender, story.real + timedelta(seconds=seconds)))


def _hear(story: Story) -> None:
    """A sender says what it knows; what it has not heard is unknown. Twice, now and then."""
    for sender in [one for one in story.senders if one.committed][:1]:
        story.senders.remove(sender)
        outcome, number = sender.answer or ("unknown", "")
        for _time in range(story.chance.choice([1, 2])):
            story.book.conclude(sender.name, sender.epoch, outcome, number, story.now)
        if story.resends and outcome == "unknown":  # a build that is broken on purpose
            story.sent[sender.name, sender.epoch] += 1
            story.flights.append(Flight(sender, story.real))


def _crash(story: Story) -> None:
    """A sender and whoever waits for it die, before, while or after sending."""
    if story.senders:
        story.senders.remove(story.chance.choice(story.senders))


def _ask(story: Story) -> None:
    """What is due is asked; the answer is settled, or is late, or its worker dies with it."""
    for question in story.book.questions(story.now):
        purchases = Counter(story.market, question.account_id, story.real)
        answer = at_once(asking.ask(question, purchases))
        fate = story.chance.random()
        if fate < 0.8:
            story.book.settle(question, answer, story.now)
        elif fate < 0.9:
            story.answers.append((question, answer))


def _settle(story: Story) -> None:
    """Answers that were late."""
    while story.answers:
        question, answer = story.answers.pop(0)
        story.book.settle(question, answer, story.now)


def _sweep(story: Story) -> None:
    for account in ACCOUNTS:
        known, followed = story.book.followed(account)
        counter = Counter(story.market, account, story.real)
        census = at_once(asking.sweep(counter, known=known, followed=followed))
        story.book.record(account, census, story.now)


def _pass(story: Story) -> None:
    story.real += timedelta(seconds=story.chance.choice([1, 10, 30, 60, 300, 900, 3600]))


def _jump(story: Story) -> None:
    """Our clock is wrong from now on, and the kernel's count of seconds is not."""
    if not story.jumped:
        story.jumped = True
        story.skew = timedelta(hours=story.chance.choice([-24, -1, 1, 5]))


def _throw(story: Story) -> None:
    story.stopped = not story.stopped
    story.book.throw(stopped=story.stopped, now=story.now)


def _mood(story: Story) -> None:
    story.market.mood = story.chance.choice(["well", "well", "well", "gone", "blocked", "empty"])


def _by_hand(story: Story) -> None:
    """Somebody buys something else with the account."""
    account = story.chance.choice(ACCOUNTS)
    story.market.sell(account, f"hand-{story.market.count}", None, story.real, timedelta(0))


def _stage(story: Story) -> None:
    number = story.chance.randrange(100)
    story.market.move_on(story.chance.choice(ACCOUNTS), number, story.chance.choice(STAGES))


def _person(story: Story) -> None:
    """Whoever is asked looks at the marketplace, and says what is so; and looks at what was found late."""
    for name, (state, _reference, _late) in story.book.picture()["orders"].items():
        if state == "needs_human":
            story.book.say(name, bought=rules.is_bought(story, name), now=story.now)
        story.book.look_at(name)


ACTS: Mapping[str, tuple[Callable[[Story], None], int]] = {
    "open": (_open, 8),
    "begin": (_begin, 12),
    "send": (_send, 11),
    "hear": (_hear, 7),
    "crash": (_crash, 3),
    "wake": (lambda story: story.book.wake(story.now), 7),
    "ask": (_ask, 9),
    "settle": (_settle, 3),
    "sweep": (_sweep, 3),
    "pass": (_pass, 14),
    "jump": (_jump, 1),
    "throw": (_throw, 2),
    "mood": (_mood, 3),
    "by_hand": (_by_hand, 1),
    "stage": (_stage, 2),
    "person": (_person, 1),
}
