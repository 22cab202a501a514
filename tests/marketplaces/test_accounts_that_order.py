"""Accounts that only order: nobody connects one to read with, and what a plugin keeps for itself stands in no form."""

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse

from monitor_site.contract import option
from monitor_site.marketplaces import admin as room
from monitor_site.marketplaces.catalog import Catalog
from monitor_site.marketplaces.forms import account_form
from monitor_site.marketplaces.models import MarketplaceAccount

from .keys import Keys
from .shop import shop


@dataclass(frozen=True, slots=True, kw_only=True)
class Renewing(Keys):
    """Keys with a token that the plugin renews."""

    access: str = option(label="Access", secret=True, default="", shown=False)


def test_what_is_not_shown_stands_in_no_form_and_is_not_typed_over() -> None:
    typed = {"label": "ours", "option_partner": "p", "option_token": "t", "option_second": "", "option_area": "east"}
    form = account_form(Renewing, account=None)(typed | {"option_access": "forged"})

    assert form.is_valid()
    assert "option_access" not in form.fields
    values, secrets = form.given(Renewing)
    assert (values, secrets) == ({"partner": "p", "area": "east"}, {"token": "t"})


@pytest.mark.django_db
def test_the_installation_connects_no_account_where_reading_needs_none(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf = Catalog(plugins=MappingProxyType({"bazaar": shop(reads_signed_in=False)}), broken=MappingProxyType({}))
    monkeypatch.setattr(room, "catalog", lambda: shelf)
    people: Any = get_user_model().objects
    client.force_login(people.create_superuser("carol", "carol@example.com", "carols-password"))
    add = reverse("admin:marketplaces_marketplaceaccount_add")

    answer = client.post(f"{add}?marketplace=bazaar", {"label": "ours", "option_partner": "p", "option_token": "t"})

    assert (answer.status_code, MarketplaceAccount.objects.count()) == (302, 0)
    assert f"{add}?marketplace=bazaar" not in client.get(answer["Location"]).content.decode()
