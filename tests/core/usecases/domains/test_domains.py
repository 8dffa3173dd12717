"""Hosts of shops are added, checked, listed and removed; no two shops have the same one."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from tests.core.usecases.domains.domain_harness import HOST, KAAS, MOLEN, WWW, DomainHarness

from reviewinvite_core import accepted
from reviewinvite_core.ports import Storage
from reviewinvite_core.testing.builders import a_shop
from reviewinvite_core.values import (
    Action,
    ActivityQuery,
    DomainCheck,
    DomainTaken,
    DomainUnknown,
    ShopUnknown,
    VerificationStatus,
)


@pytest.mark.parametrize(("first", "second"), [(HOST, HOST), (HOST, WWW), (WWW, HOST), (WWW, f"www.{WWW}")])
@pytest.mark.parametrize("vouched", [True, False], ids=["vouched", "proved"])
def test_a_host_of_one_shop_cannot_be_verified_by_another(
    harness: DomainHarness, first: str, second: str, vouched: bool
) -> None:
    if vouched:
        harness.add(MOLEN, first, assume_verified=True)
    else:
        harness.verify(MOLEN, first)
    harness.add_published(KAAS, second)
    assert harness.app.domains.check(KAAS, second) == DomainTaken(second)
    assert harness.app.domains.add(KAAS, second, assume_verified=True) == DomainTaken(second)
    assert harness.standing(KAAS, second) is VerificationStatus.UNPROVED
    assert harness.add(MOLEN, second, assume_verified=True).verified_at, "its own shop may have both"

    for host in {first, second}:
        harness.app.domains.remove(MOLEN, host)
    assert harness.check(KAAS, second).proved


def test_of_many_shops_that_race_for_a_host_one_has_it(concurrent_storage: Storage) -> None:
    harness = DomainHarness(concurrent_storage)
    shops = [f"shop-{number}" for number in range(8)]
    hosts = [HOST, WWW]
    for number, shop in enumerate(shops):
        harness.app.shops.add(a_shop(shop))
        harness.add_published(shop, hosts[number % 2])
    start = threading.Barrier(len(shops))
    harness.proof.meanwhile = lambda: start.wait(60)

    def check(number: int) -> object:
        return harness.app.domains.check(shops[number], hosts[number % 2])

    with ThreadPoolExecutor(len(shops)) as racing:
        ended = list(racing.map(check, range(len(shops))))
    assert sum(isinstance(one, DomainCheck) and one.proved for one in ended) == 1
    assert sum(isinstance(one, DomainTaken) for one in ended) == len(shops) - 1
    harness.app.close()


def test_a_host_that_was_removed_meanwhile_is_not_verified(harness: DomainHarness) -> None:
    harness.add_published(MOLEN)
    harness.proof.meanwhile = lambda: harness.app.domains.remove(MOLEN, HOST)
    assert harness.app.domains.check(MOLEN, HOST) == DomainUnknown(HOST)
    assert harness.domains(MOLEN) == []


def test_the_proof_of_an_earlier_token_does_not_verify_the_next(harness: DomainHarness) -> None:
    harness.add_published(MOLEN)

    def remove_and_add() -> None:
        harness.app.domains.remove(MOLEN, HOST)
        harness.add(MOLEN)

    harness.proof.meanwhile = remove_and_add
    assert harness.app.domains.check(MOLEN, HOST) == DomainUnknown(HOST)
    assert harness.standing(MOLEN) is VerificationStatus.UNPROVED


def test_an_operators_word_meanwhile_stands(harness: DomainHarness) -> None:
    harness.add(MOLEN)
    harness.proof.meanwhile = lambda: harness.add(MOLEN, assume_verified=True)
    checked = harness.check(MOLEN, HOST)
    assert (checked.domain.status, checked.domain.missing_since) == (VerificationStatus.VOUCHED, None)
    assert harness.domains(MOLEN) == [checked.domain]


def test_a_host_is_removed_by_any_form_of_its_name(harness: DomainHarness) -> None:
    verified = harness.verify(MOLEN, "bäckerei.example")
    assert harness.app.domains.remove(MOLEN, "BÄCKEREI.example") == verified
    assert harness.domains(MOLEN) == []
    assert harness.app.domains.remove(MOLEN, "bäckerei.example") == DomainUnknown("xn--bckerei-5wa.example")
    assert harness.add(MOLEN, "bäckerei.example").token != verified.token


def test_what_is_not_there_is_said_to_be_unknown(harness: DomainHarness) -> None:
    harness.add(MOLEN)
    assert harness.app.domains.add("nowhere", HOST) == ShopUnknown("nowhere")
    assert harness.app.domains.list("nowhere") == ShopUnknown("nowhere")
    assert harness.app.domains.check("nowhere", HOST) == ShopUnknown("nowhere")
    assert harness.app.domains.remove("nowhere", HOST) == ShopUnknown("nowhere")
    assert harness.app.domains.check(KAAS, HOST) == DomainUnknown(HOST)
    assert harness.app.domains.remove(KAAS, HOST) == DomainUnknown(HOST)
    assert harness.proof.lookups == []


def test_a_verification_is_in_the_activity_log_once_and_a_removal_too(harness: DomainHarness) -> None:
    harness.verify(MOLEN)
    harness.clock.advance(timedelta(days=2))
    harness.check(MOLEN)
    assert len(harness.app.domain_rechecker.once()) <= 1
    accepted(harness.app.domains.remove(MOLEN, HOST))
    harness.add(MOLEN, assume_verified=True)
    entries = accepted(harness.app.members.list_activity(MOLEN, ActivityQuery())).entries
    assert sorted(each.action for each in entries) == [
        *[Action.DOMAIN_ADDED] * 2,
        Action.DOMAIN_REMOVED,
        *[Action.DOMAIN_VERIFIED] * 2,
    ]
    assert {each.subject for each in entries} == {HOST}
