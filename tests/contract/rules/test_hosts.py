"""Which addresses are a marketplace's own."""

import pytest

from monitor_site.contract.rules import host_matches
from monitor_site.contract.rules.hosts import origin_of


@pytest.mark.parametrize(
    ("host", "matches"),
    [
        ("a.example", True),
        ("A.EXAMPLE", True),
        ("x.b.example", True),
        ("x.y.b.example", True),
        ("b.example", False),
        ("xb.example", False),
        ("x.a.example", False),
        ("a.example.", False),
        ("", False),
    ],
)
def test_a_leading_dot_means_any_sub_domain_and_nothing_else(host: str, matches: bool) -> None:
    assert host_matches(host, ("a.example", ".b.example")) is matches


@pytest.mark.parametrize(
    ("url", "origin"),
    [
        ("https://a.example/x", ("https", "a.example", 443)),
        ("HTTPS://A.example", ("https", "a.example", 443)),
        ("http://127.0.0.1:9000/x", ("http", "127.0.0.1", 9000)),
        ("http://[::1]:9000", ("http", "::1", 9000)),
        ("https://user@a.example/", None),
        ("https://b.example\\@a.example/", None),
        ("https://ａ.example/", None),
        ("https://a.example:/", None),
        ("https://[::1", None),
        ("https://", None),
        ("ftp://a.example", None),
        (" https://a.example", None),
    ],
)
def test_an_address_has_one_origin_or_none_that_anybody_could_read_otherwise(
    url: str, origin: tuple[str, str, int] | None
) -> None:
    assert origin_of(url) == origin
