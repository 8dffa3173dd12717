"""Orders that are due at once, files of them, and the invitations that were sent for them."""

from __future__ import annotations

from contextlib import closing
from functools import partial
from pathlib import Path

import attrs
from tests.cli.harness import Installation

from reviewinvite_core import Reason, State
from reviewinvite_core.adapters.sql.sqlite.storage import SqliteStorage
from reviewinvite_core.ports import Store
from reviewinvite_core.values import Invitation

ORDERS = 500


def report_due(installation: Installation, order_number: str = "1") -> str:
    """Report an order whose invitation is due at once; return its id."""
    report = ("order", "report", "molen", "customer@example.com", "--order-number", order_number)
    return str(installation.json(*report, "--delay-days", "0")["inviteId"])


def write_order_file(path: Path, first: int, orders: int = ORDERS) -> None:
    """Write a file of orders that are due at once, numbered from `first`."""
    lines = [f"c{number}@example.com,{number},0" for number in range(first, first + orders)]
    path.write_text("\n".join(["email,orderNumber,delayDays", *lines]) + "\n")


def sent_invitations(installation: Installation) -> list[str]:
    """Return the ids of the invitations in the outbox, one for each message that was handed over."""
    files = (installation.folder / "outbox" / "new").iterdir()
    ids = [line for file in files for line in file.read_text().splitlines() if line.startswith("Message-ID:")]
    return [line.partition("<")[2].partition("@")[0] for line in ids]


def make_uncertain(installation: Installation) -> str:
    """Report an order whose message may have arrived; return the id of its invitation."""
    invite_id = report_due(installation, "uncertain")
    _move(
        installation,
        invite_id,
        (State.CLAIMED, Reason.CLAIMED),
        (State.HANDING_OVER, Reason.FENCED),
        (State.UNCERTAIN, Reason.ANSWER_LOST),
    )
    return invite_id


def make_rejected(installation: Installation, order_number: str = "rejected") -> str:
    """Report an order whose message a mail server has refused; return the id of its invitation."""
    invite_id = report_due(installation, order_number)
    _move(installation, invite_id, (State.CLAIMED, Reason.CLAIMED), (State.REJECTED, Reason.REFUSED))
    return invite_id


def _move(installation: Installation, invite_id: str, *moves: tuple[State, Reason]) -> None:
    def change(before: Invitation, after: Invitation, store: Store) -> bool:
        return store.invitations.change(before, after)

    with closing(SqliteStorage(installation.folder / "reviewinvite.db")) as storage:
        one = storage.read(lambda store: store.invitations.locate(invite_id))
        assert one
        epoch = storage.read(lambda store: store.relay.state().epoch)
        for state, reason in moves:
            after = one.moved(state, reason, one.changed_at)
            after = attrs.evolve(after, epoch=epoch if state is State.REJECTED else None)
            assert storage.run(partial(change, one, after))
            one = after
