"""Stories told one after the other."""

from collections.abc import Iterable
from typing import Any

from .memory import Memory
from .rules import Broken
from .story import Story

LIMIT, UNITS = 4000, 4


def story_of(seed: int, *, resends: bool = False, **broken: Any) -> Story:
    """A story in memory; ``resends`` and ``broken`` break the build on purpose."""
    return Story(seed=seed, book=Memory(limit=LIMIT, units=UNITS, **broken), resends=resends)


def tell_many(seeds: Iterable[int], *, acts: int, **broken: Any) -> tuple[dict[int, str], int, list[str]]:
    """What broke by seed, how many acts there were, and where the orders ended."""
    wrong, count, ends = {}, 0, []
    for seed in seeds:
        story = story_of(seed, **broken)
        try:
            story.tell(acts=acts)
        except Broken as error:
            wrong[seed] = str(error)
        count += len(story.told)
        ends += [state for state, _reference, _late in story.book.picture()["orders"].values()]
    return wrong, count, ends


def _show(story: Story) -> None:
    print(f"{story.now:%d %H:%M:%S} {story.told[-1]:8} {story.book.picture()}")


def tell_one(seed: int, *, acts: int) -> int:
    """Act by act, with where everything stands."""
    story = story_of(seed)
    try:
        story.tell(acts=acts, watch=_show)
    except Broken as error:
        print(f"after {story.told[-1]} at {story.now:%d %H:%M:%S}: {error}\n{story.book.picture()}")
        return 1
    return 0
