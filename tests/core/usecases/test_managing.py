"""Shops, keys and invitations, as operators and embedders manage them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from tests.core.usecases.stage import Play, Scene

from reviewinvite_core.domain.api_key import Caller
from reviewinvite_core.domain.errors import (
    Invalid,
    InvitationUnknown,
    KeyRefused,
    KeyUnknown,
    ShopExists,
    ShopUnknown,
    TooLate,
)
from reviewinvite_core.domain.invitations import Reason, State
from reviewinvite_core.domain.shop import ShopChanges
from reviewinvite_core.testing.builders import a_shop
from reviewinvite_core.usecases.manage_invitations import InvitationQuery

UNKNOWN_ID = "019cadd4-cbc8-73c1-9e5f-0a94c27d3b86"


def test_a_shop_is_made_shown_listed_and_changed() -> None:
    play = Play()
    made = play.app.add_shop(a_shop("apotheek"))
    assert play.app.show_shop("apotheek") == made
    assert [shop.site_id.text for shop in play.app.list_shops()] == ["apotheek", "bakkerij-1"]
    changed = play.app.set_shop("apotheek", ShopChanges(name="Apotheek"))
    assert changed.name == "Apotheek"
    assert play.app.show_shop("apotheek") == changed


def test_a_site_id_is_given_once() -> None:
    play = Play()
    assert play.app.add_shop(a_shop(name="Other")) == ShopExists("bakkerij-1")
    assert play.app.show_shop("bakkerij-1").name == "Bakkerij De Molen"


@pytest.mark.parametrize("site_id", ["nowhere", "", "\udc80", "no such shop"])
def test_an_unknown_shop_is_said_to_be_unknown(site_id: str) -> None:
    app = Play().app
    unknown = ShopUnknown(site_id)
    assert app.show_shop(site_id) == unknown
    assert app.set_shop(site_id, ShopChanges(active=False)) == unknown
    assert app.create_key(site_id, "") == unknown
    assert app.list_keys(site_id) == unknown
    assert app.act_for(site_id) == unknown
    assert app.list_invitations(InvitationQuery(site_id=site_id)) == unknown


def test_a_key_is_shown_once_and_authenticates_from_then_on() -> None:
    play = Play()
    made = play.app.create_key("bakkerij-1", " web shop ")
    assert made.api_key.label == "web shop"
    assert made.api_key.last_four == made.secret.text[-4:]
    assert play.app.authenticate(made.secret.text) == Caller(
        shop_number=play.caller.shop_number, site_id=play.caller.site_id, key_id=made.api_key.key_id
    )
    listed = play.app.list_keys("bakkerij-1")
    assert made.api_key in listed
    assert made.secret.text not in repr(listed)


def test_two_keys_are_never_the_same() -> None:
    play = Play()
    made = [play.app.create_key("bakkerij-1", "") for _ in range(20)]
    assert len({each.secret.text for each in made}) == len({each.api_key.key_id for each in made}) == 20


@pytest.mark.parametrize("label", ["x" * 101, "a\nb", "\u202e"])
def test_a_label_that_cannot_be_makes_no_key(label: str) -> None:
    play = Play()
    with pytest.raises(Invalid):
        play.app.create_key("bakkerij-1", label)
    assert len(play.app.list_keys("bakkerij-1")) == 1


def test_a_revoked_key_is_refused_from_the_next_request_on() -> None:
    play = Play()
    made = play.app.create_key("bakkerij-1", "")
    revoked = play.app.revoke_key(made.api_key.key_id)
    assert revoked.revoked_at == play.clock.now()
    assert play.app.authenticate(made.secret.text) == KeyRefused(presented=True)
    assert isinstance(play.app.authenticate(play.key.text), Caller)
    play.clock.advance(timedelta(days=1))
    assert play.app.revoke_key(made.api_key.key_id) == revoked


@pytest.mark.parametrize("key_id", ["key_0", "", "\udc80"])
def test_an_unknown_key_cannot_be_revoked(key_id: str) -> None:
    assert Play().app.revoke_key(key_id) == KeyUnknown(key_id)


def test_invitations_are_listed_newest_first_by_shop_and_state() -> None:
    play = Play()
    first = play.report().invite_id
    play.clock.advance(timedelta(seconds=1))
    second = play.report(order_number="1002").invite_id
    play.app.cancel_invitation(first)

    def listed(**query: object) -> list[str]:
        return [record.invitation.invite_id for record in play.app.list_invitations(InvitationQuery(**query))]

    assert listed() == [second, first]
    assert listed(limit=1) == [second]
    assert listed(state=State.CANCELLED, site_id="bakkerij-1") == [first]
    play.app.add_shop(a_shop("other"))
    assert listed(site_id="other") == []


def test_an_invitation_is_shown_with_its_shop_and_history() -> None:
    play = Play()
    invite_id = play.report().invite_id
    record = play.app.show_invitation(invite_id.upper())
    assert record.invitation.invite_id == invite_id
    assert record.shop.site_id.text == "bakkerij-1"
    assert [change.reason for change in record.history] == [Reason.REPORTED]


@pytest.mark.parametrize("invite_id", [UNKNOWN_ID, "", "x", "\udc80"])
def test_an_unknown_invitation_is_neither_shown_nor_cancelled(invite_id: str) -> None:
    app = Play().app
    assert app.show_invitation(invite_id) == InvitationUnknown(invite_id)
    assert app.cancel_invitation(invite_id) == InvitationUnknown(invite_id)


def test_a_cancelled_invitation_is_never_sent_and_cancelling_it_again_changes_nothing() -> None:
    play = Play()
    invite_id = play.report_due()
    cancelled = play.app.cancel_invitation(invite_id)
    assert cancelled.state is State.CANCELLED
    play.clock.advance(timedelta(days=1))
    assert play.app.cancel_invitation(invite_id) == cancelled
    assert play.deliver() == []
    assert play.mailer.staged == []
    assert play.reasons(invite_id) == [Reason.REPORTED, Reason.CANCELLED]


def test_what_is_sent_cannot_be_cancelled() -> None:
    play = Play()
    invite_id = play.report_due()
    play.deliver()
    assert play.app.cancel_invitation(invite_id) == TooLate("sent")
    assert play.now(invite_id).state is State.SENT


def test_what_is_being_handed_over_cannot_be_cancelled() -> None:
    answers = []
    play = Play(Scene(while_handed_over=lambda: answers.append(play.app.cancel_invitation(invite_id))))
    invite_id = play.report_due()
    play.deliver()
    assert answers == [TooLate("handing_over")]
    assert play.now(invite_id).state is State.SENT
