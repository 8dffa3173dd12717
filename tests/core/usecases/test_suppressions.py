"""An operator says who must not be written to, and takes that back; a customer's own word stands above it."""

from __future__ import annotations

from datetime import timedelta

import pytest
from tests.core.usecases.stage import Play
from tests.links import token_of

from reviewinvite_core.domain.errors import Invalid, NotSuppressed, OptedOut, ShopUnknown
from reviewinvite_core.domain.invitations import Reason, State
from reviewinvite_core.domain.suppressions import Reach, SuppressedBy
from reviewinvite_core.ports import Storage
from reviewinvite_core.testing.builders import a_shop, an_order_report

ANNA = "anna@example.com"
OPERATOR, CUSTOMER = SuppressedBy.OPERATOR, SuppressedBy.CUSTOMER


@pytest.fixture
def play(each_storage: Storage) -> Play:
    return Play(storage=each_storage)


def opt_out(play: Play, invite_id: str, reach: Reach = Reach.THIS_SHOP) -> None:
    assert play.app.unsubscribe(token_of(play.app, invite_id), reach)


def test_an_operators_suppression_stops_what_waits_at_all_shops(play: Play) -> None:
    play.app.add_shop(a_shop("other"))
    elsewhere = play.app.report_order(play.app.act_for("other"), an_order_report()).invite_id
    mine, spared = play.report().invite_id, play.report("bert@example.com").invite_id
    record = play.app.add_suppression("Anna@EXAMPLE.com", None)
    assert (record.stopped, record.shop, record.suppression.by) == (2, None, OPERATOR)
    assert [play.now(each).state for each in (mine, elsewhere, spared)] == [
        *(State.SUPPRESSED, State.SUPPRESSED, State.SCHEDULED)
    ]
    assert play.now(play.report(order_number="1002").invite_id).reason is Reason.OPTED_OUT


def test_one_for_a_shop_leaves_the_others(play: Play) -> None:
    play.app.add_shop(a_shop("other"))
    record = play.app.add_suppression(ANNA, "other")
    assert record.shop.site_id.text == "other"
    assert play.now(play.report().invite_id).state is State.SCHEDULED
    stopped = play.app.report_order(play.app.act_for("other"), an_order_report()).invite_id
    assert play.now(stopped).state is State.SUPPRESSED


def test_adding_one_that_stands_gives_it_as_it_stands(play: Play) -> None:
    first = play.app.add_suppression(ANNA, None)
    play.clock.advance(timedelta(days=1))
    assert play.app.add_suppression(ANNA, None) == first
    opt_out(play, play.report().invite_id)
    again = play.app.add_suppression(ANNA, "bakkerij-1")
    assert again.suppression.by is CUSTOMER


def test_what_is_removed_lets_later_orders_lead_to_invitations_and_brings_none_back(play: Play) -> None:
    before = play.report().invite_id
    added = play.app.add_suppression(ANNA, None)
    assert play.app.remove_suppression(ANNA, None, OPERATOR).suppression == added.suppression
    assert play.app.list_suppressions(10) == []
    assert play.now(before).state is State.SUPPRESSED
    assert play.now(play.report(order_number="1002").invite_id).state is State.SCHEDULED
    assert play.report().duplicate


def test_a_customers_opt_out_is_removed_by_the_customers_own_word_only(play: Play) -> None:
    opt_out(play, play.report().invite_id)
    standing = play.app.list_suppressions(10)
    assert play.app.remove_suppression(ANNA, "bakkerij-1", OPERATOR) == OptedOut()
    assert play.app.list_suppressions(10) == standing
    assert play.app.remove_suppression(ANNA, "bakkerij-1", CUSTOMER).suppression == standing[0].suppression
    assert play.app.list_suppressions(10) == []


def test_a_customers_word_stands_above_an_operators_from_before(play: Play) -> None:
    play.app.add_suppression(ANNA, None)
    opt_out(play, play.report().invite_id, Reach.EVERY_SHOP)
    assert play.app.remove_suppression(ANNA, None, OPERATOR) == OptedOut()


def test_removing_what_does_not_stand_there_says_whether_it_stands_elsewhere(play: Play) -> None:
    assert play.app.remove_suppression(ANNA, None, OPERATOR) == NotSuppressed(elsewhere=False)
    play.app.add_suppression(ANNA, "bakkerij-1")
    assert play.app.remove_suppression(ANNA, None, CUSTOMER) == NotSuppressed(elsewhere=True)
    assert play.app.remove_suppression("bert@example.com", None, CUSTOMER) == NotSuppressed(elsewhere=False)


def test_the_newest_are_listed_first_with_their_shop_and_no_address(play: Play) -> None:
    play.app.add_suppression(ANNA, None)
    play.clock.advance(timedelta(seconds=1))
    play.app.add_suppression("bert@example.com", "bakkerij-1")
    listed = play.app.list_suppressions(10)
    assert [record.shop and record.shop.site_id.text for record in listed] == ["bakkerij-1", None]
    assert play.app.list_suppressions(1) == listed[:1]
    assert "example.com" not in repr(listed)
    assert len({record.suppression.short_hash for record in listed}) == 2


def test_unknown_shops_and_impossible_addresses_are_refused() -> None:
    play = Play()
    assert play.app.add_suppression(ANNA, "nobody") == ShopUnknown("nobody")
    assert play.app.remove_suppression(ANNA, "nobody", OPERATOR) == ShopUnknown("nobody")
    for call in (
        lambda: play.app.add_suppression("anna", None),
        lambda: play.app.remove_suppression("anna", None, OPERATOR),
    ):
        with pytest.raises(Invalid):
            call()
    assert play.app.list_suppressions(10) == []
