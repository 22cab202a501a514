"""What a plugin promised, checked on what it did: nothing it raises reaches the core unlooked at.

What it returns is looked at by :class:`monitor_site.contract.rules.Promise`.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from monitor_site.contract import MarketplaceError, Pauses, PluginFault, errors
from monitor_site.contract.rules import Promise, in_words

__all__ = ["Promise", "kept"]

T = TypeVar("T")

CODES = {kind.code for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, MarketplaceError)}


async def kept(call: Callable[[], Awaitable[T]]) -> T:
    """Run a plugin's code. A :class:`MarketplaceError` of the contract passes, and so does our own cancelling.

    Everything else becomes :class:`PluginFault`: even ``SystemExit``, a time-out of the plugin's own, or a
    cancelling that nobody asked for. A plugin that answers our cancelling with another error is cancelled all the same.
    """
    try:
        return await call()
    except MarketplaceError as error:
        if _of_contract(error):
            raise
        raise PluginFault(f"raised {type(error).__name__}, which is not as the contract has it") from error
    except GeneratorExit:
        raise
    except asyncio.CancelledError as error:
        if _being_cancelled():
            raise
        raise PluginFault("cancelled itself") from error
    except BaseException as error:
        if _being_cancelled():
            raise asyncio.CancelledError from error
        raise PluginFault(f"raised {in_words(error)}") from error


def _being_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _of_contract(error: MarketplaceError) -> bool:
    """A known code, and consequences that can be drawn."""
    pauses: object = error.pauses
    seconds: object = error.retry_after
    return error.code in CODES and isinstance(pauses, Pauses) and isinstance(seconds, int | float | None)
