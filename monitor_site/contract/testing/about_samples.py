"""Rules about sample answers and about reading them: there are enough, and reading is a function."""

import pytest

from ..manifest import Capability
from .alone import alone, read
from .rule import Rules, demand
from .samples import NEEDED


class AboutSamples(Rules):
    """Which samples there are; the same bytes are always read the same."""

    def test_there_are_samples_of_every_case(self) -> None:
        """Whatever the marketplace may say, there is an answer to try it with."""
        found = {(sample.capability, sample.case) for sample in self.samples()}
        able = sorted(set(NEEDED) & self.plugin.manifest.capabilities)
        missing = [f"{each} {case}" for each in able for case in NEEDED[each] if (each, case) not in found]
        demand(not missing, f"sample answers are missing: {', '.join(missing)}")

    def test_the_same_bytes_are_read_the_same_twice(self) -> None:
        """Reading keeps nothing and asks no clock."""
        for sample in self.some():
            first, second = self.outcome(sample), self.outcome(sample)
            demand(first.found == second.found, f"{sample.file} is read differently the second time")
            demand(type(first.error) is type(second.error), f"{sample.file}: {first.words}, then {second.words}")

    def test_another_process_reads_the_same(self) -> None:
        """No order of a set, no zone of a machine, nothing read before gets into what is read."""
        here = read(self.plugin, self.answers, self.account)
        for seed in (1, 2):
            there = alone(self.plugin, self.answers, seed=seed, settings=self.account)["read"]
            other = sorted(name for name in here if there.get(name) != here[name])
            demand(not other, f"another process reads these samples differently: {', '.join(other)}")

    def test_a_sample_of_a_look_names_its_listing(self) -> None:
        """Nobody can tell whether the right listing came without knowing which was asked."""
        if Capability.LOOK not in self.plugin.manifest.capabilities:
            pytest.skip("it does not declare look")
        nameless = [sample.file for sample in self.samples(able=Capability.LOOK) if not sample.external_id]
        demand(not nameless, f"these samples of a look have no external_id: {', '.join(nameless)}")
