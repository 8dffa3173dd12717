"""A client of the merchant API, sync and async: report orders, read reviews, verify statements. Spec: §4.

`Client` and `AsyncClient` have the same methods. They return values, and raise a `ReviewinviteError` if the service
refuses a call or does not answer. What may be answered better later is repeated, as `Retries` says: every call of the
API can be made again without harm, because the service knows an order that was reported before, and a reply or a
cancellation that is made again changes nothing.

This package needs httpx (`pip install reviewinvite[client]`), and nothing of a server. All that is named in `__all__`
is public.
"""

from importlib.util import find_spec

if find_spec("httpx") is None:
    raise ModuleNotFoundError("the client needs httpx: install reviewinvite[client]", name="httpx")

from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.reviews import HideReason, ReviewState
from reviewinvite_core.domain.statements import Statement
from reviewinvite_core.domain.trust_mark import Status
from reviewinvite_core.domain.verifying import Flaw
from reviewinvite_http.client.async_client import AsyncClient
from reviewinvite_http.client.errors import (
    ApiError,
    Conflict,
    FieldError,
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
from reviewinvite_http.client.results import (
    Change,
    Invitation,
    InvitationPage,
    InvitationRecord,
    Reply,
    ReportedOrder,
    Review,
    ReviewPage,
)
from reviewinvite_http.client.retries import Clock, Retries, SystemClock
from reviewinvite_http.client.sync_client import Client

__all__ = [
    "ApiError",
    "AsyncClient",
    "Change",
    "Client",
    "Clock",
    "Conflict",
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
    "State",
    "Statement",
    "Status",
    "SystemClock",
    "TimedOut",
    "Unauthorized",
    "verify_document",
]
