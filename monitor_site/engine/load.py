"""How busy this machine is, as far as our clockwork should care."""

from collections import deque
from dataclasses import dataclass, field

import psutil

from monitor_site.watches.plan import Load

# Looks over which processor time is averaged; each is as long as the pause between two plans.
LOOKS = 3
CAREFUL_CPU, SHEDDING_CPU = 75.0, 95.0
CAREFUL_MEMORY, SHEDDING_MEMORY = 80.0, 90.0
# So far below its bound a figure must fall before a level ends.
BACK = 10.0
ORDER = (Load.CALM, Load.CAREFUL, Load.SHEDDING)


def load_of(*, cpu: float, memory: float, late: bool, before: Load) -> Load:
    """The level for these percentages. A machine that is busy and on time needs nothing stretched."""
    if not late:
        return Load.CALM
    for level, most_cpu, most_memory in (
        (Load.SHEDDING, SHEDDING_CPU, SHEDDING_MEMORY),
        (Load.CAREFUL, CAREFUL_CPU, CAREFUL_MEMORY),
    ):
        grace = BACK if ORDER.index(before) >= ORDER.index(level) else 0.0
        if cpu > most_cpu - grace or memory > most_memory - grace:
            return level
    return Load.CALM


@dataclass(slots=True)
class Machine:
    """What a worker of this machine has seen of it."""

    level: Load = Load.CALM
    looks: deque[float] = field(default_factory=lambda: deque(maxlen=LOOKS))

    def look(self, *, late: bool) -> Load:
        """Look again; the first looks of a process say nothing, as starting up is work, and count as calm."""
        self.looks.append(psutil.cpu_percent(interval=None))
        if self.cpu is not None:
            memory = psutil.virtual_memory().percent
            self.level = load_of(cpu=self.cpu, memory=memory, late=late, before=self.level)
        return self.level

    @property
    def cpu(self) -> float | None:
        """Processor time in use lately, in percent of the whole machine; ``None`` while nobody can say."""
        return sum(self.looks) / LOOKS if len(self.looks) == LOOKS else None


machine = Machine()
