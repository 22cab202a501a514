"""What servers say about waiting, in every way they say it."""

from datetime import UTC, datetime

import pytest

from monitor_site.contract import LONGEST_WAIT, retry_after

NOW = datetime(2026, 10, 5, 3, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("45", 45.0),
        (" 45 ", 45.0),
        ("0", 1.0),
        ("99999999", LONGEST_WAIT),
        ("Mon, 05 Oct 2026 03:00:30 GMT", 30.0),
        ("Mon, 05 Oct 2026 02:00:00 GMT", 1.0),
        ("Mon, 05 Oct 2026 03:00:30 -0000", None),
        ("soon", None),
        ("-5", None),
        ("４５", None),
        ("", None),
    ],
)
def test_a_wait_is_read_as_seconds_or_as_a_date(text: str, seconds: float | None):
    assert retry_after({"retry-after": text}, now=NOW) == seconds


def test_without_the_header_nothing_is_known():
    assert retry_after({}, now=NOW) is None


@pytest.mark.parametrize(
    ("date", "seconds"), [("Mon, 05 Oct 2026 09:00:00 GMT", 120.0), ("unreadable", 6 * 3600 + 120.0)]
)
def test_a_date_is_measured_by_the_server_s_own_clock_where_it_tells_it(date: str, seconds: float):
    headers = {"retry-after": "Mon, 05 Oct 2026 09:02:00 GMT", "date": date}
    assert retry_after(headers, now=NOW) == seconds
