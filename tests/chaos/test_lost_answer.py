"""A mail server that takes a message, and whose answer is lost: in doubt, and never sent again by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path

import attrs
import pytest
from tests.browser.fake_web import create_certificate
from tests.budgets import in_full
from tests.chaos.lost_answers import LosingWire, losing_wire
from tests.chaos.mail_servers import Postfix, running
from tests.chaos.mailboxes import Mailbox
from tests.smtp_server import smtp_server
from tests.waiting import wait_until

from reviewinvite_core import OPERATOR, Reason, Settings, State, accepted, build
from reviewinvite_core.testing.builders import NOON, ManualClock, a_shop, an_order_report

WAITS = [timedelta(seconds=1), timedelta(hours=1), timedelta(days=1), timedelta(days=30)]


class OpenPostfix(Postfix):
    """A Postfix that takes mail from this machine in clear, so that a wire can see where a message ends."""

    def _configure(self) -> None:
        super()._configure()
        with (self.folder / "etc" / "main.cf").open("a") as settings:
            settings.write("smtpd_tls_security_level = none\nsmtpd_sasl_auth_enable = no\n")
            settings.write("mynetworks = 127.0.0.0/8\nsmtpd_recipient_restrictions = permit_mynetworks, reject\n")


@attrs.frozen
class Relay:
    """A mail server behind a wire, and what it has taken: the ids of the invitations, each as often as it came."""

    wire: LosingWire
    taken: Callable[[], list[str]]


@pytest.fixture(params=["own", in_full("postfix")])
def relay(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Relay]:
    """The tests' own mail server, or Postfix."""
    if request.param == "own":
        with smtp_server(tmp_path / "log") as server, losing_wire(server.address[1]) as wire:
            yield Relay(wire, lambda: [each.strip("<>").partition("@")[0] for each in server.logged()])
        return
    folder = request.getfixturevalue("short_folder")
    create_certificate(folder, "localhost")
    with running(OpenPostfix, folder) as postfix, losing_wire(postfix.port) as wire:

        def taken() -> list[str]:
            wait_until(postfix.is_queue_empty)
            return [invite_id for invite_id, ids in Mailbox.read(postfix.mailbox).taken.items() for _ in ids]

        yield Relay(wire, taken)


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
                report = an_order_report(order_number=order_number, delay=0)
                invite_id = accepted(app.orders.report(caller, report)).invite_id
            list(app.delivery.once())
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
