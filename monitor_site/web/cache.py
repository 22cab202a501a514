"""What all processes of an installation count together, such as failed sign-ins."""

from typing import Any

from django.core.cache.backends.base import DEFAULT_TIMEOUT
from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError


class SharedCache(RedisCache):
    """Django's cache on the installation's Redis; while Redis is away each process counts for itself.

    A page never fails because of it. Only what the sign-in needs is offered without Redis: get, set, add and delete.
    """

    def __init__(self, server: Any, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._own = LocMemCache("redis-away", params | {"OPTIONS": {}})

    def get(self, key: Any, default: Any = None, version: int | None = None) -> Any:
        """The value, or ``default``."""
        try:
            return super().get(key, default, version)
        except RedisError:
            return self._own.get(key, default, version)

    def set(self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> None:
        """Keep a value for ``timeout`` seconds."""
        try:
            super().set(key, value, timeout, version)
        except RedisError:
            self._own.set(key, value, timeout, version)

    def add(self, key: Any, value: Any, timeout: Any = DEFAULT_TIMEOUT, version: int | None = None) -> bool:
        """Keep a value unless there is one; tells whether it was kept."""
        try:
            return bool(super().add(key, value, timeout, version))
        except RedisError:
            return self._own.add(key, value, timeout, version)

    def delete(self, key: Any, version: int | None = None) -> bool:
        """Forget a value; tells whether there was one."""
        try:
            return bool(super().delete(key, version))
        except RedisError:
            return self._own.delete(key, version)

    def clear(self) -> None:
        """Nothing: this Redis also holds the schedule, and emptying it is no cache's business."""
