"""The count of `prove`: what the mail server accepted decides, not what the service says."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from reviewinvite_cli.prove.tally import AcceptedMail, count
from reviewinvite_core import State

ANNA, BERT = "anna@example.com", "bert@example.com"


@pytest.fixture
def mail(tmp_path: Path) -> AcceptedMail:
    return AcceptedMail(tmp_path / "accepted")


def receive(mail: AcceptedMail, *lines: str) -> AcceptedMail:
    with mail.log.open("a") as file:
        file.writelines(f"{line}\n" for line in lines)
    mail.update()
    return mail


def states(**by_invitation: str) -> Mapping[str, State]:
    return {invitation: State(state) for invitation, state in by_invitation.items()}


def test_an_order_whose_message_was_accepted_once_is_sent(mail: AcceptedMail) -> None:
    tally = count({ANNA: ["a"]}, [], receive(mail, f"a {ANNA}"), states(a="sent"))
    assert (tally.acknowledged, tally.sent, tally.twice, tally.lost, tally.uncertain) == (1, 1, 0, 0, 0)
    assert tally.is_good


@pytest.mark.parametrize("second", ["a", "b"])
def test_a_second_message_to_a_customer_is_twice_also_under_another_id(mail: AcceptedMail, second: str) -> None:
    tally = count({ANNA: ["a"]}, [], receive(mail, f"a {ANNA}", f"{second} {ANNA}"), states(a="sent"))
    assert tally.orders_twice == (ANNA,)
    assert not tally.is_good


def test_a_second_message_counts_although_the_order_was_never_acknowledged(mail: AcceptedMail) -> None:
    tally = count({BERT: ["b"]}, [ANNA], receive(mail, f"a {ANNA}", f"a {ANNA}", f"b {BERT}"), states(b="sent"))
    assert (tally.twice, tally.unanswered, tally.unanswered_sent) == (1, 1, 1)


@pytest.mark.parametrize("state", ["sent", "scheduled", "claimed", "handing_over", "expired"])
def test_an_order_without_a_message_is_lost_whatever_the_service_says(mail: AcceptedMail, state: str) -> None:
    tally = count({ANNA: ["a"], BERT: ["b"]}, [], receive(mail, f"b {BERT}"), states(a=state, b="sent"))
    assert tally.orders_lost == (ANNA,)
    assert not tally.is_good


def test_an_acknowledged_order_that_the_database_does_not_have_is_lost(mail: AcceptedMail) -> None:
    assert count({ANNA: ["a"]}, [], mail, {}).orders_lost == (ANNA,)


def test_an_invitation_that_waits_for_the_operator_or_was_refused_is_not_lost(mail: AcceptedMail) -> None:
    tally = count({ANNA: ["a"], BERT: ["b"]}, [], mail, states(a="uncertain", b="rejected"))
    assert (tally.lost, tally.uncertain, tally.uncertain_accepted, tally.refused) == (0, 1, 0, 1)


def test_nothing_is_proved_if_nothing_was_sent(mail: AcceptedMail) -> None:
    assert not count({}, [], mail, {}).is_good


def test_two_invitations_for_one_order_are_a_contradiction(mail: AcceptedMail) -> None:
    tally = count({ANNA: ["a", "b"]}, [], receive(mail, f"a {ANNA}"), states(a="sent", b="cancelled"))
    assert tally.contradictions == 1
    assert not tally.is_good


def test_an_interrupted_trial_says_nothing_about_losses(mail: AcceptedMail) -> None:
    tally = count({ANNA: ["a"]}, [], mail, None)
    assert (tally.lost, tally.uncertain, tally.is_complete, tally.is_good) == (None, None, False, False)


def test_a_line_that_is_not_complete_is_not_read_yet(mail: AcceptedMail) -> None:
    mail.log.write_text(f"a {ANNA}\nb {BERT}")
    mail.update()
    assert dict(mail.by_recipient) == {ANNA: 1}
    receive(mail, "")
    assert dict(mail.by_recipient) == {ANNA: 1, BERT: 1}
