"""Every rule of the kit fails with its sentence for a plugin that breaks it, and passes for one that does not."""

import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

from monitor_site.contract import scaffold
from monitor_site.contract.testing import PluginConformance
from monitor_site.contract.testing.about_cancelling import AboutCancelling
from monitor_site.contract.testing.about_orders import AboutOrders
from tests.house.source import ROOT

FAULTY = Path(__file__).parent / "faulty" / "conformance.py"
SAMPLE = Path(scaffold.__file__).parent / "sample_market"
RULES = sorted(name for name in dir(PluginConformance) if name.startswith("test_"))

SENTENCES = {
    "test_a_purchase_commits_exactly_once": "a purchase must commit exactly once",
    "test_a_request_to_cancel_commits_exactly_once_and_shows": "a request to cancel must commit exactly once",
    "test_a_request_to_cancel_whose_answer_is_lost_is_never_told_as_known": "whether it was cancelled: CancelReceipt",
    "test_what_was_not_bought_is_not_cancelled": "was not bought, and cancelling it must raise: CancelReceipt",
    "test_a_purchase_is_found_again": "find_purchase does not find that transaction",
    "test_what_was_not_bought_is_no_purchase": "nobody bought",
    "test_a_purchase_whose_answer_is_lost_is_never_told_as_known": "nobody knows how a purchase ended: Receipt",
    "test_what_costs_more_is_refused_before_it_is_sent": "it costs 4322, was seen at 4321 and may cost 4322: Receipt",
    "test_what_is_sold_is_refused_before_it_is_sent": "since it is sold: Receipt",
    "test_every_refusal_has_its_word": "the practice market lists no refusals of purchases",
    "test_no_block_says_that_nothing_was_bought": "must raise, for it does not tell what was bought",
    "test_purchases_list_what_was_bought": "the list of purchases lacks it",
    "test_an_account_is_verified_without_spending": "and send nothing that spends",
    "test_a_block_is_blocked": "blocked.html: a block must raise Blocked",
    "test_a_broken_address_of_its_own_raises_nothing": "parse_url('') must raise nothing, and raised IndexError",
    "test_a_broken_server_is_unavailable": "status 500 must raise Unavailable: a page of 0",
    "test_a_connection_asks_every_time": "full.json is read differently the second time by one connection",
    "test_a_cut_answer_is_never_a_shorter_one": "an answer cut after",
    "test_a_forbidden_search_is_blocked": "status 403 on a search must raise Blocked",
    "test_a_foreign_layout_is_a_changed_layout": "a foreign layout must raise LayoutChanged",
    "test_a_full_answer_is_a_page_of_several_listings": "rows of the full sample cannot be read: no id",
    "test_a_keyword_is_asked_as_it_is": "does not arrive; escape it: http://127.0.0.1:9/warm-up",
    "test_a_listing_nobody_offers_is_gone": "which never was, must raise",
    "test_a_listing_that_is_gone_is_gone": "a listing that is gone must raise ListingGone",
    "test_a_look_tells_of_the_listing_asked_for": "a look told of promoted",
    "test_a_look_tells_what_the_search_told": "a look and the search tell different things",
    "test_a_new_price_is_seen_by_the_next_look": "costs 3210 now, and the next look does not see it",
    "test_a_redirect_elsewhere_is_never_nothing_found": "a redirect elsewhere must raise an error",
    "test_a_sale_is_seen_by_the_next_look": "is sold, and the next look does not see it",
    "test_a_sample_of_a_look_names_its_listing": "these samples of a look have no external_id",
    "test_a_search_finds_what_was_listed": "just listed for 4321",
    "test_a_search_tells_what_the_manifest_says_it_tells": "most rows of the full sample do not tell: bids",
    "test_addresses_elsewhere_mean_nothing": "must be None, since it leads elsewhere",
    "test_an_empty_answer_is_an_empty_page": "an empty answer is an empty page and the last one",
    "test_an_unknown_status_is_never_nothing_found": "status 204 does not say that nothing was found",
    "test_another_charset_is_read_right_or_not_at_all": "in Shift_JIS is read as garbled text",
    "test_another_process_reads_the_same": "another process reads these samples differently",
    "test_asked_too_often_is_throttled_for_as_long_as_it_says": "must raise Throttled(retry_after=7)",
    "test_every_listing_is_as_the_contract_promises": "is not as the contract promises: external_id",
    "test_every_listing_stands_once": "a listing stands twice on one page",
    "test_every_request_counts_in_the_pace": "the weight of a request is a whole number from 1, not 0",
    "test_every_time_is_aware": "created of",
    "test_it_asks_at_most_once_more_with_a_new_proof": "search asked 2 times after status 429",
    "test_it_asks_once_for_each_question": "search must be one request; full.json took 2",
    "test_it_asks_the_hosts_of_its_manifest_only": "which is not https on a host the manifest names",
    "test_it_can_do_what_it_declares_and_nothing_else": "it declares bid, buy, cancel, link",
    "test_it_has_no_way_out_but_the_session": "asked behind the session's back, reading full.json: socket.getaddrinfo",
    "test_it_keeps_no_answer": "is still kept when it has long been read",
    "test_it_leaves_a_question_as_it_is": "search changed the question it was asked",
    "test_it_leaves_the_sessions_headers_alone": "sent a header that is the session's own: Host",
    "test_it_loads_without_touching_anything": "importing a plugin must do nothing but define it",
    "test_it_never_sleeps": "a plugin never sleeps or waits; reading full.json it slept",
    "test_it_raises_errors_of_the_contract_only": "raised KeyError: 'id', which is no error of the contract",
    "test_it_reads_by_the_session": "was parsed without session.read",
    "test_it_understands_its_own_link": "parse_url of its own link",
    "test_it_understands_the_addresses_of_its_own_listings": "and is ListingUrl(external_id='wrong')",
    "test_its_blocks_are_blocked": "the practice market cannot block",
    "test_its_criteria_can_be_drawn_as_a_form": "field 'grade' cannot be drawn",
    "test_its_cut_answers_are_unreadable": "cut in the middle must be an error: a page of 0",
    "test_its_link_is_on_its_own_hosts": "is not https on the marketplace's own hosts",
    "test_its_manifest_is_whole": "the core would refuse it, since its currency 'yen' is no ISO code",
    "test_its_outage_is_unavailable": "a practice market that answers 500 must be Unavailable",
    "test_its_pace_is_polite": "public pages bear 60 requests a minute at most, its ceiling is 600",
    "test_its_questions_survive_being_stored": "a stored question changes when it is read",
    "test_its_secrets_stay_hidden": "'api_key' sounds like a secret",
    "test_its_settings_can_be_drawn_as_a_form": "field 'pin' cannot be drawn",
    "test_its_throttling_is_throttled": "a practice market that throttles for 9 s must be Throttled for 9 s",
    "test_its_truth_log_is_only_ever_appended_to": "the truth log must only ever be appended to",
    "test_junk_is_never_nothing_found": "the body b'' does not say that nothing was found",
    "test_junk_is_no_address_and_raises_nothing": "parse_url('') must raise nothing, and raised IndexError",
    "test_no_price_is_zero": "has a price of 0; what is not known is None",
    "test_nothing_but_its_own_answer_says_that_a_listing_is_gone": "ended a listing: full.json, 403",
    "test_no_secret_gets_into_what_it_says": "a secret of the account gets into what it says of full.json",
    "test_one_bad_row_does_not_cost_the_page": "one bad row must cost itself only",
    "test_sold_prices_are_of_things_that_were_sold": "not sold, or no price was paid",
    "test_the_control_question_has_answers": "the control question finds nothing in the practice market",
    "test_the_same_bytes_are_read_the_same_twice": "full.json is read differently the second time",
    "test_the_next_page_is_asked_for_by_its_token": "search asks for page '2' as for the first",
    "test_the_time_of_reading_gets_into_nothing": "full.json is read differently at another time: title is",
    "test_there_are_samples_of_every_case": "sample answers are missing: sold_prices empty",
    "test_what_the_session_raises_comes_out_as_it_is": "must let Unavailable of the session out and ask no more",
    "test_what_practice_sells_is_as_the_contract_promises": "the practice market sells nothing",
}
"""For each rule, words of the sentence with which it fails for the faulty plugin."""

