"""``/metrics``, for whoever may read it: from a network that is named, or with the token."""

import hmac

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.utils.deprecation import MiddlewareMixin
from django.views.decorators.http import require_safe
from prometheus_client import CONTENT_TYPE_LATEST

from monitor_site.askers import asker, is_within
from monitor_site.connections import redis_client

from .figures import recent
from .metrics import exposition

PATH = "/metrics"
REFUSAL = "Not from here: METRICS_NETWORKS names who may ask, and METRICS_TOKEN opens it from anywhere.\n"


@login_not_required
@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    """All figures as Prometheus reads them; 403 for whoever may not."""
    if not may_scrape(request):
        return HttpResponse(REFUSAL, content_type="text/plain", status=403)
    return HttpResponse(exposition(recent(redis_client())), content_type=CONTENT_TYPE_LATEST)


def may_scrape(request: HttpRequest) -> bool:
    """Whether this request comes from where it may, or carries the token."""
    token: str = settings.METRICS_TOKEN
    given = request.headers.get("Authorization", "")
    if token and hmac.compare_digest(given.encode(), f"Bearer {token}".encode()):
        return True
    return is_within(asker(request.META, behind_proxy=settings.BEHIND_PROXY), settings.METRICS_NETWORKS)


class MetricsMiddleware(MiddlewareMixin):
    """Answers Prometheus where health is answered: it asks by address, without TLS, and for no name of ours."""

    def process_request(self, request: HttpRequest) -> HttpResponse | None:
        """The metrics at their address, else nothing."""
        return metrics(request) if request.path_info == PATH else None
