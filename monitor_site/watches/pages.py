"""A counted answer beside the one before it: what is worth a closer look."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from monitor_site.contract import Sighting
from monitor_site.marketplaces.catalog import UnknownMarketplace, catalog

from .models import Listing, Target
from .results import Result
from .sightings import Look


def currency_of(marketplace: str) -> str:
    """The marketplace's currency; yen when its plugin is not there to say."""
    try:
        return catalog().get(marketplace).manifest.currency
    except UnknownMarketplace:
        return "JPY"


@dataclass(frozen=True, kw_only=True)
class Page:
    """One counted answer. ``whole``: some watch sees this target for the first time, so every row is looked at.

    ``due`` are the ids of rows that time has brought closer to what some watch asks for, changed or not; ``left`` the
    listings that it brought closer and that this answer shows no more.
    """

    target: Target
    result: Result
    before: dict[str, str]
    whole: bool = False
    due: frozenset[str] = frozenset()
    left: tuple[Listing, ...] = ()

    @property
    def recent(self) -> dict[str, str]:
        """External id → digest of this answer."""
        return self.result.shown

    @cached_property
    def changed(self) -> frozenset[str]:
        """Ids that this target shows for the first time, or in another state than before."""
        return frozenset(name for name, figure in self.recent.items() if self.before.get(name) != figure)

    def shown_before(self, external_id: str) -> bool:
        """The last good answer held this listing too."""
        return external_id in self.before

    @cached_property
    def look(self) -> Look:
        """The rows worth a look into the database."""
        return Look(
            marketplace=self.target.marketplace,
            currency=currency_of(self.target.marketplace),
            trace=self.result.trace,
            at=self.result.started_at,
            sightings=self._interesting(),
        )

    def _interesting(self) -> Sequence[Sighting]:
        rows = self.result.sightings
        return rows if self.whole else [row for row in rows if row.external_id in self.changed | self.due]
