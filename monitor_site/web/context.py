"""What the frame around every page needs."""

import secrets
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db.models import IntegerField, Subquery
from django.http import HttpRequest
from django.utils import timezone
from django.utils.functional import SimpleLazyObject
from django.utils.translation import gettext

from monitor_site import wording
from monitor_site.accounts.models import Theme
from monitor_site.purchasing.queries import waiting
from monitor_site.watches.models import Match, MatchState, Watch

from . import live
from .auctions import ending_soon
from .middleware import THEME_COOKIE

COUNTED = 100
COUNTS = ("new", "ending", "watches", "asking")
THEMES = (Theme.SYSTEM, Theme.LIGHT, Theme.DARK)


def frame(request: HttpRequest) -> dict[str, Any]:
    """Site name, theme, languages and, only when a page shows them, the counts beside the menu."""
    return {
        "site_name": site_name(),
        "theme": theme_of(request),
        "themes": [(theme.value, theme.label) for theme in THEMES],
        "languages": [("zh-hans", "简体中文"), ("ja", "日本語"), ("en", "English")],
        "practice": bool(settings.PRACTICE_MARKETS),
        "words": wording.for_scripts(),
        "nav": SimpleLazyObject(lambda: counts(request.user)),
        "live_cursor": SimpleLazyObject(lambda: live.cursor_of(request.user.pk or 0)),
        "live_page": secrets.token_urlsafe(9),
    }


def site_name() -> str:
    """What this installation is called."""
    return settings.SITE_NAME or gettext("Finder")


def theme_of(request: HttpRequest) -> str:
    """The person's choice, else the cookie's; ``system`` follows the device."""
    user = getattr(request, "user", None)
    chosen = user.theme if user is not None and user.is_authenticated else request.COOKIES.get(THEME_COOKIE, "")
    return chosen if chosen in Theme.values else Theme.SYSTEM.value


def counts(user: Any) -> dict[str, int]:
    """New matches, auctions that end within the hour, proposals (all up to 100), and watches of a person."""
    if not user.is_authenticated:
        return dict.fromkeys(COUNTS, 0)
    new = Match.objects.of(user).told().awake(now=timezone.now()).filter(state=MatchState.NEW).order_by()[:COUNTED]
    ending = ending_soon(user, now=timezone.now())
    watches = Watch.objects.of(user).order_by()
    asking = waiting(user, now=timezone.now()).select_related(None).order_by()[:COUNTED]
    person = get_user_model().objects.filter(pk=user.pk)
    counted = person.values_list(HowMany(new), HowMany(ending), HowMany(watches), HowMany(asking)).get()
    return dict(zip(COUNTS, counted, strict=True))


class HowMany(Subquery):
    """The number of rows of a query as one value, so that several are asked for at once."""

    template = "(SELECT COUNT(*) FROM (%(subquery)s) AS counted)"
    output_field = IntegerField()
