"""What a killed or stopped deployment has kept, compared with what it acknowledged and delivered."""

from __future__ import annotations

from collections import Counter
from email import message_from_bytes

from tests.http.load import Acknowledgement
from tests.http.service import Deployment

from reviewinvite_core.domain.timing import iso_milliseconds


def stored(deployment: Deployment) -> dict[str, list[Acknowledgement]]:
    """Return what the database has of each order."""
    orders: dict[str, list[Acknowledgement]] = {}
    for record in deployment.records():
        invitation = record.invitation
        kept = Acknowledgement(invitation.invite_id, iso_milliseconds(invitation.scheduled_for))
        orders.setdefault(str(invitation.order_number), []).append(kept)
    return orders


def every_acknowledged_order_is_there_once(deployment: Deployment, acknowledged: dict[str, Acknowledgement]) -> bool:
    there = stored(deployment)
    assert {number: there.get(number) for number in acknowledged} == {
        number: [each] for number, each in acknowledged.items()
    }
    assert {number: len(found) for number, found in there.items() if len(found) > 1} == {}
    return True


def each_invitation_is_delivered_at_most_once(deployment: Deployment) -> bool:
    """Check that each sent invitation has one message, and that none with a message could be sent again."""
    delivered = deployment.outbox / "new"
    files = list(delivered.iterdir()) if delivered.exists() else []  # it may have been stopped before the first one
    ids = Counter(str(message_from_bytes(file.read_bytes())["Message-ID"]).strip("<>").split("@")[0] for file in files)
    assert [invite_id for invite_id, times in ids.items() if times > 1] == []
    states = {record.invitation.invite_id: record.invitation.state.value for record in deployment.records()}
    assert {states[invite_id] for invite_id in ids} <= {"sent", "handing_over", "uncertain"}
    assert [invite_id for invite_id, state in states.items() if state == "sent" and invite_id not in ids] == []
    return True
