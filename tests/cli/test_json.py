"""What `--json` prints, to the letter: names, values and their order."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path

import attrs
import pytest
from tests.builders import a_domain, a_review, a_signing_key, a_suppression, an_api_key, an_invitation

from reviewinvite_cli.order_lines import AcceptedLine, RefusedLine
from reviewinvite_core import Reason, ReviewState, SecretKey, State
from reviewinvite_core.testing.builders import NOON, a_shop
from reviewinvite_core.values import Act, Change, HideReason, Reply, ReviewChange
from reviewinvite_core.wire.domains import OperatorDomain
from reviewinvite_core.wire.invitations import OperatorInvitation
from reviewinvite_core.wire.json_converter import as_json
from reviewinvite_core.wire.orders import ReportedOrder
from reviewinvite_core.wire.privacy import OperatorSuppression
from reviewinvite_core.wire.reviews import OperatorReview
from reviewinvite_core.wire.shops import OperatorKey, OperatorShop
from reviewinvite_core.wire.statements import OperatorSigningKey

SITE = "bakkerij-1"
SHOP = a_shop(delay_days=2.5, reply_to="hallo@molen.nl").numbered(1)
INVITATION = an_invitation(SHOP, order_number="1001", state=State.SENT, reason=Reason.ACCEPTED, reply="250", attempts=1)
CHANGES = (
    Change(state=State.SCHEDULED, reason=Reason.REPORTED, at=NOON),
    Change(state=State.SENT, reason=Reason.ACCEPTED, at=NOON + timedelta(days=5), reply="250"),
)
REVIEW = a_review(INVITATION, 4, text="Snel!", author=None, reply=Reply("Dank!", NOON + timedelta(days=1)))
HIDDEN = ReviewChange(act=Act.HIDDEN, state=ReviewState.HIDDEN, at=NOON, hidden_for=HideReason.SPAM)
KEY = SecretKey.make(bytes(23))

SHOWN_INVITATION = (
    '{"inviteId": "019cae6b-6678-7000-8000-000000000001", "siteId": "bakkerij-1", "orderNumber": "1001", '
    '"source": "unknown", "keyId": null, "confirmed": true, '
    '"language": "nl", "state": "sent", "reason": "accepted", "reply": "250", "attempts": 1, '
    '"reportedAt": "2026-03-02T12:00:00.120Z", "scheduledFor": "2026-03-07T12:00:00.120Z", '
    '"dueAt": "2026-03-07T12:00:00.120Z", "changedAt": "2026-03-02T12:00:00.120Z"}'
)
SHOWN_REVIEW = (
    '{"reviewId": "019cae6b-6678-7cb2-92af-7874474a379d", "siteId": "bakkerij-1", '
    '"inviteId": "019cae6b-6678-7000-8000-000000000001", "orderNumber": "1001", '
    '"source": "unknown", "confirmed": true, "state": "published", '
    '"hiddenFor": null, "rating": 4, "text": "Snel!", "author": null, "language": "nl", '
    '"writtenAt": "2026-03-02T12:00:00.120Z", "editedAt": null, "changedAt": "2026-03-02T12:00:00.120Z", '
    '"reply": {"text": "Dank!", "repliedAt": "2026-03-03T12:00:00.120Z"}}'
)
SHOWN = {
    "an invitation in a list": (OperatorInvitation.of(INVITATION, SITE), SHOWN_INVITATION),
    "an invitation with its history": (
        OperatorInvitation.of(INVITATION, SITE, CHANGES),
        SHOWN_INVITATION[:-1]
        + ', "history": [{"state": "scheduled", "reason": "reported", "at": "2026-03-02T12:00:00.120Z", '
        '"reply": null}, {"state": "sent", "reason": "accepted", "at": "2026-03-07T12:00:00.120Z", "reply": "250"}]}',
    ),
    "a review in a list": (OperatorReview.of(REVIEW, SITE, "1001"), SHOWN_REVIEW),
    "a review with its history": (
        OperatorReview.of(REVIEW, SITE, "1001", [REVIEW.change, HIDDEN]),
        SHOWN_REVIEW[:-1]
        + ', "history": [{"act": "written", "by": "customer", "state": "published", "hiddenFor": null, '
        '"at": "2026-03-02T12:00:00.120Z"}, {"act": "hidden", "by": "operator", "state": "hidden", '
        '"hiddenFor": "spam", "at": "2026-03-02T12:00:00.120Z"}]}',
    ),
    "a shop": (
        OperatorShop.of(SHOP),
        '{"siteId": "bakkerij-1", "name": "Bakkerij De Molen", "active": true, "language": "nl", "delayDays": 2.5, '
        '"replyTo": "hallo@molen.nl", "trustMark": "absent", "frequencyDays": 0, '
        '"snippet": "open"}',
    ),
    "whole days": (
        OperatorShop.of(a_shop().numbered(1)),
        '{"siteId": "bakkerij-1", "name": "Bakkerij De Molen", "active": true, "language": "nl", "delayDays": 5, '
        '"replyTo": null, "trustMark": "absent", "frequencyDays": 0, '
        '"snippet": "open"}',
    ),
    "a key": (
        OperatorKey.of(an_api_key(SHOP)),
        '{"keyId": "key_1", "lastFour": "wxyz", "label": "web shop", "createdAt": "2026-03-02T12:00:00.120Z", '
        '"revokedAt": null}',
    ),
    "a signing key": (
        OperatorSigningKey.of(a_signing_key()),
        '{"keyId": "bpnJnS1_eAJJV8SQdmNXLTXyl6A9-yLFLxLwLo6we-4", "state": "announced", '
        '"announcedAt": "2026-03-02T12:00:00.120Z", "signingSince": null, "endedAt": null}',
    ),
    "a suppression": (
        OperatorSuppression.of(a_suppression(1), SITE),
        '{"addressHash": "396fd2f2", "siteId": "bakkerij-1", "origin": "customer", '
        '"suppressedAt": "2026-03-02T12:00:00.120Z"}',
    ),
    "a suppression at all shops": (
        OperatorSuppression.of(a_suppression(None), None),
        '{"addressHash": "396fd2f2", "siteId": null, "origin": "customer", "suppressedAt": "2026-03-02T12:00:00.120Z"}',
    ),
    "a new order": (
        ReportedOrder(invite_id="0190", scheduled_for=NOON, duplicate=False),
        '{"inviteId": "0190", "scheduledFor": "2026-03-02T12:00:00.120Z"}',
    ),
    "lines of a file": (
        [AcceptedLine(2, "0190", duplicate=False), RefusedLine(3, None, "malformed_csv")],
        '[{"line": 2, "inviteId": "0190", "duplicate": false}, {"line": 3, "field": null, "problem": "malformed_csv"}]',
    ),
    "a path": ({"file": Path("/a/b"), "old": None}, '{"file": "/a/b", "old": null}'),
}


@pytest.mark.parametrize(("value", "expected"), SHOWN.values(), ids=SHOWN)
def test_each_is_printed_to_the_letter(value: object, expected: str) -> None:
    assert json.dumps(as_json(value)) == expected


@pytest.mark.parametrize("reason", ["", "dns:no_record"])
def test_a_domain_is_printed_with_its_shop(reason: str) -> None:
    shown = OperatorDomain.of(attrs.evolve(a_domain(), checked_at=NOON, reason=reason), "molen")
    assert json.dumps(as_json(shown)) == (
        '{"host": "molen.example.nl", "siteId": "molen", "standing": "unproved", "verified": false, '
        '"txtName": "_reviewinvite.molen.example.nl", '
        '"fileUrl": "https://molen.example.nl/.well-known/reviewinvite.txt", '
        '"proof": "reviewinvite-verification=abcdefghijklmnopqrstuvwxyz234567", '
        '"addedAt": "2026-03-02T12:00:00.120Z", "verifiedAt": null, "checkedAt": "2026-03-02T12:00:00.120Z", '
        f'"missingSince": null, "lostAt": null, "reason": {json.dumps(reason or None)}}}'
    )
