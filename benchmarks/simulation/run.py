"""Stories told one after the other."""

from collections.abc import Iterable
from typing import Any

from .memory import Memory
from .rules import Broken
from .story import Story

# Three listings at 1000 each: there is enough, money for two, two wanted.
WANTS = ({"limit": 4000, "units": 4}, {"limit": 2000, "units": 4}, {"limit": 4000, "units": 2})


def wants_of(seed: int) -> dict[str, int]:
    """What may be spent in a story, and how many things are wanted: now the one binds, now the other."""
    return WANTS[seed % len(WANTS)]


def story_of(seed: int, *, resends: bool = False, **broken: Any) -> Story:
    """A story in memory; ``resends`` and ``broken`` break the build on purpose."""
    return Story(seed=seed, book=Memory(**wants_of(seed), **broken), resends=resends)


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
