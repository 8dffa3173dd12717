"""The JSON bodies of requests. What is not exactly right is refused, never guessed at. Spec: §2.

What is wrong is a value and no exception: the use case charges the key's limit before it refuses it.
"""

from __future__ import annotations

from reviewinvite_core import Invalid, NewReply, NoFields, OrderReport, Problem, SnippetReport

EMPTY_BODY = Invalid(Problem.INVALID_JSON)

BODIES = frozenset({OrderReport, SnippetReport, NewReply, NoFields})
