"""Named moments at which tests may kill, stop or break a process. Where no test has armed one, nothing happens."""

from django.conf import settings


def faultpoint(name: str) -> None:
    """The moment ``name`` has come."""
    armed = getattr(settings, "FAULTPOINT", None)
    if armed is not None:
        armed(name)
