"""The page behind the phone's "More", and the two switches that every page has."""

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.templatetags.static import static
from django.urls import reverse
from django.utils import translation
from django.views.decorators.http import require_POST, require_safe

from monitor_site.accounts.models import Theme
from monitor_site.purchasing import queries

from .context import site_name
from .middleware import THEME_COOKIE
from .returning import back

YEAR = 365 * 24 * 3600


@require_safe
def more(request: HttpRequest) -> HttpResponse:
    """Everything that has no tab of its own on a phone."""
    return render(request, "web/more.html", {"own_stop": any(stop.own for stop in queries.stops_of(request.user))})


@login_not_required
@require_POST
def set_language(request: HttpRequest) -> HttpResponse:
    """Choose a language, also before signing in; an unknown one changes nothing."""
    answer = _back(request)
    code = request.POST.get("language", "")
    if code in dict(settings.LANGUAGES):
        _keep(request, "language", code)
        answer.set_cookie(settings.LANGUAGE_COOKIE_NAME, code, max_age=YEAR, samesite="Lax", httponly=True)
        translation.activate(code)
    return answer


@login_not_required
@require_POST
def set_theme(request: HttpRequest) -> HttpResponse:
    """Choose the appearance, also before signing in; an unknown one changes nothing."""
    answer = _back(request)
    theme = request.POST.get("theme", "")
    if theme in Theme.values:
        _keep(request, "theme", theme)
        answer.set_cookie(THEME_COOKIE, theme, max_age=YEAR, samesite="Lax", httponly=True)
    return answer


def _keep(request: HttpRequest, name: str, value: str) -> None:
    if request.user.is_authenticated:
        setattr(request.user, name, value)
        request.user.save(update_fields=[name])


def _back(request: HttpRequest) -> HttpResponse:
    """To the page the person came from."""
    return back(request, reverse("matches"))


@login_not_required
@require_safe
def favicon(request: HttpRequest) -> HttpResponse:  # noqa: ARG001
    """Where browsers look for the mark on pages that do not name it."""
    return redirect(static("ui/mark.svg"))


@login_not_required
@require_safe
def manifest(request: HttpRequest) -> HttpResponse:  # noqa: ARG001
    """What a phone needs to keep the site on its home screen."""
    icons = [{"src": static(f"ui/icon-{px}.png"), "sizes": f"{px}x{px}", "type": "image/png"} for px in (192, 512)]
    name = site_name()
    facts = {"id": "/", "name": name, "short_name": name, "start_url": reverse("matches"), "display": "standalone"}
    colours = {"background_color": "#f5f4f0", "theme_color": "#f5f4f0"}
    return JsonResponse(facts | colours | {"icons": icons}, content_type="application/manifest+json")


@login_not_required
@require_safe
def no_reset(request: HttpRequest) -> HttpResponse:
    """A forgotten password is a matter for the administrator; the page says what to ask for."""
    return render(request, "account/password_reset.html")


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001
    """The browser sent something that makes no sense."""
    return render(request, "400.html", status=400)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:  # noqa: ARG001
    """Not for this person."""
    return render(request, "403.html", status=403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001
    """No such page, or not this person's."""
    return render(request, "404.html", status=404)


def server_error(request: HttpRequest) -> HttpResponse:  # noqa: ARG001
    """Something failed: a page in three languages that needs neither database nor language files."""
    return HttpResponse(render_to_string("500.html"), status=500)
