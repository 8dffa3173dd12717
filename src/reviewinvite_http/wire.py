"""Bytes <-> domain, without I/O. What is not exactly right is refused, never guessed at. Spec: §2, §4.1."""

from __future__ import annotations

import json
from collections.abc import Container, Sequence
from typing import Any

import attrs

from reviewinvite_core import (
    Condition,
    Invalid,
    KeyRefused,
    OrderReport,
    Problem,
    Reported,
    SecretKey,
    SiteId,
    SnippetReport,
    as_field,
    decode_object,
)
from reviewinvite_core.domain.timing import iso_milliseconds

JSON = "application/json"

_ORDER_FIELDS = {
    "email": "email",
    "orderNumber": "order_number",
    "language": "language",
    "delayDays": "delay",
}
_SNIPPET_FIELDS = frozenset({"siteId", "email", "orderNumber"})

SNIPPET_ACKNOWLEDGED = b'{"ok":true}'
"""The one answer to every report of a browser that is accepted. Spec: §4.2."""


def decode_order(body: bytes) -> OrderReport | Invalid:
    """The order report in a request's body, or what is wrong with it first."""
    try:
        fields = decode_fields(body, _ORDER_FIELDS, required=("email",))
        return OrderReport(**{_ORDER_FIELDS[name]: value for name, value in fields.items()})
    except Invalid as invalid:
        return invalid


def decode_snippet(body: bytes) -> SnippetReport | Invalid:
    """The report in the body of a browser's request, or what is wrong with it first."""
    try:
        fields = decode_fields(body, _SNIPPET_FIELDS, required=("siteId", "email"))
        site_id = fields["siteId"]
        if not isinstance(site_id, str):
            return Invalid(Problem.WRONG_TYPE, "siteId")
        order = OrderReport(email=fields["email"], order_number=fields.get("orderNumber"))
        return SnippetReport(site_id=SiteId.parse(site_id), order=order)
    except Invalid as invalid:
        return invalid


def decode_authorization(header: str | None) -> SecretKey | KeyRefused:
    """The key in an Authorization header; a malformed one is refused here, before storage is asked."""
    if header is None:
        return KeyRefused(presented=False)
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer" or not token.strip():
        return KeyRefused(presented=False)
    return SecretKey.parse(token.strip()) or KeyRefused(presented=True)


def is_json(content_type: str | None) -> bool:
    """Whether a Content-Type header says JSON, parameters aside."""
    return content_type is not None and content_type.partition(";")[0].strip().lower() == JSON


def encode_reported(reported: Reported) -> bytes:
    """The invitation result of Spec: §2."""
    duplicate = ',"duplicate":true' if reported.duplicate else ""
    scheduled_for = iso_milliseconds(reported.scheduled_for)
    return f'{{"inviteId":"{reported.invite_id}","scheduledFor":"{scheduled_for}"{duplicate}}}'.encode()


@attrs.frozen(kw_only=True)
class Readiness:
    """How storage is, and what deliveries do: `off`, `running`, `stopped` or `paused`, and then for which reason."""

    condition: Condition
    delivery: str
    reason: str | None = None


def encode_readiness(readiness: Readiness) -> bytes:
    """The answer of a service that is ready, and how it is. Spec: §4, Other addresses."""
    condition = readiness.condition
    storage: dict[str, object] = {"engine": condition.engine}
    pool = condition.connections
    if pool:
        storage["connections"] = {"open": pool.open, "inUse": pool.in_use, "waiting": pool.waiting}
    answer = {"status": "ready", "storage": storage, "delivery": readiness.delivery}
    if readiness.reason:
        answer["reason"] = readiness.reason
    return json.dumps(answer, separators=(",", ":")).encode()


def decode_fields(body: bytes, known: Container[str], required: Sequence[str]) -> dict[str, Any]:
    """The fields of the object in a body: known ones only, none of them null, and all that are required."""
    fields = decode_object(body)
    for name, value in fields.items():
        if name not in known:
            raise Invalid(Problem.UNKNOWN_FIELD, as_field(name))
        if value is None:
            raise Invalid(Problem.WRONG_TYPE, name)
    for name in required:
        if name not in fields:
            raise Invalid(Problem.FIELD_MISSING, name)
    return fields