ABOUT_ORDERS = {name for name in vars(AboutOrders) | vars(AboutCancelling) if name.startswith("test_")}

Report = dict[str, str]


def judged(path: Path, report: Path) -> tuple[int, Report]:
    """Run the kit as a plugin's author does; the exit code, and for each rule how it failed, empty when it held."""
    command = [sys.executable, "-m", "monitor_site.contract.testing", str(path), f"--junitxml={report}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=1200)
    assert report.exists(), done.stdout + done.stderr
    cases = ElementTree.parse(report).iter("testcase")
    return done.returncode, {case.attrib["name"]: failure_of(case) for case in cases if case.find("skipped") is None}


def failure_of(case: ElementTree.Element) -> str:
    wrong = case.find("failure")
    assert case.find("error") is None, ElementTree.tostring(case)
    return "" if wrong is None else wrong.attrib["message"]


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Report:
    code, report = judged(FAULTY, tmp_path_factory.mktemp("faulty") / "report.xml")
    assert code == 1
    return report


def test_no_rule_is_left_that_the_faulty_plugin_keeps(faulty: Report):
    assert sorted(name for name in RULES if not faulty.get(name)) == []
    assert sorted(SENTENCES) == RULES


@pytest.mark.parametrize("rule", RULES)
def test_a_broken_rule_says_in_a_sentence_what_is_wrong(faulty: Report, rule: str):
    assert SENTENCES[rule] in faulty[rule]
    assert faulty[rule].startswith("Failed: "), "it crashed instead"


def test_the_sample_plugin_keeps_every_rule_it_can(tmp_path: Path):
    code, report = judged(SAMPLE, tmp_path / "report.xml")
    assert (code, {name: sentence for name, sentence in report.items() if sentence}) == (0, {})
    assert set(RULES) - set(report) == {
        "test_sold_prices_are_of_things_that_were_sold",
        "test_no_secret_gets_into_what_it_says",
        *ABOUT_ORDERS,
    }
