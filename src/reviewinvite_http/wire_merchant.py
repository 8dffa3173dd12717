"""Bytes <-> domain for what a merchant asks about reviews and invitations, without I/O. Spec: §4.6 to §4.11."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Collection, Mapping
from datetime import UTC, datetime
from urllib.parse import parse_qsl

from reviewinvite_core import (
    Bookmark,
    Invalid,
    Invitation,
    InvitationRecord,
    MerchantInvitationQuery,
    MerchantInvitations,
    MerchantReviewQuery,
    MerchantReviews,
    NewReply,
    Problem,
    ReviewRecord,
    as_field,
)
from reviewinvite_core.domain.orders import order_number
from reviewinvite_core.domain.timing import EPOCH, iso_milliseconds
from reviewinvite_http.wire import decode_fields

MOST_ON_A_PAGE = 100
SINCE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?(Z|[+-][0-9]{2}:[0-9]{2}))?"
REVIEW_CURSOR = "[0-9a-f]{1,14}-[0-9a-f]{32}"
INVITATION_CURSOR = "[0-9a-f]{32}"

_LATEST = datetime(4000, 1, 1, tzinfo=UTC)  # a bookmark has no room for much later
_LIMIT = re.compile("[0-9]{1,6}", re.ASCII)
_SINCE = re.compile(SINCE, re.ASCII)
_INVITATION_CURSOR = re.compile(INVITATION_CURSOR, re.ASCII)
_MOST_PARAMETERS = 16


def decode_reviews_asked(query: bytes) -> MerchantReviewQuery | Invalid:
    """Which reviews a query asks for, or what is wrong with it first. A cursor wins over `since`, where it began."""
    try:
        asked = _parameters(query, ("cursor", "limit", "since"))
        since = _instant(asked["since"]) if "since" in asked else EPOCH
        after = Bookmark.parse(asked["cursor"]) if "cursor" in asked else Bookmark.since(since)
        if after is None:
            return Invalid(Problem.MALFORMED, "cursor")
        return MerchantReviewQuery(after=after, **_limit(asked))
    except Invalid as invalid:
        return invalid


def decode_invitations_asked(query: bytes) -> MerchantInvitationQuery | Invalid:
    """Which invitations a query asks for, or what is wrong with it first."""
    try:
        asked = _parameters(query, ("cursor", "limit", "orderNumber"))
        cursor = asked.get("cursor")
        if cursor is not None and not _INVITATION_CURSOR.fullmatch(cursor):
            return Invalid(Problem.MALFORMED, "cursor")
        return MerchantInvitationQuery(
            before=str(uuid.UUID(cursor)) if cursor else None,
            order_number=order_number(asked["orderNumber"]) if "orderNumber" in asked else None,
            **_limit(asked),
        )
    except Invalid as invalid:
        return invalid


def decode_reply(body: bytes) -> NewReply | Invalid:
    """The reply in a request's body, or what is wrong with it first."""
    try:
        return NewReply(text=decode_fields(body, ("text",), required=("text",))["text"])
    except Invalid as invalid:
        return invalid


def decode_nothing(body: bytes) -> Invalid | None:
    """What is wrong with a body that is to say nothing: it is empty, or an object without fields."""
    try:
        if body:
            decode_fields(body, (), required=())
    except Invalid as invalid:
        return invalid
    return None


def encode_reviews(page: MerchantReviews) -> bytes:
    """A page of reviews, the place to go on from, and whether there is more already."""
    reviews = [_review(record) for record in page.reviews]
    return _json({"reviews": reviews, "cursor": page.next.text, "more": page.more})


def encode_review(record: ReviewRecord) -> bytes:
    """A review as its shop sees it."""
    return _json(_review(record))


def encode_invitations(page: MerchantInvitations) -> bytes:
    """A page of invitations, and the place to go on from, which is null at the end."""
    cursor = page.next.replace("-", "") if page.next else None
    return _json({"invitations": [_invitation(each) for each in page.invitations], "cursor": cursor})


def encode_invitation(record: InvitationRecord) -> bytes:
    """An invitation with its history; whom it is for is not said (ADR-30)."""
    history = [
        {"state": change.state, "reason": change.reason, "at": iso_milliseconds(change.at), "reply": change.reply}
        for change in record.history
    ]
    return _json({**_invitation(record.invitation), "history": history})


def _review(record: ReviewRecord) -> dict[str, object]:
    one = record.review
    reply = {"text": one.reply.text, "repliedAt": iso_milliseconds(one.reply.replied_at)} if one.reply else None
    return {
        "reviewId": one.review_id,
        "inviteId": one.invite_id,
        "orderNumber": record.order_number,
        "state": one.state,
        "hiddenFor": one.hidden_for,
        "rating": one.rating,
        "text": one.text,
        "author": one.author,
        "language": one.language,
        "writtenAt": iso_milliseconds(one.written_at),
        "editedAt": iso_milliseconds(one.edited_at) if one.edited_at else None,
        "changedAt": iso_milliseconds(one.changed_at),
        "reply": reply,
    }


def _invitation(one: Invitation) -> dict[str, object]:
    return {
        "inviteId": one.invite_id,
        "orderNumber": one.order_number,
        "language": one.language,
        "state": one.state,
        "reason": one.reason,
        "reportedAt": iso_milliseconds(one.reported_at),
        "scheduledFor": iso_milliseconds(one.scheduled_for),
        "changedAt": iso_milliseconds(one.changed_at),
    }


def _parameters(query: bytes, known: Collection[str]) -> Mapping[str, str]:
    """The parameters of a query: known ones only, each once.

    Raises: `Invalid`.
    """
    try:
        pairs = parse_qsl(
            query.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=_MOST_PARAMETERS
        )
    except ValueError:  # not UTF-8 behind the percent signs, or far too many
        raise Invalid(Problem.MALFORMED, "query") from None
    found: dict[str, str] = {}
    for name, value in pairs:
        if name not in known:
            raise Invalid(Problem.UNKNOWN_FIELD, as_field(name))
        if name in found:
            raise Invalid(Problem.DUPLICATE_FIELD, name)
        found[name] = value
    return found


def _limit(asked: Mapping[str, str]) -> dict[str, int]:
    text = asked.get("limit")
    if text is None:
        return {}
    if not _LIMIT.fullmatch(text):
        raise Invalid(Problem.MALFORMED, "limit")
    if not 1 <= int(text) <= MOST_ON_A_PAGE:
        raise Invalid(Problem.OUT_OF_RANGE, "limit")
    return {"limit": int(text)}


def _instant(text: str) -> datetime:
    """The instant of a text in ISO 8601: a day in UTC, or a day and a time with its zone."""
    if not _SINCE.fullmatch(text):
        raise Invalid(Problem.MALFORMED, "since")
    try:
        parsed = datetime.fromisoformat(text)
        at = parsed.astimezone(UTC) if parsed.tzinfo else parsed.replace(tzinfo=UTC)
    except (ValueError, OverflowError):  # 30 February, an hour before the year 1
        raise Invalid(Problem.OUT_OF_RANGE, "since") from None
    if not EPOCH <= at < _LATEST:
        raise Invalid(Problem.OUT_OF_RANGE, "since")
    return at


def _json(value: Mapping[str, object]) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
