"""Signatures of a shop's server: over exactly what was sent, and keyed with the text of the secret. Spec: §4.2."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st
from tests.snippet_signature import signed_with

from reviewinvite_core import SnippetReport
from reviewinvite_core.domain.errors import Invalid, Problem
from reviewinvite_core.domain.snippets import new_secret
from reviewinvite_core.testing.builders import CountingEntropy
from reviewinvite_core.values import SnippetMode, SnippetSignature
from reviewinvite_core.wire.json_converter import structure_body

SECRET = new_secret(CountingEntropy(1).draw(32))
VECTOR = SnippetSignature(
    # printf 'v1\nbakkerij-1\nanna@bücher.example\n' | openssl dgst -sha256 -hmac rvs_secret
    value="3cb6c927dbfc5ab462e44a6929e0707b3ca2c07b11dcafaac3df6c04e78453f1",
    site_id="bakkerij-1",
    email="anna@bücher.example",
)
texts = st.text().filter(lambda text: not {"\r", "\n"} & set(text) and text.isprintable())


def test_a_known_signature_is_right_in_either_case_and_only_with_its_secret() -> None:
    assert VECTOR.is_keyed_with("rvs_secret")
    assert SnippetSignature(value=VECTOR.value.upper(), site_id="bakkerij-1", email=VECTOR.email).is_keyed_with(
        "rvs_secret"
    )
    assert not VECTOR.is_keyed_with("rvs_Secret")


@given(email=texts, number=texts)
def test_a_signature_is_right_for_what_it_is_over_and_for_nothing_else(email: str, number: str) -> None:
    value = signed_with(SECRET, "bakkerij-1", email, number)

    def is_right(site_id: str, email: str, number: str) -> bool:
        signature = SnippetSignature(value=value, site_id=site_id, email=email, order_number=number)
        return signature.is_keyed_with(SECRET)

    assert is_right("bakkerij-1", email, number)
    others = [("bakkerij-2", email, number), ("bakkerij-1", email + " ", number), ("bakkerij-1", email, f" {number}")]
    assert not any(is_right(*each) for each in others)


@pytest.mark.parametrize("ending", ["\n", "\r", "\r\n"])
@pytest.mark.parametrize("place", [0, 1, 2])
def test_a_line_break_makes_a_signature_wrong(place: int, ending: str) -> None:
    """Otherwise an address with a line break could stand for an address and an order number."""
    sent = ["bakkerij-1", "anna@example.com", "1001"]
    sent[place] += ending
    signature = SnippetSignature(value=signed_with(SECRET, *sent), site_id=sent[0], email=sent[1], order_number=sent[2])
    assert not signature.is_keyed_with(SECRET)


@pytest.mark.parametrize("value", ["x", "é" * 64, "\ud800", "0" * 64, " " + "0" * 64, "0" * 100_000])
def test_what_is_no_signature_is_wrong(value: str) -> None:
    assert not SnippetSignature(value=value, site_id="bakkerij-1", email="\ud800").is_keyed_with(SECRET)


def test_each_secret_is_another_and_survives_any_shell_and_template() -> None:
    secrets = {new_secret(CountingEntropy(seed).draw(32)) for seed in range(9)}
    assert len(secrets) == 9
    assert all(each.startswith("rvs_") and each.replace("_", "").isalnum() and len(each) == 68 for each in secrets)


@pytest.mark.parametrize(("one", "other", "stricter"), [("open", "signed", "signed"), ("off", "signed", "off")])
def test_the_stricter_of_two_modes_takes_fewer_orders(one: str, other: str, stricter: str) -> None:
    assert (
        SnippetMode(one).stricter_of(SnippetMode(other)) == SnippetMode(other).stricter_of(SnippetMode(one)) == stricter
    )


def decoded(body: str) -> SnippetReport | Invalid:
    return structure_body(body.encode(), SnippetReport)


def test_a_signature_is_over_the_strings_as_they_were_sent() -> None:
    report = decoded('{"siteId": "b", "email": " Anna@BÜCHER.nl ", "orderNumber": "\\n1 ", "signature": "AB"}')
    assert isinstance(report, SnippetReport)
    assert report.signature == SnippetSignature(value="AB", site_id="b", email=" Anna@BÜCHER.nl ", order_number="\n1 ")
    assert (report.order.email.text, report.order.order_number) == ("Anna@xn--bcher-kva.nl", "1")


@pytest.mark.parametrize(
    "body", ['{"siteId": "b", "email": "a@b.nl"}', '{"siteId": "b", "email": "a@b.nl", "signature": ""}']
)
def test_no_signature_and_an_empty_one_are_none(body: str) -> None:
    report = decoded(body)
    assert isinstance(report, SnippetReport)
    assert report.signature is None


@pytest.mark.parametrize("value", ["null", "1", '["a"]', "true"])
def test_a_signature_is_a_string(value: str) -> None:
    refused = decoded(f'{{"siteId": "b", "email": "anna", "signature": {value}}}')
    assert isinstance(refused, Invalid)
    assert {(each.problem, each.field) for each in refused.errors} == {
        (Problem.INVALID_ADDRESS, "email"),
        (Problem.WRONG_TYPE, "signature"),
    }
