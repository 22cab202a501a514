"""The web process."""

import os
import warnings

from django.core.asgi import get_asgi_application
from django.db import connections

from monitor_site.intake import Intake

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "monitor_site.settings")

application = Intake(get_asgi_application())
# A request runs in a thread of its own: a connection kept for the next one would wait there for nobody.
for name in connections:
    connections.settings[name]["CONN_MAX_AGE"] = 0
# Static files come from a middleware that knows no other way; they are small.
warnings.filterwarnings("ignore", message="StreamingHttpResponse must consume synchronous iterators")
