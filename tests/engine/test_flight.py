"""What a worker holds, and when it may take more."""

from typing import Any

from monitor_site.engine.flight import MOST_AT_ONCE, MOST_IN_FLIGHT, Flight, Landed
from monitor_site.engine.schedule import Lease


def lease(name: str, *, marketplace: str = "mercari", alone: bool = False) -> Lease:
    return Lease(marketplace=marketplace, id=name, fence=1, due_ms=1, alone=alone)


def test_everything_between_lease_and_return_is_held() -> None:
    flight = Flight(loading={lease("1")}, landed=[Landed(lease=lease("2"), result=None)])
    assert {one.id for one in flight.held()} == {"1", "2"}
    taken = flight.take_landed()
    assert {one.id for one in flight.held()} == {"1", "2"}
    flight.settled(one.lease for one in taken)
    flight.loading.clear()
    assert flight.empty


def test_more_than_one_transaction_holds_wants_recording_without_a_pause() -> None:
    flight = Flight(landed=[Landed(lease=lease(str(number)), result=None) for number in range(MOST_AT_ONCE + 1)])
    assert flight.lands_faster
    flight.settled(one.lease for one in flight.take_landed())
    assert not flight.lands_faster


def test_nothing_is_taken_beside_a_suspect() -> None:
    flight = Flight(loading={lease("1", alone=True)})
    assert flight.slots_for("mercari") == flight.slots_for("other") == 0


def test_while_it_empties_itself_only_the_waiting_marketplace_is_served_and_only_when_empty() -> None:
    flight = Flight(loading={lease("1")}, draining="mercari")
    assert flight.slots_for("mercari") == 0
    flight.loading.clear()
    assert (flight.slots_for("mercari"), flight.slots_for("other")) == (MOST_IN_FLIGHT, 0)


def test_lost_leases_stop_their_work_and_nothing_of_it_is_kept() -> None:
    class Task:
        cancelled = False

        def cancel(self) -> None:
            self.cancelled = True

    task: Any = Task()
    flight = Flight(running={lease("1"): task}, landed=[Landed(lease=lease("2"), result=None)])
    newer = Lease(marketplace="mercari", id="1", fence=2, due_ms=1)
    flight.loading.add(newer)
    flight.lose([lease("1"), lease("2")])
    assert task.cancelled
    assert flight.held() == [newer]
