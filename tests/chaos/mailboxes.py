"""What a mail server has taken, compared with what the service says it has sent."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from email import message_from_bytes
from email.message import Message
from pathlib import Path

import attrs
from tests.chaos.load import customer
from tests.http.service import Deployment

_QUEUE_ID = re.compile(r"\bid ([\w-]+)")


@attrs.frozen
class Mailbox:
    """The messages in a Maildir; `taken` has, for each invitation, the queue ids under which the server took it.

    A server that is killed may deliver a message twice from its queue; those have one queue id.
    """

    taken: Mapping[str, frozenset[str]]
    recipients: Mapping[str, str]

    @classmethod
    def read(cls, folder: Path) -> Mailbox:
        taken: dict[str, set[str]] = {}
        recipients: dict[str, str] = {}
        for file in (folder / "new").iterdir():
            message = message_from_bytes(file.read_bytes())
            invite_id = str(message["Message-ID"]).strip("<>").split("@")[0]
            taken.setdefault(invite_id, set()).add(_queue_id(message))
            recipients[invite_id] = str(message["To"])
        return cls({invite_id: frozenset(ids) for invite_id, ids in taken.items()}, recipients)


def _queue_id(message: Message) -> str:
    found = _QUEUE_ID.search(message["Received"])
    assert found, message["Received"]
    return found[1]


def count_messages(folder: Path) -> int:
    """Return how many messages are in a Maildir, which may not be there yet."""
    new = folder / "new"
    return sum(1 for _ in new.iterdir()) if new.exists() else 0


@attrs.frozen
class Tally:
    """How many invitations ended in which way."""

    sent: int
    uncertain: Mapping[str, int]
    """Those in doubt, by reason."""


def each_state_is_borne_out(deployment: Deployment, folder: Path, due: set[str]) -> Tally:
    """Check each state against the mailbox; `due` are the numbers of the orders that were due at once.

    Nothing was sent twice or to another address; nothing is `sent` without a message or waits with one; and all that
    was due is `sent` or `uncertain`.
    """
    mailbox = Mailbox.read(folder)
    invitations = {record.invitation.invite_id: record.invitation for record in deployment.records()}
    assert {invite_id: ids for invite_id, ids in mailbox.taken.items() if len(ids) > 1} == {}
    assert set(mailbox.taken) <= set(invitations)
    for invite_id, recipient in mailbox.recipients.items():
        assert recipient == customer(str(invitations[invite_id].order_number))
    with_message = Counter(invitations[invite_id].state.value for invite_id in mailbox.taken)
    states = Counter(invitation.state.value for invitation in invitations.values())
    assert set(with_message) <= {"sent", "uncertain"}
    assert with_message["sent"] == states["sent"]
    assert set(states) <= {"sent", "uncertain", "scheduled"}
    ended = {str(each.order_number) for each in invitations.values() if each.state.value in {"sent", "uncertain"}}
    assert due <= ended
    uncertain = Counter(each.reason.value for each in invitations.values() if each.state.value == "uncertain")
    return Tally(states["sent"], uncertain)
