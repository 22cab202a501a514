"""The page that a form names to go on to, when it is one of ours."""

from django.http import HttpRequest
from django.utils.http import url_has_allowed_host_and_scheme


def next_page(request: HttpRequest, *, otherwise: str) -> str:
    """The form's ``next`` if it is a path of this site, else ``otherwise``.

    It is text for a header and never the name of a view: hand it to ``HttpResponseRedirect``, not to ``redirect``.
    """
    page = request.POST.get("next", "")
    own = url_has_allowed_host_and_scheme(page, allowed_hosts={request.get_host()}, require_https=request.is_secure())
    return page if own and page.startswith("/") else otherwise
