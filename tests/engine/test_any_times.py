"""Any job that carries ids of rows may run never, once, many times, at once and late, and it comes to the same."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection

from monitor_site.engine import jobs, outcomes, previews, upkeep, worker
from monitor_site.engine.clerk import Clerk
from monitor_site.marketplaces import services as accounts
from monitor_site.outbox import services as outbox
from monitor_site.outbox.models import OutboxRow
from monitor_site.purchasing import reconciling, sweeping, submitting
from monitor_site.purchasing.models import Order, OrderReading, Submission, SubmissionOutcome
