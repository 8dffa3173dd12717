"""A customer opts out by the link in an invitation: once, for ever, and for as many shops as wanted."""

from __future__ import annotations

import email
import re
from datetime import timedelta
from email import policy

import attrs
import pytest
from tests.core.usecases.stage import Play, Scene
from tests.links import token_of

from reviewinvite_core.domain.invitations import Claim, Reason, State
from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.links import Purpose
from reviewinvite_core.domain.shop import ShopChanges
from reviewinvite_core.domain.suppressions import Reach, SuppressedBy
from reviewinvite_core.ports import AnswerLost, Storage
from reviewinvite_core.testing.builders import a_shop, an_order_report
from reviewinvite_core.usecases.unsubscribe import Subscription
from reviewinvite_core.usecases.withdraw import withdraw

DAY = timedelta(days=1)
SHOP, ALL = Reach.THIS_SHOP, Reach.EVERY_SHOP
ASKED = Subscription(shop_name="Bakkerij De Molen", language=Language.NL, stopped=False, stopped_everywhere=False)
STOPPED = attrs.evolve(ASKED, stopped=True)
STOPPED_EVERYWHERE = attrs.evolve(STOPPED, stopped_everywhere=True)


@pytest.fixture
def play(each_storage: Storage) -> Play:
    return Play(storage=each_storage)


def report_elsewhere(play: Play, email: str = "anna@example.com") -> str:
    """The invitation of an order at another shop."""
    play.app.add_shop(a_shop("other"))
    return play.app.report_order(play.app.act_for("other"), an_order_report(email)).invite_id


def test_whoever_only_looks_changes_nothing(play: Play) -> None:
    invite_id = play.report().invite_id
    token = token_of(play.app, invite_id)
    before = play.now(invite_id)
    assert play.app.show_subscription(token) == ASKED
    assert play.app.show_subscription(token) == ASKED
    assert play.now(invite_id) == before
    assert play.app.list_suppressions(10) == []


def test_the_page_is_in_the_invitations_language_and_names_the_shop_as_it_is_called_now(play: Play) -> None:
    token = token_of(play.app, play.report(language="en").invite_id)
    play.app.set_shop("bakkerij-1", ShopChanges(name="Molen & Zonen"))
    shown = play.app.show_subscription(token)
    assert (shown.language, shown.shop_name) == (Language.EN, "Molen & Zonen")


def test_the_link_in_the_e_mail_is_the_one_that_opts_out(play: Play) -> None:
    play.report_due()
    play.deliver()
    [message] = play.mailer.out
    [header] = email.message_from_bytes(message.content, policy=policy.default).get_all("List-Unsubscribe")
    token = re.fullmatch(r"<http://127\.0\.0\.1:8000/u/([^/>]+)>", header)
    assert play.app.unsubscribe(token[1], SHOP) == STOPPED


def test_opting_out_of_a_shop_suppresses_what_waits_there_and_nowhere_else(play: Play) -> None:
    mine = [play.report(order_number=number).invite_id for number in ("1", "2")]
    others = [play.report("bert@example.com").invite_id, report_elsewhere(play)]
    assert play.app.unsubscribe(token_of(play.app, mine[0]), SHOP) == STOPPED
    assert [play.now(each).state for each in mine] == [State.SUPPRESSED] * 2
    assert [play.now(each).state for each in others] == [State.SCHEDULED] * 2
    assert play.reasons(mine[1]) == [Reason.REPORTED, Reason.OPTED_OUT]
    [record] = play.app.list_suppressions(10)
    assert record.shop.site_id.text == "bakkerij-1"
    assert (record.suppression.by, record.suppression.suppressed_at) == (SuppressedBy.CUSTOMER, play.clock.now())


def test_opting_out_of_all_shops_suppresses_what_waits_anywhere(play: Play) -> None:
    here, there = play.report().invite_id, report_elsewhere(play)
    spared = play.report("bert@example.com").invite_id
    assert play.app.unsubscribe(token_of(play.app, here), ALL) == STOPPED_EVERYWHERE
    assert [play.now(each).state for each in (here, there, spared)] == [
        *(State.SUPPRESSED, State.SUPPRESSED, State.SCHEDULED)
    ]
    assert play.app.show_subscription(token_of(play.app, there)) == STOPPED_EVERYWHERE


def test_opting_out_again_changes_nothing(play: Play) -> None:
    invite_id = play.report().invite_id
    token = token_of(play.app, invite_id)
    play.app.unsubscribe(token, SHOP)
    before = play.now(invite_id), play.app.list_suppressions(10)
    play.clock.advance(DAY)
    assert play.app.unsubscribe(token, SHOP) == STOPPED
    assert (play.now(invite_id), play.app.list_suppressions(10)) == before
    assert play.app.unsubscribe(token, ALL) == STOPPED_EVERYWHERE
    assert play.app.unsubscribe(token, SHOP) == STOPPED_EVERYWHERE


