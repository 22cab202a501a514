"""One small fault in a good plugin, as people make them, is noticed by the rule that is about it and by no other."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from monitor_site.contract.scaffold import make_plugin
from monitor_site.contract.testing import PluginConformance, plugin_in
from monitor_site.contract.testing.about_cancelling import AboutCancelling
from tests.contract.testing.keeping_faults import KEEPING

PRACTICE = {name for name in dir(AboutCancelling) if name.startswith("test_")}
IN_PROCESSES = {"test_another_process_reads_the_same", "test_it_loads_without_touching_anything"}
RULES = sorted({name for name in dir(PluginConformance) if name.startswith("test_")} - PRACTICE)

FAULTS = {
    "too many requests wait for no time of their own": (
        "refusals.py",
        'Throttled("status 429", retry_after=retry_after(answer.headers, now=now))',
        'Throttled("status 429")',
        {"test_asked_too_often_is_throttled_for_as_long_as_it_says"},
    ),
    "a broken server is a block": (
        "refusals.py",
        "answer.status >= 500",
        "answer.status > 500",
        {"test_a_broken_server_is_unavailable"},
    ),
    "a refusal ends a listing": (
        "refusals.py",
        'if answer.status == 404 and answer.media_type == "application/json":',
        "if answer.status in {404, 503}:",
        {"test_nothing_but_its_own_answer_says_that_a_listing_is_gone", "test_a_broken_server_is_unavailable"},
    ),
    "another layout is nothing found": (
        "parse.py",
        'raise LayoutChanged("no rows")',
        "return SearchPage(sightings=())",
        {"test_a_foreign_layout_is_a_changed_layout", "test_junk_is_never_nothing_found"},
    ),
    "what cannot be decoded is replaced": (
        "parse.py",
        'answer.body.decode("utf-8")',
        'answer.body.decode("utf-8", "replace")',
        {"test_another_charset_is_read_right_or_not_at_all"},
    ),
    "one bad row costs the page": (
        "parse.py",
        "        return str(reason)\n",
        '        raise LayoutChanged("a row") from reason\n',
        {"test_one_bad_row_does_not_cost_the_page"},
    ),
    "a time has no zone": (
        "parse.py",
        "datetime.fromtimestamp(seconds, UTC)",
        "datetime.fromtimestamp(seconds)",
        {"test_every_time_is_aware", "test_every_listing_is_as_the_contract_promises"},
    ),
    "a price that is missing is 0": (
        "parse.py",
        "if amount else None\n\n\ndef _seller",
        'if amount else Money(amount=0, currency="JPY")\n\n\ndef _seller',
        {"test_no_price_is_zero", "test_every_listing_is_as_the_contract_promises"},
    ),
    "promoted copies stay": (
        "parse.py",
        "for row in rows]",
        "for row in rows * 2]",
        {"test_every_listing_stands_once"},
    ),
    "there is always a next page": (
        "parse.py",
        "return str(page) if page else None",
        'return str(page or "2")',
        {"test_an_empty_answer_is_an_empty_page"},
    ),
    "an id is not the one that was asked for": (
        "parse.py",
        "external_id=external_id,",
        'external_id=f"x{external_id}",',
        {
            "test_a_look_tells_of_the_listing_asked_for",
            "test_it_understands_the_addresses_of_its_own_listings",
        },
    ),
    "the order of a set gets into what is read": (
        "parse.py",
        "title=title,",
        'title="".join({*title}),',
        {"test_another_process_reads_the_same"},
    ),
    "every page is the first": (
        "ask.py",
        '("page", page)',
        '("page", "1")',
        {"test_the_next_page_is_asked_for_by_its_token"},
    ),
    "a header of the session is set": (
        "ask.py",
        '{"Accept": "application/json"}',
        '{"Accept": "application/json", "accept-encoding": "br"}',
        {"test_it_leaves_the_sessions_headers_alone"},
    ),
    "it asks again by itself": (
        "marketplace.py",
        "        reader = partial(read_search,",
        (
            "        if answer.status >= 500:\n            answer = await self._session.get(url, headers=headers())\n"
            "        reader = partial(read_search,"
        ),
        {"test_it_asks_at_most_once_more_with_a_new_proof"},
    ),
    "it warms up first": (
        "marketplace.py",
        "        reader = partial(read_search,",
        "        await self._session.get(url, headers=headers())\n        reader = partial(read_search,",
        {"test_it_asks_at_most_once_more_with_a_new_proof", "test_it_asks_once_for_each_question"},
    ),
    "it waits": (
        "marketplace.py",
        "        reader = partial(read_search,",
        "        await __import__('asyncio').sleep(0.001)\n        reader = partial(read_search,",
        {"test_it_never_sleeps"},
    ),
    "a request weighs nothing": (
        "marketplace.py",
        "external_id), headers=headers())",
        "external_id), headers=headers(), weight=0)",
        {"test_every_request_counts_in_the_pace"},
    ),
    "an address of any scheme is its own": (
        "addresses.py",
        'parts.scheme not in {"https", "http"} or ',
        "",
        {"test_addresses_elsewhere_mean_nothing"},
    ),
    "an address whose host begins alike is its own": (
        "addresses.py",
        "parts.netloc != _HOST",
        "not parts.netloc.startswith(_HOST)",
        {"test_addresses_elsewhere_mean_nothing"},
    ),
    "a broken address is a fault": (
        "addresses.py",
        "except ValueError:",
        "except KeyError:",
        {"test_junk_is_no_address_and_raises_nothing"},
    ),
    "the link does not begin with what it is given": (
        "addresses.py",
        'return f"{web}/item/{external_id}"',
        'return f"{HOME}/item/{external_id}"',
        {"test_its_link_is_on_its_own_hosts"},
    ),
    "more is told than searches tell": (
        "manifest.py",
        '"seller", "created"}',
        '"seller", "created", "images"}',
        {"test_a_search_tells_what_the_manifest_says_it_tells"},
    ),
    "a capability is not declared": (
        "manifest.py",
        "Capability.LOOK, Capability.LINK",
        "Capability.LOOK",
        {"test_it_can_do_what_it_declares_and_nothing_else"},
    ),
    "an option has no label": (
        "manifest.py",
        'label=_("Category")',
        'label=""',
        {"test_its_criteria_can_be_drawn_as_a_form"},
    ),
    "the ceiling is high": (
        "manifest.py",
        "ceiling_per_minute=30",
        "ceiling_per_minute=61",
        {"test_its_pace_is_polite"},
    ),
    "it asks a host that it does not name": (
        "manifest.py",
        'hosts=(f"api.{DOMAIN}", f"www.{DOMAIN}")',
        'hosts=(f"www.{DOMAIN}",)',
        {"test_it_asks_the_hosts_of_its_manifest_only"},
    ),
    **KEEPING,
    "it says something when it is loaded": (
        "__init__.py",
        "plugin = Plugin(",
        'print("hello")\nplugin = Plugin(',
        {"test_it_loads_without_touching_anything"},
    ),
}


@pytest.fixture(autouse=True)
def _forget_throw_away_plugins() -> Iterator[None]:
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if name.startswith("plugins.spoilt"):
            del sys.modules[name]


def broken_rules(folder: Path, rules: list[str]) -> set[str]:
    """The rules, of these, that fail with a sentence for the plugin in a folder."""

    class Judged(PluginConformance):
        plugin = plugin_in(folder)
        answers = folder / "tests" / "answers"

    return {rule for rule in rules if not holds(Judged(), rule)}


def holds(judged: PluginConformance, rule: str) -> bool:
    try:
        getattr(judged, rule)()
    except pytest.fail.Exception:
        return False
    except pytest.skip.Exception:
        return True
    return True


@pytest.mark.parametrize("fault", FAULTS)
def test_a_small_fault_is_noticed_by_its_rule_and_by_no_other(tmp_path: Path, fault: str):
    name, whole, spoilt, expected = FAULTS[fault]
    folder = make_plugin("spoilt", into=tmp_path)
    text = (folder / name).read_text("utf-8")
    assert whole in text
    (folder / name).write_text(text.replace(whole, spoilt, 1), "utf-8")

    # Starting processes is slow: only where it matters.
    rules = [rule for rule in RULES if rule not in IN_PROCESSES or rule in expected]
    assert broken_rules(folder, rules) == expected


def test_without_a_fault_no_rule_fails(tmp_path: Path):
    assert broken_rules(make_plugin("spoilt", into=tmp_path), RULES) == set()


@pytest.mark.parametrize(
    ("listed", "sentence"),
    [
        ("{}", "cannot be read: TypeError"),
        ("no list", "cannot be read: JSONDecodeError"),
        ('[{"file": "full.json", "case": "full"}]', "cannot be read: KeyError"),
        (
            '[{"file": "full.json", "capability": "search", "case": "blocked", "raises": "Storm"}]',
            "'Storm', which is no",
        ),
    ],
)
def test_a_bad_list_of_samples_is_one_sentence(tmp_path: Path, listed: str, sentence: str):
    folder = make_plugin("spoilt", into=tmp_path)
    (folder / "tests" / "answers" / "manifest.json").write_text(listed)

    class Judged(PluginConformance):
        plugin = plugin_in(folder)
        answers = folder / "tests" / "answers"

    with pytest.raises(pytest.fail.Exception, match=sentence):
        Judged().test_a_block_is_blocked()
