"""A mail server that takes a message, and whose answer is lost: in doubt, and never sent again by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import attrs
import pytest
from tests.chaos.lost_answers import LosingWire, losing_wire
from tests.smtp_server import smtp_server

from reviewinvite_core import OPERATOR, Reason, Settings, State, accepted, build
from reviewinvite_core.testing.builders import NOON, ManualClock, a_shop, an_order_report

WAITS = [timedelta(seconds=1), timedelta(hours=1), timedelta(days=1), timedelta(days=30)]


@attrs.frozen
class Relay:
    """A mail server behind a wire, and what it has taken: the ids of the invitations, each as often as it came."""

    wire: LosingWire
    taken: Callable[[], list[str]]


@pytest.fixture
def relay(tmp_path: Path) -> Iterator[Relay]:
    """The tests' own mail server."""
    with smtp_server(tmp_path / "log") as server, losing_wire(server.address[1]) as wire:
        yield Relay(wire, lambda: [each.strip("<>").partition("@")[0] for each in server.logged()])


def test_what_a_mail_server_took_without_our_learning_it_is_in_doubt_and_not_sent_again(
    relay: Relay, tmp_path: Path
) -> None:
    clock = ManualClock(NOON)
    settings = Settings(
        database_url=f"sqlite:///{tmp_path / 'orders.db'}", mail_url=relay.wire.url, mail_from="invite@example.com"
    )

    def deliver(order_number: str | None = None) -> str:
        """Report an order that is due, if one is given, and deliver, as a worker that has just started."""
        with build(settings, clock=clock) as app:
            invite_id = ""
            if order_number:
                caller = accepted(app.shops.act_for("bakkerij-1"))
                report = an_order_report(order_number=order_number, delay_days=0)
                invite_id = accepted(app.orders.report(caller, report)).invite_id
            app.delivery.once()
        return invite_id

    def state(invite_id: str) -> tuple[State, Reason]:
        with build(settings, clock=clock) as app:
            invitation = accepted(app.invitations.show(OPERATOR, invite_id)).invitation
        return invitation.state, invitation.reason

    with build(settings, clock=clock) as app:
        accepted(app.shops.add(a_shop()))
    lost = deliver("lost")
    assert [answer[:4] for answer in relay.wire.lost] == [b"250 "]
    assert state(lost) == (State.UNCERTAIN, Reason.ANSWER_LOST)

    relay.wire.loses = False
    for wait in WAITS:
        clock.advance(wait)
        deliver()
    later = deliver("later")
    assert state(lost) == (State.UNCERTAIN, Reason.ANSWER_LOST)
    assert state(later) == (State.SENT, Reason.ACCEPTED)
    assert sorted(relay.taken()) == sorted([lost, later])
