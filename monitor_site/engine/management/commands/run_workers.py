"""The other name of ``rqworker`` without a lane."""

from .rqworker import Command

__all__ = ["Command"]
