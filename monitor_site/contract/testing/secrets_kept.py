"""How a session of the kit keeps secrets that a plugin renews: in memory, and for nobody but itself."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime

from ..errors import PluginFault
from ..fields import AccountSettings


class KeepsSecrets:
    """A session whose ``settings`` take over what is in ``kept`` when they are renewed."""

    settings: AccountSettings | None
    kept: dict[str, str]
    kept_until: datetime | None

    @asynccontextmanager
    async def renewing(self) -> AsyncIterator[AccountSettings]:
        """Nobody else is here; the settings are what they were, with what was kept."""
        if self.settings is None:
            raise PluginFault("there is no account whose secrets could be renewed")
        self.settings = replace(self.settings, **self.kept)
        yield self.settings

    async def keep_secrets(self, until: datetime | None = None, /, **secrets: str) -> None:
        """Remember them in ``kept``, and their end in ``kept_until``."""
        self.kept.update(secrets)
        self.kept_until = until
