"""Tells stories of orders by chance and checks the invariants after every act.

``python -m benchmarks.simulate --seeds 10000`` tells so many, in memory; ``--seed 17`` tells one again, act by act.
"""

import argparse
import os
import sys
import time
from collections import Counter

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "monitor_site.settings")


def main() -> int:
    """Returns 1 when a story broke an invariant; its seed is printed."""
    django.setup()
    from benchmarks.simulation.run import tell_many, tell_one

    asked = _arguments()
    if asked.seed is not None:
        return tell_one(asked.seed, acts=asked.acts)
    began = time.monotonic()
    broken, acts, ends = tell_many(range(asked.first, asked.first + asked.seeds), acts=asked.acts)
    seconds = time.monotonic() - began
    print(f"{asked.seeds} stories of {acts} acts in {seconds:.1f} s, {len(broken)} broke an invariant")
    print("orders ended as " + ", ".join(f"{state} {count}" for state, count in Counter(ends).most_common()))
    for seed, what in list(broken.items())[:10]:
        print(f"seed {seed}: {what}    python -m benchmarks.simulate --seed {seed}")
    return 1 if broken else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=10_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--acts", type=int, default=60)
    parser.add_argument("--seed", type=int)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
