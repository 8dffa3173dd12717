"""Invitations, as the operator sees them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import pytest
from features.drivers.base import Driver
from features.steps.context import TEXT, ScenarioContext, instant, text
from features.steps.shop import LANGUAGES
from pytest_bdd import parsers, then, when

from reviewinvite_core import OPERATOR, DeliveryPaused, Reason, State
from reviewinvite_core.values import Invitation, InvitationRecord, NotRetried, NotUncertain, TooLate

OBSTACLES: Mapping[str, NotRetried] = {
    "it is not rejected": NotRetried.NOT_REJECTED,
    "there is no such mailbox": NotRetried.NO_MAILBOX,
    "the customer has opted out": NotRetried.SUPPRESSED,
    "the address is erased": NotRetried.ERASED,
    "it may have been sent from a later copy": NotRetried.OLDER,
}


@when("the operator cancels the invitation")
def cancel(driver: Driver, context: ScenarioContext) -> None:
    cancelled = driver.app.invitations.cancel(OPERATOR, context.latest_invitation.invite_id)
    assert isinstance(cancelled, InvitationRecord), cancelled


@when("the operator has the invitation sent at once")
def send_at_once(driver: Driver, context: ScenarioContext) -> None:
    due = driver.app.invitations.send_now(OPERATOR, context.latest_invitation.invite_id)
    assert isinstance(due, Invitation), due


@when("the operator says that the invitation has arrived")
def resolve_as_sent(driver: Driver, context: ScenarioContext) -> None:
    resolved = driver.app.invitations.resolve_as_sent(context.latest_invitation.invite_id)
    assert isinstance(resolved, Invitation), resolved


@when("the operator has the invitation sent once more")
def resolve_by_resending(driver: Driver, context: ScenarioContext) -> None:
    resolved = driver.app.invitations.resolve_by_resending(context.latest_invitation.invite_id)
    assert isinstance(resolved, Invitation), resolved


@when("the operator has the invitation tried again")
def retry(driver: Driver, context: ScenarioContext) -> None:
    tried = driver.app.invitations.retry([context.latest_invitation.invite_id])
    assert (list(tried.scheduled), tried.refused) == ([context.latest_invitation.invite_id], {})


@then(parsers.re(r"the invitation is not tried again, since (?P<obstacle>.+)"))
def not_retried(driver: Driver, context: ScenarioContext, obstacle: str) -> None:
    invite_id = context.latest_invitation.invite_id
    assert driver.app.invitations.retry([invite_id]).refused == {OBSTACLES[obstacle]: [invite_id]}


@then("nothing can be tried again, since sending is paused")
def no_retry_while_paused(driver: Driver, context: ScenarioContext) -> None:
    with pytest.raises(DeliveryPaused):
        driver.app.invitations.retry([context.latest_invitation.invite_id])


@then("nothing about the invitation is in doubt")
def not_in_doubt(driver: Driver, context: ScenarioContext) -> None:
    state = driver.invitation(context.latest_invitation.invite_id).invitation.state
    for resolve in (driver.app.invitations.resolve_as_sent, driver.app.invitations.resolve_by_resending):
        assert resolve(context.latest_invitation.invite_id) == NotUncertain(state)


@then(parsers.parse("its invitation is scheduled for {at}"), converters={"at": instant})
def scheduled_for(driver: Driver, context: ScenarioContext, at: datetime) -> None:
    invitation = driver.invitation(context.latest_invitation.invite_id).invitation
    assert context.latest_invitation.scheduled_for == at
    assert (invitation.scheduled_for, invitation.state) == (at, State.SCHEDULED)


@then(parsers.re(r"its invitation is in (?P<language>Dutch|English)"))
def in_language(driver: Driver, context: ScenarioContext, language: str) -> None:
    assert driver.invitation(context.latest_invitation.invite_id).invitation.language == LANGUAGES[language]


@then(parsers.re(rf"its invitation shows order number (?P<number>{TEXT})"), converters={"number": text})
def shows_number(driver: Driver, context: ScenarioContext, number: str) -> None:
    assert driver.invitation(context.latest_invitation.invite_id).invitation.order_number == number


@then(parsers.parse("its invitation belongs to {shop}"))
def belongs_to(driver: Driver, context: ScenarioContext, shop: str) -> None:
    assert driver.invitation(context.latest_invitation.invite_id).shop.site_id.text == shop


@then(parsers.re(r"the invitation is (?P<state>scheduled|sent|uncertain|rejected|cancelled|suppressed|expired)"))
def is_in_state(driver: Driver, context: ScenarioContext, state: str) -> None:
    assert driver.invitation(context.latest_invitation.invite_id).invitation.state == state


@then("the invitation is suppressed as a member's own")
def is_a_members_own(driver: Driver, context: ScenarioContext) -> None:
    invitation = driver.invitation(context.latest_invitation.invite_id).invitation
    assert (invitation.state, invitation.reason) == (State.SUPPRESSED, Reason.MEMBER)


@then("it is too late to cancel the invitation")
def too_late(driver: Driver, context: ScenarioContext) -> None:
    assert driver.app.invitations.cancel(OPERATOR, context.latest_invitation.invite_id) == TooLate(State.SENT)


@then("it is too late to send the invitation at once")
def too_late_to_send(driver: Driver, context: ScenarioContext) -> None:
    assert driver.app.invitations.send_now(OPERATOR, context.latest_invitation.invite_id) == TooLate(State.SENT)
