"""What every answer has: a language, a time zone, and headers that give nothing away."""

import zoneinfo

from django.http import HttpRequest, HttpResponseBase
from django.middleware.locale import LocaleMiddleware
from django.utils import timezone, translation
from django.utils.deprecation import MiddlewareMixin

THEME_COOKIE = "theme"
NOTHING_ALLOWED = ", ".join(
    f"{feature}=()"
    for feature in (
        "accelerometer", "camera", "display-capture", "geolocation", "gyroscope", "magnetometer", "microphone", "midi",
        "payment", "screen-wake-lock", "usb",
    )
)  # fmt: skip


class LanguageMiddleware(LocaleMiddleware):
    """The cookie's language, else the browser's.

    Any Chinese a browser may ask for (zh-CN, zh-SG, zh-TW, zh-HK) becomes zh-Hans, since there is no other Chinese.
    What a signed-in person has chosen comes later, in :class:`PreferencesMiddleware`.
    """


class PreferencesMiddleware(MiddlewareMixin):
    """The signed-in person's language and time zone; no private page is kept by anybody."""

    def process_request(self, request: HttpRequest) -> None:
        """Activate what the person has chosen."""
        user = request.user
        if not user.is_authenticated:
            timezone.deactivate()
            return
        timezone.activate(_zone(user.time_zone))
        if translation.check_for_language(user.language):
            translation.activate(user.language)
            request.LANGUAGE_CODE = translation.get_language()

    def process_response(self, request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:  # noqa: ARG002
        """Set the headers; a view that knows better has set its own ``Cache-Control``."""
        response.headers.setdefault("Permissions-Policy", NOTHING_ALLOWED)
        response.headers.setdefault("Cache-Control", "no-store")
        return response


def _zone(name: str) -> zoneinfo.ZoneInfo:
    try:
        return zoneinfo.ZoneInfo(name)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError):
        return zoneinfo.ZoneInfo("UTC")
