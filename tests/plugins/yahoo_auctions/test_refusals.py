"""Every sample that is no page of results is refused with its own error."""

import pytest

from monitor_site import contract
from monitor_site.contract import Blocked, MarketplaceError, Throttled, Unavailable
from plugins.yahoo_auctions.manifest import YahooCriteria
from plugins.yahoo_auctions.parse import read_search
from tests.plugins.yahoo_auctions.samples import NOW, answer, card, page_of, samples

ALL = samples()
REFUSED = [name for name, sample in ALL.items() if sample.raises]
READ = [name for name, sample in ALL.items() if not sample.raises]


def refusal(made: contract.Answer) -> MarketplaceError:
    with pytest.raises(MarketplaceError) as caught:
        read_search(made, YahooCriteria(), now=NOW)
    return caught.value


@pytest.mark.parametrize("file", REFUSED)
def test_a_sample_that_is_no_answer_raises_its_error(file: str):
    assert type(refusal(ALL[file].answer)) is getattr(contract, str(ALL[file].raises))


@pytest.mark.parametrize("file", READ)
def test_a_sample_that_is_an_answer_is_read(file: str):
    assert read_search(ALL[file].answer, YahooCriteria(), now=NOW).bad_rows is not None


def test_there_is_something_of_both():
    assert (len(READ), len(REFUSED)) == (8, 27)


def test_the_wait_that_is_asked_for_is_kept():
    assert refusal(ALL["throttled_429.html"].answer).retry_after == 45.0
    assert refusal(answer("", status=429)).retry_after == Throttled.default_retry_after


def test_the_wait_may_be_a_date_and_is_measured_by_the_server_s_clock():
    late = {"date": "Mon, 05 Oct 2026 09:00:00 GMT", "retry_after": "Mon, 05 Oct 2026 09:02:00 GMT"}
    assert refusal(answer("", status=503, **late)).retry_after == 120.0
    assert refusal(answer("", status=503, retry_after="Mon, 05 Oct 2026 03:00:30 GMT")).retry_after == 30.0
    assert refusal(answer("", status=503, retry_after="soon")).retry_after is None


def test_a_closed_region_waits_for_a_day():
    assert refusal(ALL["geo.html"].answer).retry_after == 86_400.0


def test_nothing_found_a_block_page_and_an_empty_body_are_three_things():
    assert read_search(ALL["empty_404.html"].answer, YahooCriteria(), now=NOW).sightings == ()
    kinds = [type(refusal(ALL[file].answer)).__name__ for file in ("blocked_200.html", "no_body.html")]
    assert kinds == ["Blocked", "LayoutChanged"]


def test_a_404_without_the_words_is_no_empty_result():
    assert type(refusal(answer("<html><body>404</body></html>", status=404))) is contract.LayoutChanged


def test_words_of_errors_in_titles_are_only_titles():
    made = page_of(*(card(title=f"{words} 見本") for words in ("システムエラー", "ページが表示できません", "captcha")))
    assert read_search(made, YahooCriteria(), now=NOW).padding == 2


def test_a_page_s_own_words_count_and_its_scripts_do_not():
    quiet = "<html><body><script>var t='システムエラー';</script><p>こんにちは</p></body></html>"
    assert type(refusal(answer(quiet))) is contract.LayoutChanged
    assert type(refusal(answer("<html><body><p>ただいま混み合っています</p></body></html>"))) is Unavailable


def test_a_refusal_tells_the_operator_and_stops_the_marketplace():
    error = refusal(ALL["blocked_200.html"].answer)
    assert isinstance(error, Blocked)
    assert (error.pauses, error.tells) == ("marketplace", "operator")
