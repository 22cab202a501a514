"""A refresh token that is good for one renewal only, and many who need it at once."""

import asyncio
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from monitor_site.accounts.models import AuditEntry
from monitor_site.connections import async_redis_client, key
from monitor_site.contract import AccountSettings, NoPace, NotSent
from monitor_site.marketplaces import services, vault
from monitor_site.marketplaces.accounts import Account, Accounts, opened
from monitor_site.marketplaces.catalog import Catalog
from monitor_site.marketplaces.gateway import Gateway
from monitor_site.marketplaces.models import MarketplaceAccount
from monitor_site.marketplaces.renewing import Keeper
from monitor_site.marketplaces.transport import Limits
from plugins.mercari import plugin
from plugins.mercari.partner_account import PartnerAccount
from tests.plugins.mercari.buying import connected
from tests.plugins.standins import Market
from tests.waiting import PATIENCE_SECONDS

pytestmark = pytest.mark.django_db(transaction=True)

MANY = 8


@pytest.fixture
def account(market: Market, redis, settings, alice) -> MarketplaceAccount:
    settings.PRACTICE_MARKETS = {"mercari": market.base}
    market.do("orders", history_lag=0, rotates=True, tells_paid=True, fee_as_text=False)
    market.do("buyer", name="alice", banned=False, address=True, card=True, known=True, sign_out=True, reset=True)
    return connected(alice)


def visit(account: MarketplaceAccount, verb: str, **asked: Any) -> Any:
    """One visit with connections of its own, as another process would make it."""

    async def make() -> Any:
        client = async_redis_client()
        known = Catalog(plugins={"mercari": plugin}, broken={})
        gateway = Gateway(redis=client, catalog=known, limits=Limits(deadline_seconds=PATIENCE_SECONDS))
        try:
            return await getattr(gateway, verb)(marketplace="mercari", account_id=account.pk, **asked)
        finally:
            await gateway.close()
            await client.aclose()

    return asyncio.run(make())


def at_once(count: int, work: Callable[[], Any]) -> list[Any]:
    """What came of each of so many who begin together."""
    gate, found = threading.Barrier(count), list[Any]()

    def run() -> None:
        gate.wait()
        try:
            found.append(work())
        except Exception as error:  # noqa: BLE001  the test judges it
            found.append(error)

    threads = [threading.Thread(target=run) for _ in range(count)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    return found


def test_eight_that_find_the_token_ended_renew_it_once_and_none_of_them_fails(
    account: MarketplaceAccount, market: Market
) -> None:
    thing = str(market.do("list", title="買い物 見本", price=3000, visible_in=0)["id"])
    before = market.do("buyer", name="alice")["renewals"]

    found = at_once(MANY, lambda: visit(account, "find_purchase", external_id=thing))

    assert found == [None] * MANY
    assert market.do("buyer", name="alice")["renewals"] == before + 1
    account.refresh_from_db()
    assert (account.paused_until, account.pause_reason) == (None, "")


def test_eight_tests_of_one_account_leave_a_token_that_still_works(account: MarketplaceAccount, market: Market) -> None:
    found = at_once(MANY, lambda: visit(account, "verify"))

    assert [getattr(one, "label", one) for one in found] == [found[0].label] * MANY
    account.refresh_from_db()
    assert account.paused_until is None
    market.do("buyer", name="alice", sign_out=True)
    assert visit(account, "verify").label == found[0].label


def test_a_renewal_stands_in_the_record_and_tells_when_the_sign_in_ends(account: MarketplaceAccount) -> None:
    visit(account, "verify")

    account.refresh_from_db()
    assert account.signed_in_at is not None
    assert account.signed_in_until is not None
    assert account.signed_in_until > account.signed_in_at
    entry = AuditEntry.objects.get(act="renew_secrets")
    assert (entry.user_id, entry.thing_id, entry.actor) == (account.user_id, str(account.pk), "system")
    assert entry.after == {"secrets": ["access", "refresh_token"]}


def renewed_late(account: MarketplaceAccount, known: AccountSettings) -> bool:
    now = datetime.now(UTC)
    return services.keep_renewed(
        account_id=account.pk, known=known, secrets={"refresh_token": "of-before"}, until=None, now=now
    )


def secrets_of(account: MarketplaceAccount) -> dict[str, str]:
    account.refresh_from_db()
    return vault.unseal(account.sealed, identity=account.identity)


def test_what_is_renewed_of_secrets_that_were_replaced_meanwhile_is_not_kept(
    account: MarketplaceAccount, now: datetime
) -> None:
    known = opened(account, PartnerAccount).settings
    other = {"client_secret": "another", "refresh_token": "of-somebody-else"}
    services.replace_secrets(account=account, secrets=other, now=now)

    assert not renewed_late(account, known)
    assert secrets_of(account) == other
    assert account.signed_in_at is None


def test_an_account_that_is_gone_keeps_nothing(account: MarketplaceAccount, now: datetime) -> None:
    known = opened(account, PartnerAccount).settings
    services.empty_account(account=account, now=now)

    assert not renewed_late(account, known)
    assert secrets_of(account) == {}


def renewing(account: Account, *, seconds: float = PATIENCE_SECONDS) -> AccountSettings:
    """What a visit reads that began with this account."""

    async def renew() -> AccountSettings:
        async with async_redis_client() as client:
            keeper = Keeper(redis=client, accounts=Accounts(), marketplace="mercari", account=account)
            async with keeper.alone(seconds) as settings:
                return settings

    return asyncio.run(renew())


def test_who_waits_too_long_for_another_asks_nothing_and_pauses_nobody(account: MarketplaceAccount, redis) -> None:
    redis.set(key("renewing", "mercari", account.pk), "somebody", px=3_600_000)

    with pytest.raises(NoPace):
        renewing(opened(account, PartnerAccount), seconds=0.1)
    assert redis.get(key("renewing", "mercari", account.pk)) == b"somebody"


def test_one_that_was_killed_keeps_the_others_out_for_a_while_only(account: MarketplaceAccount, redis) -> None:
    redis.set(key("renewing", "mercari", account.pk), "killed", px=200)

    assert isinstance(renewing(opened(account, PartnerAccount)), PartnerAccount)
    assert not redis.exists(key("renewing", "mercari", account.pk))


def test_other_secrets_than_the_visit_began_with_end_it(account: MarketplaceAccount) -> None:
    began = opened(account, PartnerAccount)
    later = account.updated_at + timedelta(seconds=1)
    services.replace_secrets(account=account, secrets={"client_secret": "b", "refresh_token": "c"}, now=later)

    with pytest.raises(NotSent, match="meanwhile"):
        renewing(began)
