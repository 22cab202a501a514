"""Where a person goes after an action: back to where they were, as long as that is a page of this site."""

from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme


def back(request: HttpRequest, otherwise: str) -> HttpResponseRedirect:
    """To the path that the form names, else to the page it was sent from; else to the address ``otherwise``."""
    named = request.POST.get("next", "")
    if named.startswith("/") and _is_ours(request, named):
        return HttpResponseRedirect(named)
    sent_from = request.headers.get("Referer", "")
    if not named and sent_from and _is_ours(request, sent_from):
        parts = urlsplit(sent_from)
        return HttpResponseRedirect(f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/")
    return HttpResponseRedirect(otherwise)


def _is_ours(request: HttpRequest, page: str) -> bool:
    """Never the name of a view, and no path that a browser takes for another host."""
    return url_has_allowed_host_and_scheme(page, allowed_hosts={request.get_host()}, require_https=request.is_secure())