def test_a_later_order_gets_an_id_as_ever_and_its_invitation_is_suppressed(play: Play) -> None:
    first = play.report()
    play.app.unsubscribe(token_of(play.app, first.invite_id), SHOP)
    play.clock.advance(DAY)
    later = play.report(order_number="1002")
    assert not later.duplicate
    assert later.scheduled_for - first.scheduled_for == DAY
    invitation = play.now(later.invite_id)
    assert (invitation.state, invitation.reason) == (State.SUPPRESSED, Reason.OPTED_OUT)
    assert invitation.sealed_address is None
    assert play.reasons(later.invite_id) == [Reason.REPORTED, Reason.OPTED_OUT]
    assert play.report(order_number="1002") == attrs.evolve(later, duplicate=True)
    assert play.reasons(later.invite_id) == [Reason.REPORTED, Reason.OPTED_OUT]
    play.clock.advance(30 * DAY)
    assert play.deliver() == []


def test_a_repeat_of_an_order_from_before_returns_it_as_it_is(play: Play) -> None:
    sent = play.report_due()
    play.deliver()
    play.app.unsubscribe(token_of(play.app, sent), SHOP)
    assert play.report(delay=0).invite_id == sent
    assert play.now(sent).state is State.SENT


def test_all_shops_are_told_the_same_of_an_address_that_opted_out_of_all(play: Play) -> None:
    play.app.unsubscribe(token_of(play.app, play.report().invite_id), ALL)
    assert play.now(report_elsewhere(play, "ANNA@example.com")).state is State.SUPPRESSED


def test_an_invitation_in_a_workers_hands_is_suppressed_and_does_not_go_out(each_storage: Storage) -> None:
    play = Play(
        Scene(while_staged=lambda: play.app.unsubscribe(token_of(play.app, invite_id), SHOP)), storage=each_storage
    )
    invite_id = play.report_due()
    play.deliver()
    assert play.mailer.out == []
    assert play.now(invite_id).state is State.SUPPRESSED
    assert play.reasons(invite_id) == [Reason.REPORTED, Reason.CLAIMED, Reason.OPTED_OUT]


def test_one_that_is_past_the_fence_is_left_to_its_answer(play: Play) -> None:
    play.mailer.scenes.append(Scene(while_handed_over=lambda: play.app.unsubscribe(token_of(play.app, one), SHOP)))
    one = play.report_due()
    play.deliver()
    assert play.now(one).state is State.SENT


def test_a_used_link_settles_its_own_uncertain_invitation_and_no_other(play: Play) -> None:
    play.mailer.scenes += [Scene(answer=AnswerLost()), Scene(answer=AnswerLost())]
    first, second = (play.report_due(order_number=number) for number in ("1", "2"))
    play.deliver()
    token = token_of(play.app, first)
    play.app.show_subscription(token)
    assert play.now(first).state is State.UNCERTAIN
    play.app.unsubscribe(token, SHOP)
    assert (play.now(first).state, play.now(first).reason) == (State.SENT, Reason.LINK_OPENED)
    assert play.now(second).state is State.UNCERTAIN


@pytest.mark.parametrize("token", ["", "x", "A" * 48, "\udc80", "../r/x"])
def test_a_text_that_is_no_token_opens_nothing(token: str) -> None:
    play = Play()
    play.report()
    assert play.app.show_subscription(token) is None
    assert play.app.unsubscribe(token, ALL) is None
    assert play.app.list_suppressions(10) == []


def test_the_token_of_the_review_page_opts_nobody_out() -> None:
    play = Play()
    token = token_of(play.app, play.report().invite_id, Purpose.REVIEW)
    assert play.app.show_subscription(token) is None
    assert play.app.unsubscribe(token, SHOP) is None


def test_a_token_for_an_invitation_that_is_not_stored_opens_nothing() -> None:
    """As after a return to an older copy of the database."""
    here, there = Play(), Play()
    token = token_of(here.app, here.report().invite_id)
    assert there.app.unsubscribe(token, SHOP) is None
    there.report()
    assert there.app.unsubscribe(token, SHOP) == STOPPED


def test_the_link_works_for_ever_also_for_an_inactive_shop(play: Play) -> None:
    token = token_of(play.app, play.report().invite_id)
    play.app.set_shop("bakkerij-1", ShopChanges(active=False))
    play.clock.advance(4000 * DAY)
    assert play.app.unsubscribe(token, SHOP) == STOPPED


def test_what_a_worker_took_at_the_same_instant_is_withdrawn_all_the_same(play: Play) -> None:
    seen = play.now(play.report().invite_id)
    claim = Claim(token=b"theirs", lease_until=play.clock.now() + DAY)
    taken = seen.moved(State.CLAIMED, Reason.CLAIMED, play.clock.now(), claim=claim)
    assert play.inside(lambda store: store.invitations.change(seen, taken))
    assert play.perform(lambda work: withdraw(work, seen, State.SUPPRESSED, Reason.OPTED_OUT)).claim is None
    assert play.now(seen.invite_id).state is State.SUPPRESSED


def test_what_passed_the_fence_at_the_same_instant_is_left_alone(play: Play) -> None:
    seen = play.now(play.report().invite_id)
    claim = Claim(token=b"theirs", lease_until=play.clock.now() + DAY)
    taken = seen.moved(State.CLAIMED, Reason.CLAIMED, play.clock.now(), claim=claim)
    fenced = taken.moved(State.HANDING_OVER, Reason.FENCED, play.clock.now(), claim=claim)
    for before, after in ((seen, taken), (taken, fenced)):
        assert play.inside(lambda store, before=before, after=after: store.invitations.change(before, after))
    assert play.perform(lambda work: withdraw(work, seen, State.SUPPRESSED, Reason.OPTED_OUT)) == fenced
    assert play.now(seen.invite_id) == fenced
