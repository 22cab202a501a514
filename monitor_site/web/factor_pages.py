"""Second factors: set up, used and taken away. The library does the work, here stands who may."""

import ipaddress
from collections.abc import Callable
from functools import wraps
from typing import Any
from urllib.parse import urlsplit

from allauth.mfa.base import views as base
from allauth.mfa.recovery_codes import views as recovery_codes
from allauth.mfa.totp import views as totp
from allauth.mfa.webauthn import views as webauthn
from django.conf import settings
from django.contrib import messages
from django.core.exceptions import BadRequest
from django.db import transaction
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_GET, require_http_methods

from monitor_site.accounts.factors import factor_kinds, has_second_factor, record_factors
from monitor_site.accounts.proofs import FACTOR, note_proof

from .proving import proves_again

__all__ = [
    "add_app", "add_passkey", "codes", "new_codes", "prove_by_code", "prove_by_passkey", "remove_app",
    "remove_passkey", "rename_passkey", "sign_in",
]  # fmt: skip

View = Callable[..., HttpResponseBase]
LARGEST_ID = 2**63 - 1


def recorded(view: View) -> View:
    """What adds or removes a factor: that it did is written down together with it."""

    @wraps(view)
    @transaction.atomic
    def wrapper(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        before = factor_kinds(request.user)
        answer = view(request, *args, **kwargs)
        record_factors(user=request.user, before=before, now=timezone.now())
        return answer

    return wrapper


def adds(view: View) -> View:
    """What sets one up. Who does has just used it, which proves them from now on."""

    @wraps(view)
    def wrapper(request: HttpRequest) -> HttpResponseBase:
        if not settings.SECRETS_KEYS:
            messages.error(request, gettext("Whoever runs the site must set SECRETS_KEYS first: it keeps secrets."))
            return redirect("security")
        had = has_second_factor(request.user)
        answer = view(request)
        if not had and has_second_factor(request.user):
            note_proof(request, user=request.user, way=FACTOR)
        return answer

    return proves_again(wrapper)


def numbered(view: View) -> View:
    """What is about one passkey; a number that no row can have is none."""

    @wraps(view)
    def wrapper(request: HttpRequest, pk: int) -> HttpResponseBase:
        return view(request, pk=min(pk, LARGEST_ID))

    return require_http_methods(["GET", "HEAD", "POST"])(proves_again(wrapper))


def tolerant(view: View) -> View:
    """What takes an answer of a passkey. The library trips over some that no browser gives: they are bad requests."""

    @wraps(view)
    def wrapper(request: HttpRequest) -> HttpResponseBase:
        try:
            return view(request)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            if "credential" not in request.POST:
                raise
            raise BadRequest("no answer of a passkey") from error

    return wrapper


def passkeys_work(request: HttpRequest) -> bool:
    """Whether browsers offer passkeys at this address: over https by a name, or as localhost."""
    host = urlsplit(f"//{request.get_host()}").hostname or ""
    return host == "localhost" or (request.is_secure() and not _is_number(host))


def _is_number(host: str) -> bool:
    try:
        return bool(ipaddress.ip_address(host))
    except ValueError:
        return False


sign_in = tolerant(base.authenticate)
prove_by_code: View = base.reauthenticate
prove_by_passkey = tolerant(webauthn.reauthenticate_webauthn)
add_app = adds(recorded(totp.activate_totp))
remove_app = proves_again(recorded(totp.deactivate_totp))
add_passkey = adds(tolerant(recorded(webauthn.add_webauthn)))
remove_passkey = numbered(recorded(webauthn.remove_webauthn))
rename_passkey = numbered(webauthn.edit_webauthn)
# Showing them uses up the one time that they are shown, so no mere preview of the address may.
codes = require_GET(proves_again(recovery_codes.view_recovery_codes))
new_codes = proves_again(recorded(recovery_codes.generate_recovery_codes))
