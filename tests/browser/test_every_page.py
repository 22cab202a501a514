"""Every page, as a browser sees it: usable by everybody, within its window, under the policy, in the reader's words."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone
from playwright.sync_api import Browser, ConsoleMessage

from monitor_site.accounts.models import User
from tests.browser import pseudo, rich, tour
from tests.browser.conftest import patient_context, serving
from tests.browser.looking import Look, untranslated
from tests.web.factor_rows import app_of, passkey_of, recovery_of

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

# Names, data, formats and the words of Django and its libraries, which bring catalogues of their own.
NAMES = """alice bob English Mercari Yahoo Auctions Bark Discord Gotify LINE Slack Telegram ntfy Webhook https http
example com hooks monitor CSV JSON ms Ctrl Enter Redis Phone practice market nothing is paid Jan Feb Mar Apr May Jun
Jul Aug Sep Oct Nov Dec Sunday Monday Tuesday Wednesday Thursday Friday Saturday"""
KNOWN = frozenset(NAMES.split())
# The administration is Django's, as are forms of passwords; the operations page names tasks and lanes as commands do,
# a feed is known by a piece of its secret, and the error pages are made here, with the catalogue that is shipped.
OTHERS_WORDS = ("admin", "account_change_password", "account_set_password", "operations", "error ", "feeds")
# What a plugin says of its marketplace is in the plugin, in each language.
PLUGINS_WORDS = "The site is closed to the EEA"


@pytest.fixture
def full(redis: object) -> User:
    """A person with a full life here, who is staff too."""
    user = User.objects.create_superuser("alice", "alice@example.com", "alices-password", time_zone="America/New_York")
    rich.live(user, now=timezone.now())
    for set_up in (app_of, recovery_of, passkey_of):
        set_up(user)
    return user


@pytest.fixture
def new(redis: object) -> User:
    """Somebody who came in for the first time."""
    return User.objects.create_user("bob", "bob@example.com", "bobs-password")


@pytest.fixture
def invited(redis: object) -> User:
    """Somebody who has no password yet."""
    return User.objects.create_user("carol", "carol@example.com")


def signed_in(user: User | None, site: str) -> list[dict[str, str]]:
    """The cookie of somebody who has just proven who they are."""
    if user is None:
        return []
    client = Client()
    client.force_login(user)
    return [{"name": "sessionid", "value": client.cookies["sessionid"].value, "url": site}]


@dataclass
class Tour:
    """The way through all pages of a site, as each of its people."""

    chromium: Browser
    people: dict[str, User]
    wrong: list[str] = field(default_factory=list)
    texts: dict[str, list[str]] = field(default_factory=dict)

    def go(self, site: str, language: str, *, judges: bool) -> list[str]:
        """Look at every page; what is wrong, the refusals of the policy among it."""
        full, new = self.people["full"], self.people["new"]
        with self._looking(site, language, full, judges=judges) as look:
            self._walk(look, site, tour.of(full))
        with self._looking(site, language, new, judges=judges) as look:
            self._walk(look, site, tour.of_new())
        with self._looking(site, language, self.people["invited"], judges=judges) as look:
            self._walk(look, site, {"account_set_password": "/accounts/password/set/"})
        with self._looking(site, language, None, judges=judges) as look:
            self._walk(look, site, tour.of_nobody())
            self._fail(look, tour.error_pages(language))
        return self.wrong

    @contextmanager
    def _looking(self, site: str, language: str, user: User | None, *, judges: bool) -> Iterator[Look]:
        context = patient_context(self.chromium, locale=language, reduced_motion="reduce")
        context.add_cookies(signed_in(user, site))
        page = context.new_page()
        page.on("console", lambda line: self._hear(page.url, line))
        page.on("pageerror", lambda error: self.wrong.append(f"{page.url}: {error}"))
        yield Look(page, judges=judges, wrong=self.wrong, texts=self.texts)
        context.close()

    def _hear(self, address: str, line: ConsoleMessage) -> None:
        self.wrong += [f"{address} says {line.text}"] if line.type == "error" else []

    def _walk(self, look: Look, site: str, addresses: dict[str, str]) -> None:
        for name, address in addresses.items():
            answer = look.page.goto(site + address)
            landed = look.page.url.removeprefix(site).split("?next=")[0]
            if answer is None or (landed, answer.status) not in {(address, 200), (tour.DOORS.get(name), 200)}:
                self.wrong.append(f"{name}: {address} led to {landed} with {answer and answer.status}")
            look.at(name)

    def _fail(self, look: Look, pages: dict[str, str]) -> None:
        """The pages that say what went wrong, under the policy of the page before."""
        for name, html in pages.items():
            look.page.set_content(html)
            look.at(name)


@pytest.fixture
def toured(chromium: Browser, full: User, new: User, invited: User) -> Tour:
    """Whoever goes through all pages."""
    return Tour(chromium, {"full": full, "new": new, "invited": invited})


def test_the_tour_leaves_no_address_out(full: User) -> None:
    beside = [tour.NO_PAGES, tour.OF_NOBODY, tour.ONLY_NEW, tour.WITHOUT_PASSWORD]
    assert set(tour.of(full)) | set().union(*beside) >= set(tour.ROUTES) >= set().union(*beside)


@pytest.mark.parametrize("language", ["zh-CN", "en"])
def test_every_page_is_accessible_and_fits_in_both_themes(site: str, toured: Tour, language: str) -> None:
    assert toured.go(site, language, judges=True) == []


def test_every_page_fits_in_japanese(site: str, toured: Tour) -> None:
    assert toured.go(site, "ja", judges=False) == []


def test_every_page_fits_with_longer_words_and_none_of_them_is_untranslated(
    toured: Tour, static_root: Path, tmp_path: Path
) -> None:
    shipped = Path(settings.LOCALE_PATHS[0]) / "zh_Hans" / "LC_MESSAGES" / "django.mo"
    more = {"DJANGO_SETTINGS_MODULE": "tests.browser.pseudo_settings"}
    more["PSEUDO_LOCALE"] = str(pseudo.write(shipped, tmp_path))
    with serving(static_root, **more) as site:
        assert toured.go(site, "en", judges=False) == []
    ours = {name: said for name, said in toured.texts.items() if not name.startswith(OTHERS_WORDS)}
    assert [one for one in untranslated(ours, known=KNOWN) if PLUGINS_WORDS not in one] == []
