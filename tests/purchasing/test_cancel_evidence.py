"""What looks at a purchase prove about a request to cancel it: silence is neither a yes nor a no."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from monitor_site.contract import PurchaseStage
from monitor_site.purchasing.cancel_evidence import STANDING, TAKEN, StageSeen, conclude
from monitor_site.purchasing.evidence import Case
from monitor_site.purchasing.models import CancelOutcome

SENT = datetime(2026, 5, 1, 3, 0, tzinfo=UTC)
CASE = Case(lost_at=SENT, send_deadline=SENT + timedelta(seconds=15))
LASTS = CASE.horizon - CASE.send_deadline


def looks(*minutes, stage="wait_shipping", since=CASE.horizon):
    return [StageSeen(since + timedelta(minutes=one), stage) for one in minutes]


@pytest.mark.parametrize("stage", sorted(TAKEN))
def test_one_look_that_shows_it_cancelled_or_asked_for_is_enough(stage):
    assert conclude(CASE, looks(0, 8, 17) + looks(20, stage=stage)) == CancelOutcome.DONE


@pytest.mark.parametrize("stage", sorted(STANDING))
def test_three_looks_past_the_horizon_that_see_it_standing_are_a_no(stage):
    assert conclude(CASE, looks(0, 8, 17, stage=stage)) == CancelOutcome.NOT_DONE


@pytest.mark.parametrize(
    "seen",
    [
        [],
        looks(0, 17),
        looks(0, 1, 2),
        looks(0, 8, 17, since=SENT),
        looks(0, 8, 17, stage="unknown"),
        looks(0, 8, 17, stage="a word of tomorrow"),
    ],
    ids=["none", "two", "close together", "before the horizon", "unknown stage", "foreign word"],
)
def test_less_proves_nothing(seen):
    assert conclude(CASE, seen) is None


SEEN = st.builds(
    StageSeen,
    st.integers(-3600, 90_000).map(lambda seconds: SENT + timedelta(seconds=seconds)),
    st.sampled_from(sorted(PurchaseStage)),
)


@given(st.lists(SEEN, max_size=12))
def test_whatever_was_seen_a_no_needs_three_looks_past_the_horizon_and_none_that_shows_it_taken(seen):
    if conclude(CASE, seen) == CancelOutcome.NOT_DONE:
        late = [one.at for one in seen if one.stage in STANDING and one.at >= CASE.horizon]
        assert len(late) >= 3
        assert max(late) - min(late) >= LASTS
        assert not [one for one in seen if one.stage in TAKEN]
