"""Where a person goes after an action: back to where they were."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.http import url_has_allowed_host_and_scheme


def back(request: HttpRequest, otherwise: str) -> HttpResponse:
    """To the page that the form names, else to the one it was sent from, if that is one of ours; else ``otherwise``."""
    for page in (request.POST.get("next", ""), request.headers.get("Referer", "")):
        hosts = {request.get_host()}
        if page and url_has_allowed_host_and_scheme(page, allowed_hosts=hosts, require_https=request.is_secure()):
            return redirect(page)
    return redirect(otherwise)
