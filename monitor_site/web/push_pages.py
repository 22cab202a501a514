"""The script that a browser keeps to show messages while no page is open."""

from functools import cache

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe


@login_not_required
@require_safe
def worker(request: HttpRequest) -> HttpResponse:  # noqa: ARG001
    """It stands at the root, since it acts only for addresses below its own; browsers ask for it signed out, too."""
    headers = {"Service-Worker-Allowed": "/", "Cache-Control": "no-cache"}
    return HttpResponse(_text(), content_type="text/javascript; charset=utf-8", headers=headers)


@cache
def _text() -> str:
    return (settings.BASE_DIR / "static" / "push" / "worker.js").read_text(encoding="utf-8")
