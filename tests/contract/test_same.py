from monitor_site.contract.same import OfTheSame


class Judge:
    """Counts what it concludes."""

    def __init__(self) -> None:
        self.asked: list[list[int]] = []
        self.before: OfTheSame[list[int], int] = OfTheSame(most=2)

    def __call__(self, thing: list[int], *beside: str) -> int:
        return self.before.of(thing, *beside, conclude=self._conclude)

    def _conclude(self, thing: list[int]) -> int:
        self.asked.append(thing)
        return sum(thing)


def test_of_the_very_same_thing_it_is_concluded_once():
    judge, page = Judge(), [1, 2]

    assert [judge(page), judge(page)] == [3, 3]
    assert len(judge.asked) == 1


def test_an_equal_thing_is_another_one():
    judge = Judge()

    assert judge([1]) == judge([1])
    assert len(judge.asked) == 2


def test_for_another_question_it_is_concluded_anew():
    judge, page = Judge(), [1]

    judge(page, "camera"), judge(page, "lens")

    assert len(judge.asked) == 2


def test_no_more_than_twice_as_many_are_kept_and_a_thing_that_is_gone_leaves_no_conclusion_to_another():
    judge = Judge()

    assert [judge([number]) for number in range(100)] == list(range(100))
    assert len(judge.before) <= 4


def test_what_is_asked_again_and_again_stays():
    judge, page = Judge(), [7]

    for number in range(100, 110):
        judge(page), judge([number])

    assert judge.asked.count(page) == 1


def test_a_refusal_is_not_kept():
    before: OfTheSame[str, int] = OfTheSame(most=2)
    for _ in range(2):
        try:
            before.of("no number", conclude=int)
        except ValueError:
            continue
        raise AssertionError("it was no number")
    assert len(before) == 0
