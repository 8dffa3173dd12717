"""Invitations, as the operator sees them."""

from __future__ import annotations

from datetime import datetime

from features.drivers.library import Library
from features.steps.shop import LANGUAGES
from features.steps.story import TEXT, Story, instant, text
from pytest_bdd import parsers, then, when

from reviewinvite_core import Invitation, NotUncertain, State, TooLate


@when("the operator cancels the invitation")
def cancel(driver: Library, story: Story) -> None:
    cancelled = driver.app.cancel_invitation(story.latest.invite_id)
    assert isinstance(cancelled, Invitation), cancelled


@when("the operator has the invitation sent at once")
def send_at_once(driver: Library, story: Story) -> None:
    due = driver.app.send_invitation_now(story.latest.invite_id)
    assert isinstance(due, Invitation), due


@when("the operator says that the invitation has arrived")
def resolve_as_sent(driver: Library, story: Story) -> None:
    resolved = driver.app.resolve_as_sent(story.latest.invite_id)
    assert isinstance(resolved, Invitation), resolved


@when("the operator has the invitation sent once more")
def resolve_by_resending(driver: Library, story: Story) -> None:
    resolved = driver.app.resolve_by_resending(story.latest.invite_id)
    assert isinstance(resolved, Invitation), resolved


@then("nothing about the invitation is in doubt")
def not_in_doubt(driver: Library, story: Story) -> None:
    state = driver.invitation(story.latest.invite_id).invitation.state
    for resolve in (driver.app.resolve_as_sent, driver.app.resolve_by_resending):
        assert resolve(story.latest.invite_id) == NotUncertain(state)


@then(parsers.parse("its invitation is scheduled for {at}"), converters={"at": instant})
def scheduled_for(driver: Library, story: Story, at: datetime) -> None:
    invitation = driver.invitation(story.latest.invite_id).invitation
    assert story.latest.scheduled_for == at
    assert (invitation.scheduled_for, invitation.state) == (at, State.SCHEDULED)


@then(parsers.re(r"its invitation is in (?P<language>Dutch|English)"))
def in_language(driver: Library, story: Story, language: str) -> None:
    assert driver.invitation(story.latest.invite_id).invitation.language == LANGUAGES[language]


@then(parsers.re(rf"its invitation shows order number (?P<number>{TEXT})"), converters={"number": text})
def shows_number(driver: Library, story: Story, number: str) -> None:
    assert driver.invitation(story.latest.invite_id).invitation.order_number == number


@then(parsers.parse("its invitation belongs to {shop}"))
def belongs_to(driver: Library, story: Story, shop: str) -> None:
    assert driver.invitation(story.latest.invite_id).shop.site_id.text == shop


@then(parsers.re(r"the invitation is (?P<state>scheduled|sent|uncertain|cancelled|suppressed|expired)"))
def is_in_state(driver: Library, story: Story, state: str) -> None:
    assert driver.invitation(story.latest.invite_id).invitation.state == state


@then("it is too late to cancel the invitation")
def too_late(driver: Library, story: Story) -> None:
    assert driver.app.cancel_invitation(story.latest.invite_id) == TooLate(State.SENT)


@then("it is too late to send the invitation at once")
def too_late_to_send(driver: Library, story: Story) -> None:
    assert driver.app.send_invitation_now(story.latest.invite_id) == TooLate(State.SENT)
