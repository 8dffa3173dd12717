"""Bytes <-> domain, without I/O. What is not exactly right is refused, never guessed at. Spec: §2, §4.1."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any, NoReturn

import attrs

from reviewinvite_core import Condition, Invalid, KeyRefused, OrderReport, Problem, Reported, SecretKey
from reviewinvite_core.domain.timing import iso_milliseconds

JSON = "application/json"

_ORDER_FIELDS = {
    "email": "email",
    "orderNumber": "order_number",
    "language": "language",
    "delayDays": "delay",
}
_LONGEST_FIELD_NAME = 64


def decode_order(body: bytes) -> OrderReport | Invalid:
    """The order report in a request's body, or what is wrong with it first."""
    try:
        fields = _decode_object(body)
        for name, value in fields.items():
            if name not in _ORDER_FIELDS:
                return Invalid(Problem.UNKNOWN_FIELD, _as_field(name))
            if value is None:
                return Invalid(Problem.WRONG_TYPE, name)
        if "email" not in fields:
            return Invalid(Problem.FIELD_MISSING, "email")
        return OrderReport(**{_ORDER_FIELDS[name]: value for name, value in fields.items()})
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


def _decode_object(body: bytes) -> dict[str, Any]:
    try:
        decoded = _DECODER.decode(body.decode("utf-8"))
    except Invalid:
        raise
    except (ValueError, RecursionError):  # not UTF-8, not JSON, a number of 5,000 digits, 8,000 brackets
        raise Invalid(Problem.INVALID_JSON) from None
    if not isinstance(decoded, dict):
        raise Invalid(Problem.NOT_AN_OBJECT)
    return decoded


def _once_each(pairs: list[tuple[str, object]]) -> dict[str, object]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        times = Counter(name for name, _ in pairs)
        raise Invalid(Problem.DUPLICATE_FIELD, _as_field(times.most_common(1)[0][0]))
    return fields


def _no_constant(_: str) -> NoReturn:
    """NaN and the infinities, which Python reads and JSON does not have."""
    raise Invalid(Problem.INVALID_JSON)


def _as_field(name: str) -> str:
    """A field's name as it may be shown in an answer."""
    return name[:_LONGEST_FIELD_NAME].encode("ascii", "backslashreplace").decode("ascii")


_DECODER = json.JSONDecoder(object_pairs_hook=_once_each, parse_constant=_no_constant)
