"""What can be set, and what can go wrong, is written down."""

import re

import pytest

from monitor_site.contract import errors
from tests.house.source import ROOT

SETTINGS = (ROOT / "monitor_site" / "settings.py").read_text("utf-8")
READS = re.compile(r"""\benv(?:_bool|_int|_list)?\(\s*"([A-Z_]+)\"""")
NAMES = sorted(set(READS.findall(SETTINGS)))
DOCS = ROOT / "docs"


def codes() -> list[str]:
    """All words by which pages, logs and metrics name an error."""
    classes = [thing for thing in vars(errors).values() if isinstance(thing, type)]
    return sorted({one.code for one in classes if issubclass(one, errors.MarketplaceError)})


def test_there_are_settings_to_document():
    assert {"DATA_DIR", "REDIS_URL", "DATABASE_URL"} <= set(NAMES)


@pytest.mark.parametrize("name", NAMES)
def test_each_setting_is_documented(name):
    assert f"| `{name}` |" in (DOCS / "settings.md").read_text("utf-8")


def test_no_setting_is_documented_that_does_not_exist():
    documented = set(re.findall(r"^\| `([A-Z_]+)` \|", (DOCS / "settings.md").read_text("utf-8"), re.MULTILINE))
    assert documented == set(NAMES)


@pytest.mark.parametrize("code", codes())
def test_each_error_code_is_documented(code):
    assert f"| `{code}` |" in (DOCS / "errors.md").read_text("utf-8")


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", *(p.name for p in DOCS.glob("*.md"))])
def test_links_between_pages_lead_somewhere(page):
    path = ROOT / page if (ROOT / page).exists() else DOCS / page
    links = re.findall(r"\]\((?!https?://|#)([^)#]+)", path.read_text("utf-8"))
    assert not [link for link in links if not (path.parent / link).exists()]


def test_make_commands_in_the_readme_exist():
    goals = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))
    named = set(re.findall(r"\bmake ([a-z-]+)", (ROOT / "README.md").read_text("utf-8")))
    assert named <= goals
