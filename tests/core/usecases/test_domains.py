"""Hosts of shops are added, checked, listed and removed; no two shops have the same one."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from tests.core.usecases.published import ABSENT, Published

from reviewinvite_core import (
    Application,
    Domain,
    DomainCheck,
    DomainTaken,
    DomainUnknown,
    Invalid,
    Problem,
    ProofWay,
    Settings,
    ShopUnknown,
    Standing,
    build,
)
from reviewinvite_core.ports import Storage
from reviewinvite_core.testing.builders import CountingEntropy, ManualClock, a_shop

MOLEN, KAAS = "molen", "kaas"
HOST = "shop.example.nl"
WWW = f"www.{HOST}"


class Market:
    """The shops `molen` and `kaas`, whose proofs are published in a world of ours."""

    def __init__(self, storage: Storage) -> None:
        self.clock = ManualClock()
        self.world = Published()
        self.app: Application = build(
            Settings(database_url="memory:", secret="a secret for tests, long enough", mail_url="recording:"),
            storage=storage,
            clock=self.clock,
            entropy=CountingEntropy(),
            domain_proof=self.world,
        )
        for shop in (MOLEN, KAAS):
            self.app.add_shop(a_shop(shop))

    def add(self, shop: str, host: str = HOST, *, assume_verified: bool = False) -> Domain:
        added = self.app.add_domain(shop, host, assume_verified)
        assert isinstance(added, Domain), added
        return added

    def add_published(self, shop: str, host: str = HOST) -> Domain:
        added = self.add(shop, host)
        self.world.publish(added)
        return added

    def verify(self, shop: str, host: str = HOST) -> Domain:
        self.add_published(shop, host)
        checked = self.app.check_domain(shop, host)
        assert isinstance(checked, DomainCheck), checked
        return checked.domain

    def standing(self, shop: str, host: str = HOST) -> Standing | None:
        return {each.host.text: each.standing for each in self.app.list_domains(shop)}.get(host)


@pytest.fixture
def market(each_storage: Storage) -> Iterator[Market]:
    """On every storage."""
    made = Market(each_storage)
    yield made
    made.app.close()


def test_a_host_is_added_with_a_token_of_its_own(market: Market) -> None:
    first, second, foreign = market.add(MOLEN), market.add(MOLEN, "other.nl"), market.add(KAAS)
    assert (first.standing, first.host.text, first.added_at) == (Standing.UNPROVED, HOST, market.clock.now())
    assert len({first.token, second.token, foreign.token}) == 3
    assert market.world.looks == []
    assert market.app.list_domains(MOLEN) == [second, first]


def test_adding_it_again_gives_the_same_in_whatever_form(market: Market) -> None:
    first = market.add(MOLEN, "bäckerei.example")
    market.clock.advance(timedelta(days=1))
    assert market.add(MOLEN, " XN--Bckerei-5wa.EXAMPLE ") == first
    assert market.app.list_domains(MOLEN) == [first]


def test_a_proof_that_is_published_verifies_the_host(market: Market) -> None:
    market.add_published(MOLEN)
    market.clock.advance(timedelta(hours=1))
    checked = market.app.check_domain(MOLEN, HOST)
    assert (checked.proved, checked.look.found) == (True, ProofWay.DNS)
    assert checked.domain.verified_at == market.clock.now()
    assert market.app.list_domains(MOLEN) == [checked.domain]


def test_without_a_proof_it_stays_unproved_and_the_check_tells_why(market: Market) -> None:
    market.add(MOLEN)
    checked = market.app.check_domain(MOLEN, HOST)
    assert (checked.proved, checked.look) == (False, ABSENT)
    assert market.app.list_domains(MOLEN) == [checked.domain]
    assert (checked.domain.standing, checked.domain.reason) == (Standing.UNPROVED, ABSENT.reason)


def test_the_proof_of_another_shop_proves_nothing(market: Market) -> None:
    market.add_published(KAAS)
    market.add(MOLEN)
    assert not market.app.check_domain(MOLEN, HOST).proved


def test_a_proof_that_is_missing_at_a_check_ends_no_verification(market: Market) -> None:
    verified = market.verify(MOLEN)
    market.world.withdraw(verified)
    for _ in range(3):
        market.clock.advance(timedelta(days=10))
        checked = market.app.check_domain(MOLEN, HOST)
        assert (checked.proved, checked.domain.standing) == (False, Standing.MISSING)
    market.world.publish(verified)
    assert market.app.check_domain(MOLEN, HOST).domain.standing is Standing.VERIFIED


def test_an_operator_vouches_and_nothing_is_looked_for(market: Market) -> None:
    first = market.add(MOLEN)
    vouched = market.add(MOLEN, assume_verified=True)
    assert (vouched.standing, vouched.token) == (Standing.VOUCHED, first.token)
    checked = market.app.check_domain(MOLEN, HOST)
    assert (checked.proved, checked.look, checked.domain) == (True, None, vouched)
    assert market.add(MOLEN) == market.add(MOLEN, assume_verified=True) == vouched
    assert market.world.looks == []


@pytest.mark.parametrize(("first", "second"), [(HOST, HOST), (HOST, WWW), (WWW, HOST), (WWW, f"www.{WWW}")])
@pytest.mark.parametrize("vouched", [True, False], ids=["vouched", "proved"])
def test_a_host_of_one_shop_cannot_be_verified_by_another(
    market: Market, first: str, second: str, vouched: bool
) -> None:
    if vouched:
        market.add(MOLEN, first, assume_verified=True)
    else:
        market.verify(MOLEN, first)
    market.add_published(KAAS, second)
    assert market.app.check_domain(KAAS, second) == DomainTaken(second)
    assert market.app.add_domain(KAAS, second, assume_verified=True) == DomainTaken(second)
    assert market.standing(KAAS, second) is Standing.UNPROVED
    assert market.add(MOLEN, second, assume_verified=True).verified_at, "its own shop may have both"

    for host in {first, second}:
        market.app.remove_domain(MOLEN, host)
    assert market.app.check_domain(KAAS, second).proved


def test_vouching_for_a_host_that_another_shop_has_adds_nothing(market: Market) -> None:
    market.verify(MOLEN)
    assert market.app.add_domain(KAAS, HOST, assume_verified=True) == DomainTaken(HOST)
    assert market.app.list_domains(KAAS) == []


def test_of_many_shops_that_race_for_a_host_one_has_it(each_storage: Storage) -> None:
    market = Market(each_storage)
    shops = [f"shop-{number}" for number in range(8)]
    hosts = [HOST, WWW]
    for number, shop in enumerate(shops):
        market.app.add_shop(a_shop(shop))
        market.add_published(shop, hosts[number % 2])
    start = threading.Barrier(len(shops))
    market.world.meanwhile = lambda: start.wait(60)

    def check(number: int) -> object:
        return market.app.check_domain(shops[number], hosts[number % 2])

    with ThreadPoolExecutor(len(shops)) as racing:
        ended = list(racing.map(check, range(len(shops))))
    assert sum(isinstance(one, DomainCheck) and one.proved for one in ended) == 1
    assert sum(isinstance(one, DomainTaken) for one in ended) == len(shops) - 1
    market.app.close()


def test_a_host_that_was_removed_meanwhile_is_not_verified(market: Market) -> None:
    market.add_published(MOLEN)
    market.world.meanwhile = lambda: market.app.remove_domain(MOLEN, HOST)
    assert market.app.check_domain(MOLEN, HOST) == DomainUnknown(HOST)
    assert market.app.list_domains(MOLEN) == []


def test_the_proof_of_an_earlier_token_does_not_verify_the_next(market: Market) -> None:
    market.add_published(MOLEN)

    def begin_anew() -> None:
        market.app.remove_domain(MOLEN, HOST)
        market.add(MOLEN)

    market.world.meanwhile = begin_anew
    assert market.app.check_domain(MOLEN, HOST) == DomainUnknown(HOST)
    assert market.standing(MOLEN) is Standing.UNPROVED


def test_an_operators_word_meanwhile_stands(market: Market) -> None:
    market.add(MOLEN)
    market.world.meanwhile = lambda: market.add(MOLEN, assume_verified=True)
    checked = market.app.check_domain(MOLEN, HOST)
    assert (checked.domain.standing, checked.domain.missing_since) == (Standing.VOUCHED, None)
    assert market.app.list_domains(MOLEN) == [checked.domain]


def test_a_host_is_removed_by_any_form_of_its_name(market: Market) -> None:
    verified = market.verify(MOLEN, "bäckerei.example")
    assert market.app.remove_domain(MOLEN, "BÄCKEREI.example") == verified
    assert market.app.list_domains(MOLEN) == []
    assert market.app.remove_domain(MOLEN, "bäckerei.example") == DomainUnknown("xn--bckerei-5wa.example")
    assert market.add(MOLEN, "bäckerei.example").token != verified.token


def test_what_is_not_there_is_said_to_be_unknown(market: Market) -> None:
    market.add(MOLEN)
    assert market.app.add_domain("nowhere", HOST) == ShopUnknown("nowhere")
    assert market.app.list_domains("nowhere") == ShopUnknown("nowhere")
    assert market.app.check_domain("nowhere", HOST) == ShopUnknown("nowhere")
    assert market.app.remove_domain("nowhere", HOST) == ShopUnknown("nowhere")
    assert market.app.check_domain(KAAS, HOST) == DomainUnknown(HOST)
    assert market.app.remove_domain(KAAS, HOST) == DomainUnknown(HOST)
    assert market.world.looks == []


@pytest.mark.parametrize(
    ("host", "problem"),
    [
        *(
            (host, Problem.PUBLIC_SUFFIX)
            for host in ("co.uk", "CO.UK", "myshopify.com", "github.io", "公司.cn", "foo.ck")
        ),
        *((host, Problem.NOT_A_HOST) for host in ("127.0.0.1", "nl", "https://shop.nl", "shop.nl:443", "shop.nl.")),
    ],
)
def test_a_host_that_nobody_can_own_is_refused(market: Market, host: str, problem: Problem) -> None:
    for assume_verified in (False, True):
        with pytest.raises(Invalid) as refused:
            market.app.add_domain(MOLEN, host, assume_verified)
        assert (refused.value.problem, refused.value.field) == (problem, "host")
    assert market.app.list_domains(MOLEN) == []


@pytest.mark.parametrize("host", ["shop.co.uk", "molen.myshopify.com", "me.github.io", "www.ck", "a.b.foo.ck"])
def test_a_host_under_a_public_suffix_can_be_owned(market: Market, host: str) -> None:
    assert market.add(MOLEN, host).host.text == host
