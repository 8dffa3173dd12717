"""Patterns for the OpenAPI description, for rules that types do not express."""

from __future__ import annotations

from typing import Any

from reviewinvite_core.domain.orders import LONGEST_ORDER_NUMBER

# No quoted local part, no address literal, and no reserved domain, because mail cannot reach it.
ADDRESS = (
    r"^[ \t]*[^\s@\"(),:;<>\[\]\\]+@([^\s@.\[\]]+\.)+"
    r"(?!(arpa|invalid|local|localhost|onion|test|[0-9]+)[ \t]*$)[^\s@.\[\]]+[ \t]*$"
)
HOST = r"^([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\.)+[A-Za-z]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?$"
SITE_ID = "^[A-Za-z0-9]([A-Za-z0-9_-]*[A-Za-z0-9])?$"
INSTANT = r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$"
REVIEW_CURSOR = "[0-9a-f]{1,14}-[0-9a-f]{32}"
INVITATION_CURSOR = "[0-9a-f]{32}"
REPLY = r"^[^\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f]*$"

SINCE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]{1,6})?(Z|[+-][0-9]{2}:[0-9]{2}))?"
"""The form of `since`; that the day and hour exist is checked separately."""

_DAYS_OF_A_YEAR = (
    "((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))"
)
_LEAP_DAYS = "(19(7[26]|8[048]|9[26])|[23][0-9](0[48]|[2468][048]|[13579][26])|(2[048]|3[26])00)-02-29"
SINCE_EXACTLY = (
    f"^((19(7[1-9]|[89][0-9])|2[0-9]{{3}}|3[0-8][0-9]{{2}})-{_DAYS_OF_A_YEAR}|{_LEAP_DAYS})"
    r"(T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,6})?(Z|[+-]([01][0-9]|2[0-3]):[0-5][0-9]))?$"
)

_FORBIDDEN = r"\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_BLANK = r" \xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_AROUND = rf"[\x09-\x0d\x1c-\x1f\x85{_BLANK}]*"  # what is stripped has control characters, too
ORDER_NUMBER: dict[str, Any] = {
    "type": "string",
    "min_length": 1,
    "max_length": LONGEST_ORDER_NUMBER,
    "pattern": f"^{_AROUND}[^{_FORBIDDEN}]*[^{_FORBIDDEN}{_BLANK}][^{_FORBIDDEN}]*{_AROUND}$",
}
REPORTED_NUMBER: dict[str, Any] = {
    "type": "string",
    "max_length": LONGEST_ORDER_NUMBER,
    "pattern": f"^{_AROUND}[^{_FORBIDDEN}]*{_AROUND}$",
}
