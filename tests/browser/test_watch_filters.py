"""The filters of the watch list on a narrow screen."""

from datetime import UTC, datetime

import pytest

from monitor_site.accounts.models import User
from tests.browser.conftest import Open
from tests.web.watch_rows import make_target, make_watch

pytestmark = pytest.mark.browser

HIT = """(item) => { const box = item.getBoundingClientRect();
  return document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2) === item
    && box.left >= 0 && box.right <= document.documentElement.clientWidth; }"""


@pytest.mark.parametrize("width", [320, 390, 1280])
@pytest.mark.parametrize("script", [True, False])
def test_a_marketplace_can_be_chosen_at_any_width_with_and_without_script(
    open_page: Open, alice: User, width: int, script: bool
) -> None:
    now = datetime.now(UTC)
    watch = make_watch(alice, now, marketplaces=["mercari", "yahoo_auctions"])
    make_target(watch, now)
    make_target(watch, now, marketplace="yahoo_auctions")
    page = open_page("/watches/", width=width, script=script)
    page.locator("summary.chip").click()
    items = page.locator(".filters .menu__item")
    assert items.count() == 3
    assert all(item.evaluate(HIT) for item in items.all())
    items.nth(1).click()
    page.wait_for_url("**/watches/?market=mercari")
