"""Where this installation's pages are, for whoever links to them from outside: messages and feeds."""

from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured


def absolute(path: str) -> str:
    """The whole address of one of our paths, which begins with a slash."""
    return f"{settings.SITE_URL}{path}"


def site_url(given: str, *, secure: bool) -> str:
    """A site's address without the slash at its end; ``secure`` demands HTTPS. Raises ``ImproperlyConfigured``."""
    try:
        parts = urlsplit(given)
        usable = parts.scheme in ({"https"} if secure else {"http", "https"}) and parts.port != 0
        plain = not any((parts.path.strip("/"), parts.query, parts.fragment, parts.username, parts.password))
        if usable and plain and parts.hostname and given.isprintable() and " " not in given:
            return f"{parts.scheme}://{parts.netloc}"
    except ValueError:
        pass
    kind = "https://" if secure else "http:// or https://"
    raise ImproperlyConfigured(f"SITE_URL must be {kind}, a host and nothing behind it: https://monitor.example.com")
