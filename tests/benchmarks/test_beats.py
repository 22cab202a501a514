"""What runs of tasks come to: beats that ran, were missed, ran twice, and how late they were."""

from benchmarks import beats, mix
from benchmarks.beats import Run


def test_a_beat_that_ran_twice_is_a_duplicate_and_one_that_did_not_run_is_missed() -> None:
    runs = [Run(1, 10.0, 10.001), Run(1, 10.0, 10.003), Run(2, 11.0, 11.002), Run(2, 99.0, 99.0)]
    found = beats.figures(runs, begin=10, end=15, expected=3)
    assert (found["beats"], found["missed"], found["duplicates"]) == (2, 1, 1)
    assert found["lateness_ms"]["max"] == 3.0


def test_what_began_in_the_time_counts_as_late_however_long_ago_it_was_due() -> None:
    found = beats.figures([Run(1, 2.0, 11.0)], begin=10, end=15, expected=1)
    assert (found["beats"], found["missed"], found["lateness_ms"]["p50"]) == (0, 1, 9000.0)


def test_nothing_that_ran_has_no_lateness_rather_than_none_at_all() -> None:
    found = beats.figures([], begin=0, end=5, expected=7)
    assert found["missed"] == 7
    assert set(found["lateness_ms"].values()) == {None}


def test_what_keeps_no_due_time_is_due_an_interval_after_it_was_sent_the_time_before() -> None:
    sent = [Run(1, 105.5, 106.0), Run(1, 100.0, 100.2), Run(2, 101.0, 101.0)]
    assert beats.due_by_the_one_before(sent, 5) == [Run(1, 105.0, 106.0)]


def test_notes_of_several_processes_are_read_together(tmp_path: beats.Path) -> None:
    notes = beats.Notes(tmp_path, batch=2)
    notes.write(1, 10, 10.5, 11)
    assert beats.read(tmp_path) == []
    notes.flush()
    (tmp_path / "other.beats").write_text("2 20.0 20.25 0.0\n")
    assert beats.read(tmp_path) == [Run(1, 10, 10.5, 11), Run(2, 20, 20.25, 0)]


def test_every_tenth_of_the_mixed_hundred_is_critical_and_short() -> None:
    tasks = mix.tasks()
    assert len(tasks) == 100
    assert [task.number for task in tasks if task.critical] == list(range(10, 101, 10))
    assert max(task.seconds for task in tasks if task.critical) <= min(task.seconds for task in tasks)
