"""Where a person goes after an action: back to where they were, as long as that is a page of this site."""

from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponseRedirect
from django.urls import reverse
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


def page_named(request: HttpRequest, otherwise: str) -> str:
    """The page that a form or an address names as ``next``, else ``otherwise``."""
    named = request.POST.get("next") or request.GET.get("next", "")
    return named if named.startswith("/") and _is_ours(request, named) else otherwise


def page_of(request: HttpRequest) -> str:
    """The address itself, or for an action the page with its button."""
    if request.method in {"GET", "HEAD"} and not request.headers.get("HX-Request"):
        return request.get_full_path()
    origin = urlsplit(request.headers.get("Referer", ""))
    if origin.netloc == request.get_host() and origin.path.startswith("/"):
        return origin._replace(scheme="", netloc="", fragment="").geturl()
    return reverse("matches")


def _is_ours(request: HttpRequest, page: str) -> bool:
    """Never the name of a view, and no path that a browser takes for another host."""
    return url_has_allowed_host_and_scheme(page, allowed_hosts={request.get_host()}, require_https=request.is_secure())
