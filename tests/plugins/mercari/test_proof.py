"""Proofs: every part has its full width, and the practice market judges them as the real one might."""

import base64
import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest

from plugins.mercari.practice.proofs import BadProof, check
from plugins.mercari.proof import Prover, fresh_key, public_part

NOW = datetime(2026, 9, 21, 15, 0, tzinfo=UTC)
URL = "https://api.mercari.jp/v2/entities:search"


def counter() -> Callable[[], str]:
    numbers = count()
    return lambda: f"id-{next(numbers)}"


def decode(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def judge(proof: str, *, method: str = "POST", urls: tuple[str, ...] = (URL,)) -> str:
    return check(proof, method=method, urls=urls, wall=NOW.timestamp())


def test_the_claims_name_method_address_second_and_a_new_id_each_time():
    prover = Prover(random=counter())
    claims = [json.loads(decode(prover.proof(method="POST", url=URL, now=NOW).split(".")[1])) for _ in range(2)]
    first = {"iat": 1790002800, "jti": "id-1", "htu": URL, "htm": "POST", "uuid": "id-0"}
    assert claims == [first, {**first, "jti": "id-2"}]


def test_the_header_carries_the_public_key_and_nothing_secret():
    header = json.loads(decode(Prover().proof(method="POST", url=URL, now=NOW).split(".")[0]))
    assert (header["typ"], header["alg"]) == ("dpop+jwt", "ES256")
    assert set(header["jwk"]) == {"crv", "kty", "x", "y"}


def test_hundreds_of_signatures_are_all_64_bytes():
    prover = Prover()
    lengths = {len(decode(prover.proof(method="POST", url=URL, now=NOW).split(".")[2])) for _ in range(600)}
    assert lengths == {64}


def test_hundreds_of_keys_have_32_byte_coordinates():
    parts = [public_part(fresh_key()) for _ in range(600)]
    assert {len(decode(part[axis])) for part in parts for axis in ("x", "y")} == {32}
    assert not any("=" in part["x"] + part["y"] for part in parts)


def test_hundreds_of_proofs_are_accepted():
    for _ in range(200):
        judge(Prover().proof(method="POST", url=URL, now=NOW))


def test_an_address_with_and_without_its_query_is_accepted():
    long = f"{URL}?a=1"
    for url in (URL, long):
        judge(Prover().proof(method="GET", url=url, now=NOW), method="GET", urls=(URL, long))


@pytest.mark.parametrize("minutes", [-4.9, 4.9])
def test_a_clock_nearly_five_minutes_off_is_accepted(minutes: float):
    judge(Prover().proof(method="POST", url=URL, now=NOW + timedelta(minutes=minutes)))


@pytest.mark.parametrize("minutes", [-10, 10])
def test_a_clock_ten_minutes_off_is_refused(minutes: int):
    with pytest.raises(BadProof, match="iat"):
        judge(Prover().proof(method="POST", url=URL, now=NOW + timedelta(minutes=minutes)))


def test_another_method_is_refused():
    with pytest.raises(BadProof, match="htm"):
        judge(Prover().proof(method="GET", url=URL, now=NOW))


def test_another_address_is_refused():
    with pytest.raises(BadProof, match="htu"):
        judge(Prover().proof(method="POST", url=URL + "x", now=NOW))


def test_a_signature_a_byte_short_is_refused():
    head, body, signature = Prover().proof(method="POST", url=URL, now=NOW).split(".")
    short = base64.urlsafe_b64encode(decode(signature)[1:]).rstrip(b"=").decode()
    with pytest.raises(BadProof, match="63 bytes"):
        judge(f"{head}.{body}.{short}")


def test_another_signature_is_refused():
    head, body, _ = Prover().proof(method="POST", url=URL, now=NOW).split(".")
    other = Prover().proof(method="POST", url=URL, now=NOW).split(".")[2]
    with pytest.raises(BadProof, match="does not fit"):
        judge(f"{head}.{body}.{other}")


@pytest.mark.parametrize("proof", ["", "a.b.c", "e30.e30.e30", "é.é.é", "bnVsbA.bnVsbA.", "." * 9])
def test_anything_else_is_refused_and_nothing_else_happens(proof: str):
    with pytest.raises(BadProof):
        judge(proof)
