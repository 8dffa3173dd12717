"""The JSON bodies of requests, validated strictly: nothing is guessed. Spec: §2.

Problems are values rather than exceptions, because the use case counts a request against the key's limit before
refusing it.
"""

from __future__ import annotations

from reviewinvite_core import Invalid, NewReply, OrderReport, SnippetReport
from reviewinvite_core.values import Problem
from reviewinvite_core.wire.json_converter import NoFields
from reviewinvite_http.schemas.shops import NewBadge, NewDomain, SettingsUpdate

EMPTY_BODY = Invalid(Problem.INVALID_JSON)

BODIES = frozenset({OrderReport, SnippetReport, NewReply, NoFields, SettingsUpdate, NewDomain, NewBadge})
