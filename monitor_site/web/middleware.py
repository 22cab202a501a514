"""What every answer has: a language, a time zone, a person, and headers that give nothing away."""

import zoneinfo
from typing import Any

import structlog
from allauth.core.internal.httpkit import get_client_ip
from django.conf import settings
from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.middleware.locale import LocaleMiddleware
from django.urls import resolve
from django.utils import timezone, translation
from django.utils.deprecation import MiddlewareMixin

from monitor_site import second_currency
from monitor_site.accounts import auditing
from monitor_site.accounts.exchange_rates import begin_showing
from monitor_site.accounts.models import ActorKind
from monitor_site.accounts.proofs import last_way
from monitor_site.tracing import new_trace

from .returning import page_of

THEME_COOKIE = "theme"
NOTHING_ALLOWED = ", ".join(
    f"{feature}=()"
    for feature in (
        "accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "magnetometer", "microphone", "midi",
        "payment", "screen-wake-lock", "usb",
    )
)  # fmt: skip
HEADERS = {
    "Cache-Control": "no-store",
    "Permissions-Policy": NOTHING_ALLOWED,
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
HEALTH = {"/healthz", "/readyz"}


class HeadersMiddleware(MiddlewareMixin):
    """Outermost, so that refusals and errors of the others have them too; nothing is kept by anybody unasked."""

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:  # noqa: ARG002
        """Set the headers; whoever knows better has set its own."""
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response


class HealthMiddleware(MiddlewareMixin):
    """Answers whoever watches the process: it asks by address, without TLS, and for no name of ours."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        """The answer of a health check, else nothing."""
        if request.path_info not in HEALTH:
            return None
        answer: HttpResponse = resolve(request.path_info).func(request)
        return answer


class LanguageMiddleware(LocaleMiddleware):
    """The cookie's language, else the browser's.

    Any Chinese a browser may ask for (zh-CN, zh-SG, zh-TW, zh-HK) becomes zh-Hans, since there is no other Chinese.
    What a signed-in person has chosen comes later, in :class:`PreferencesMiddleware`.
    """


class SignInMiddleware(LoginRequiredMiddleware):
    """Every page asks for a sign-in unless it says otherwise, and after it the person is on a page that can be seen."""

    def handle_no_permission(  # type: ignore[override]  # a script's answer is no redirect
        self,
        request: HttpRequest,
        view_func: Any,  # noqa: ARG002
    ) -> HttpResponse:
        """To the sign-in; a script gets 401, and the way there only when somebody pressed something."""
        way = redirect_to_login(page_of(request))
        if not request.headers.get("HX-Request"):
            return way
        acted = request.method == "POST"
        return HttpResponse(status=401, headers={"HX-Redirect": way.url} if acted else {})


class PreferencesMiddleware(MiddlewareMixin):
    """The signed-in person's language, time zone and second currency."""

    def process_request(self, request: HttpRequest) -> None:
        """Activate what the person has chosen."""
        user = request.user
        if not user.is_authenticated:
            timezone.deactivate()
            return
        timezone.activate(zone_named(user.time_zone))
        begin_showing(user, now=timezone.now())
        if translation.check_for_language(user.language):
            translation.activate(user.language)
            request.LANGUAGE_CODE = translation.get_language()

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:  # noqa: ARG002
        """The thread goes on to others, also to what has no reader."""
        second_currency.deactivate()
        return response


class ActorMiddleware(MiddlewareMixin):
    """What is done in the course of a request is done by whoever is signed in."""

    def process_request(self, request: HttpRequest) -> None:
        """The person is asked for only when something is written down; all of it has one trace, as the log has."""
        structlog.contextvars.bind_contextvars(trace=new_trace())
        auditing.begin_acting(lambda: _actor(request))

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:  # noqa: ARG002
        """The thread goes on to others."""
        auditing.end_acting()
        structlog.contextvars.unbind_contextvars("trace")
        return response


def _actor(request: HttpRequest) -> auditing.Actor:
    """The person, how they signed in or proved it last, and from where, if the operator wants that kept."""
    source = (get_client_ip(request) or "") if settings.AUDIT_ADDRESSES else ""
    if not request.user.is_authenticated:
        return auditing.Actor(kind=ActorKind.PERSON, source=source)
    way = last_way(request)
    return auditing.Actor(kind=ActorKind.PERSON, name=request.user.get_username(), way=way, source=source)


def zone_named(name: str) -> zoneinfo.ZoneInfo:
    """A time zone by its name; UTC for a name that is none."""
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError):
        return zoneinfo.ZoneInfo("UTC")
