"""Shops, and what may be changed of them."""

from __future__ import annotations

import pytest

from reviewinvite_core.domain.errors import Invalid, Problem
from reviewinvite_core.domain.language import Language, to_language
from reviewinvite_core.domain.shop import NewShop, ShopChanges
from reviewinvite_core.domain.timing import DEFAULT_DELAY, Delay
from reviewinvite_core.testing.builders import a_shop


def test_a_new_shop_is_dutch_waits_five_days_and_becomes_active() -> None:
    shop = NewShop(site_id="bakkerij-1", name=" Bakkerij ").numbered(7)
    assert (shop.number, shop.name, shop.language, shop.delay, shop.active) == (
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
        ({"site_id": ""}, "siteId", Problem.EMPTY),
        ({"site_id": "a b"}, "siteId", Problem.FORBIDDEN_CHARACTERS),
        ({"name": ""}, "name", Problem.EMPTY),
        ({"name": "a\r\nBcc: b"}, "name", Problem.FORBIDDEN_CHARACTERS),
        ({"name": "x" * 301}, "name", Problem.TOO_LONG),
        ({"language": "fr"}, "language", Problem.UNKNOWN_LANGUAGE),
        ({"delay": -1}, "delayDays", Problem.OUT_OF_RANGE),
    ],
)
def test_a_shop_that_cannot_be_is_refused_by_its_field(fields: dict[str, object], field: str, problem: Problem) -> None:
    with pytest.raises(Invalid) as caught:
        NewShop(**{"site_id": "a", "name": "A", **fields})
    assert caught.value == Invalid(problem, field)


def test_what_is_not_to_change_stays() -> None:
    shop = a_shop(name="Old", language="en", delay=3).numbered(1)
    assert ShopChanges().applied_to(shop) == shop
    assert ShopChanges(active=False).applied_to(shop).active is False
    assert ShopChanges(delay=0).applied_to(shop).delay == Delay(0)
    changed = ShopChanges(name="New", language="nl").applied_to(shop)
    assert (changed.name, changed.language, changed.delay, changed.active) == ("New", Language.NL, shop.delay, True)


@pytest.mark.parametrize("value", [5, None, b"nl", True])
def test_only_a_text_is_a_language(value: object) -> None:
    with pytest.raises(Invalid) as caught:
        to_language(value)
    assert caught.value == Invalid(Problem.WRONG_TYPE, "language")
