"""What is kept of the reader: to take away, and to put an end to."""

from typing import Any

from django.contrib import messages
from django.contrib.auth import logout
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods, require_safe

from monitor_site.purchasing.account_use import InUse
from monitor_site.purchasing.moving import Overtaken

from . import closing
from .own_data import own_data
from .proving import proves_again


@require_safe
@proves_again
def download(request: HttpRequest) -> HttpResponse:
    """All of it in one file."""
    name = content_disposition_header(as_attachment=True, filename=f"{request.user.get_username()}.zip")
    headers = {"Content-Disposition": str(name)}
    return HttpResponse(own_data(request.user), content_type="application/zip", headers=headers)


@require_http_methods(["GET", "HEAD", "POST"])
@proves_again
def close(request: HttpRequest) -> HttpResponse:
    """Say what would happen, then close the account; not while money is held or an outcome unknown."""
    person: Any = request.user
    if request.method != "POST" or request.POST.get("sure") != "yes":
        return render(request, "web/close.html", {"closing": closing.closing_of(person)})
    try:
        closing.close_account(user=person, now=timezone.now())
    except (closing.NotSettled, InUse, Overtaken):
        messages.error(request, gettext("Nothing was closed: something is not settled yet. It stands below."))
        return redirect("account-close")
    logout(request)
    messages.success(request, gettext("Your account is closed."))
    return redirect("account_login")
