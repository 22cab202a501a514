"""What must be right before anything starts, in the operator's words.

``alerts.E001``: ALERT_NETWORKS or EMAIL_URL cannot be read.
"""

from typing import Any

from django.core.checks import CheckMessage, Error

from .ways.guard import complaints


def check_settings(**_: Any) -> list[CheckMessage]:
    """A setting that cannot be read would be noticed only by the message that does not come."""
    return [Error(sentence, id="alerts.E001") for sentence in complaints()]
