"""What guards a person's account, and where they are signed in."""

from typing import Any

from allauth.core.internal.httpkit import authenticated_user
from allauth.mfa.models import Authenticator
from allauth.usersessions.internal.flows.sessions import end_other_sessions
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from monitor_site.accounts.factors import has_second_factor
from monitor_site.accounts.sessions import SignIn, end_older, sign_ins_of

from .factor_pages import passkeys_work
from .proving import proves_again


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    """All of it on one page; secrets are nowhere."""
    found = Authenticator.objects.filter(user_id=request.user.pk).order_by("created_at", "pk")
    of = {kind: [one for one in found if one.type == kind] for kind in Authenticator.Type.values}
    codes = of[Authenticator.Type.RECOVERY_CODES]
    context = {
        "app": next(iter(of[Authenticator.Type.TOTP]), None),
        "passkeys": of[Authenticator.Type.WEBAUTHN],
        "codes": codes[0] if codes else None,
        "codes_left": len(codes[0].wrap().get_unused_codes()) if codes else 0,
        "guarded": has_second_factor(request.user),
        "passkeys_work": passkeys_work(request),
        "sessions": _sessions(request),
    }
    return render(request, "web/security.html", context)


def _sessions(request: HttpRequest) -> list[dict[str, Any]]:
    """Where the person is signed in, the latest first."""
    here, found = request.session.session_key, sign_ins_of(request.user, now=timezone.now())
    return [{"row": one, "here": one.key == here, "device": _device(one)} for one in found]


def _device(one: SignIn) -> str:
    return device_of(one.agent) if one.since else gettext("A device from before sign-ins were listed")


SYSTEMS = {"iPhone": "iPhone", "iPad": "iPad", "Android": "Android", "Windows": "Windows", "Mac OS X": "macOS",
           "CrOS": "ChromeOS", "Linux": "Linux"}  # fmt: skip
BROWSERS = {"Edg": "Edge", "OPR": "Opera", "Firefox": "Firefox", "FxiOS": "Firefox", "Chrome": "Chrome",
            "CriOS": "Chrome", "Safari": "Safari"}  # fmt: skip


def device_of(agent: str) -> str:
    """What a browser calls itself, in short: whoever lies about it lies here, too."""
    system = next((word for sign, word in SYSTEMS.items() if sign in agent), "")
    browser = next((word for sign, word in BROWSERS.items() if sign in agent), "")
    return " · ".join(filter(None, (browser, system))) or agent[:40] or "?"


@require_POST
@proves_again
def sign_out_others(request: HttpRequest) -> HttpResponse:
    """Only this device stays signed in."""
    end_other_sessions(request, authenticated_user(request))
    end_older(user=request.user, but=request.session.session_key or "", now=timezone.now())
    messages.success(request, gettext("Signed out everywhere else."))
    return redirect("security")
