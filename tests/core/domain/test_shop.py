"""Shops, and what may be changed of them."""

from __future__ import annotations

from typing import Any

import attrs
import pytest

from reviewinvite_core.domain.errors import Invalid, Problem
from reviewinvite_core.domain.language import Language, to_language
from reviewinvite_core.domain.shop import NewShop, ShopChanges
from reviewinvite_core.domain.timing import DEFAULT_DELAY, Delay
from reviewinvite_core.domain.trust_mark import TrustMark
from reviewinvite_core.testing.builders import a_shop


def test_a_new_shop_is_dutch_waits_five_days_and_becomes_active() -> None:
    shop = NewShop(site_id="bakkerij-1", name=" Bakkerij ").numbered(7)
    assert (shop.number, shop.name, shop.language, shop.delay_days, shop.active) == (
        7,
        "Bakkerij",
        Language.NL,
        DEFAULT_DELAY,
        True,
    )
    assert Delay.from_days(5) == DEFAULT_DELAY


@pytest.mark.parametrize(
    ("fields", "field", "problem"),
    [
        ({"site_id": ""}, "site_id", Problem.EMPTY),
        ({"site_id": "a b"}, "site_id", Problem.FORBIDDEN_CHARACTERS),
        ({"name": ""}, "name", Problem.EMPTY),
        ({"name": "a\r\nBcc: b"}, "name", Problem.FORBIDDEN_CHARACTERS),
        ({"name": "x" * 301}, "name", Problem.TOO_LONG),
        ({"language": "fr"}, "language", Problem.UNKNOWN_LANGUAGE),
        ({"delay_days": -1}, "delay_days", Problem.OUT_OF_RANGE),
        ({"frequency_days": -1}, "frequencyDays", Problem.OUT_OF_RANGE),
        ({"frequency_days": 366}, "frequencyDays", Problem.OUT_OF_RANGE),
        ({"frequency_days": 2.5}, "frequencyDays", Problem.WRONG_TYPE),
        ({"frequency_days": True}, "frequencyDays", Problem.WRONG_TYPE),
        ({"reply_to": "nobody"}, "reply_to", Problem.INVALID_ADDRESS),
        ({"reply_to": "a@example.com, b@example.com"}, "reply_to", Problem.INVALID_ADDRESS),
        ({"reply_to": "Shop <a@example.com>"}, "reply_to", Problem.INVALID_ADDRESS),
        ({"reply_to": "a@example.com\r\nBcc: b@example.com"}, "reply_to", Problem.INVALID_ADDRESS),
    ],
)
def test_a_shop_that_cannot_be_is_refused_by_its_field(fields: dict[str, Any], field: str, problem: Problem) -> None:
    with pytest.raises(Invalid) as caught:
        NewShop(**{"site_id": "a", "name": "A", **fields})
    assert caught.value == Invalid(problem, field)


def test_what_is_not_to_change_stays() -> None:
    shop = a_shop(name="Old", language="en", delay_days=3).numbered(1)
    assert ShopChanges().applied_to(shop) == shop
    assert ShopChanges(active=False).applied_to(shop).active is False
    assert ShopChanges(delay_days=0).applied_to(shop).delay_days == Delay(0)
    assert ShopChanges(frequency_days=365).applied_to(shop).frequency_days == 365
    changed = ShopChanges(name="New", language="nl").applied_to(shop)
    assert (changed.name, changed.language, changed.delay_days, changed.active) == (
        "New",
        Language.NL,
        shop.delay_days,
        True,
    )


def test_an_address_for_replies_is_kept_as_mail_servers_take_it() -> None:
    shop = a_shop(reply_to=" Vragen@Bücher.Example.com ").numbered(1)
    assert shop.reply_to == "Vragen@xn--bcher-kva.example.com"
    assert a_shop().numbered(1).reply_to is None
    assert a_shop(reply_to=" ").numbered(1).reply_to is None


def test_an_empty_address_for_replies_takes_it_away_and_none_leaves_it() -> None:
    shop = a_shop(reply_to="vragen@example.com").numbered(1)
    assert ShopChanges(name="New").applied_to(shop).reply_to == "vragen@example.com"
    assert ShopChanges(reply_to="other@example.com").applied_to(shop).reply_to == "other@example.com"
    assert ShopChanges(reply_to="").applied_to(shop).reply_to is None


@pytest.mark.parametrize("value", [5, None, b"nl", True])
def test_only_a_text_is_a_language(value: Any) -> None:
    with pytest.raises(Invalid) as caught:
        to_language(value)
    assert caught.value == Invalid(Problem.WRONG_TYPE, "language")


@pytest.mark.parametrize(
    ("name", "may"),
    [
        ("De Molen B.V.", True),
        ("Molen.example", True),
        ("De Molen (www.molen.example)", True),
        ("Bücher.example", True),
        ("shop.molen.example", False),
        ("Molen.example en paypal.com", False),
        ("paypal.com", False),
        ("1.1.1.1", False),
    ],
)
def test_members_give_a_shop_no_name_that_reads_as_a_host_of_others(name: str, may: bool) -> None:
    shop = a_shop().numbered(1)
    assert shop.may_be_called(name, ["molen.example", "xn--bcher-kva.example"]) is may
    assert not attrs.evolve(shop, trust_mark=TrustMark.GRANTED).may_be_called(name, ["molen.example"])
