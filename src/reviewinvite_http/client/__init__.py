"""A client of the merchant API, sync and async: report orders, read reviews, verify statements. Spec: §4.

`Client` and `AsyncClient` have the same methods. They return values, and raise a `ReviewinviteError` if the service
refuses a call or does not answer. Temporary failures are retried as `Retries` says. Every call of the API is safe to
repeat: the service recognises an order that was reported before, and repeating a reply or a cancellation changes
nothing.

This package needs httpx (`pip install reviewinvite[client]`) and no web server. Only the names in `__all__` are
public.
"""

from importlib.util import find_spec

if find_spec("httpx") is None:
    raise ModuleNotFoundError("the client needs httpx: install reviewinvite[client]", name="httpx")

from reviewinvite_core.domain.badge import Size, Theme
from reviewinvite_core.domain.domains import FailureReason, ProofWay, VerificationStatus
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.reviews import HideReason, ReviewState
from reviewinvite_core.domain.snippets import SnippetMode
from reviewinvite_core.domain.statements import Statement
from reviewinvite_core.domain.trust_mark import Status, TrustMark
from reviewinvite_core.domain.verifying import Flaw
from reviewinvite_core.wire.domains import Domain, DomainCheck, DomainList, ProofAbsence
from reviewinvite_core.wire.errors import FieldError
from reviewinvite_core.wire.invitations import Change, Invitation, InvitationPage, InvitationRecord
from reviewinvite_core.wire.orders import ReportedOrder
from reviewinvite_core.wire.reviews import Reply, Review, ReviewPage
from reviewinvite_core.wire.shops import Badge, Shop
from reviewinvite_http.client.async_client import AsyncClient
from reviewinvite_http.client.errors import (
    ApiError,
    Conflict,
    Forbidden,
    GaveUp,
    InvalidRequest,
    LimitReached,
    MalformedAnswer,
    NoAnswer,
    NotFound,
    RefusedStatement,
    ReviewinviteError,
    ServiceFault,
    TimedOut,
    Unauthorized,
)
from reviewinvite_http.client.exchange import verify_document
from reviewinvite_http.client.rate_limits import RateLimit
from reviewinvite_http.client.retries import Clock, Retries, SystemClock
from reviewinvite_http.client.sync_client import Client

__all__ = [
    "ApiError",
    "AsyncClient",
    "Badge",
    "Change",
    "Client",
    "Clock",
    "Conflict",
    "Domain",
    "DomainCheck",
    "DomainList",
    "FailureReason",
    "FieldError",
    "Flaw",
    "Forbidden",
    "GaveUp",
    "HideReason",
    "InvalidRequest",
    "Invitation",
    "InvitationPage",
    "InvitationRecord",
    "LimitReached",
    "MalformedAnswer",
    "NoAnswer",
    "NotFound",
    "ProofAbsence",
    "ProofWay",
    "RateLimit",
    "Reason",
    "RefusedStatement",
    "Reply",
    "ReportedOrder",
    "Retries",
    "Review",
    "ReviewPage",
    "ReviewState",
    "ReviewinviteError",
    "ServiceFault",
    "Shop",
    "Size",
    "SnippetMode",
    "State",
    "Statement",
    "Status",
    "SystemClock",
    "Theme",
    "TimedOut",
    "TrustMark",
    "Unauthorized",
    "VerificationStatus",
    "verify_document",
]
