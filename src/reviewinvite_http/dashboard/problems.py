"""The dashboard's error pages: what happened, in the reader's language, a way on, and what was typed. Spec: §10.4."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

import attrs
from litestar import Response
from litestar.exceptions import HTTPException
from litestar.plugins.htmx import ClientRedirect
from litestar.types import ExceptionHandlersMap

from reviewinvite_core import Refusal, Refused
from reviewinvite_core.texts.catalogue import Texts, gettext_noop, texts_in
from reviewinvite_core.values import KeyRefused, LimitReached, RoleRefused, SignInTooOld
from reviewinvite_http.dashboard.address import RETURN_FIELD, path_of
from reviewinvite_http.dashboard.form import Form, form_in
from reviewinvite_http.dashboard.page import dashboard_page, headers_of, see_other
from reviewinvite_http.dashboard.visit import Visit, visit_of
from reviewinvite_http.errors import RETRY_STORAGE_AFTER_SECONDS, STATUS_OF
from reviewinvite_http.requests import AnyRequest, request_id_of

_ALMOST_A_MINUTE = timedelta(seconds=59, microseconds=999_999)  # rounds up: before that minute, it would be refused


class NotSignedIn(Exception):
    """Nobody is signed in, or the session has ended."""


class ForeignForm(Exception):
    """A form came from another site, or from a browser that does not say where it comes from."""


class StaleForm(Exception):
    """A form was made for another session."""


class NotEncrypted(Exception):
    """The dashboard is reached over plain http from elsewhere, where others could read the session."""


@attrs.frozen
class Problem:
    """A kind of error page: its status, and its texts in English. `keeps` is whether sending again can help."""

    status: int
    heading: str
    advice: str
    keeps: bool = attrs.field(default=False, kw_only=True)
    signs_in: bool = attrs.field(default=False, kw_only=True)


FOREIGN_FORM = Problem(
    403,
    gettext_noop("This request did not come from the dashboard"),
    gettext_noop("Nothing was changed. Open the page in the dashboard and use the form there."),
)
STALE_FORM = Problem(
    403,
    gettext_noop("You have signed in again since you opened the page"),
    gettext_noop("Nothing was changed yet. Check what you entered, and send it again."),
    keeps=True,
)
SESSION_ENDED = Problem(
    403,
    gettext_noop("Your session has ended"),
    gettext_noop("Nothing was saved yet. Sign in again in a new tab, then come back to this page and send it again."),
    keeps=True,
    signs_in=True,
)
NOT_ENCRYPTED = Problem(
    403,
    gettext_noop("The dashboard needs a secure connection"),
    gettext_noop("The operator of this service must give the dashboard an address that begins with https."),
)
ROLE_REFUSED = Problem(
    403,
    gettext_noop("Only an owner of the shop can do this"),
    gettext_noop("Nothing was changed. Ask an owner to do it, or continue with reviews and invitations."),
)
SIGN_IN_TOO_OLD = Problem(
    403,
    gettext_noop("Please sign in again"),
    gettext_noop("Nothing was changed yet. For this step, you must have signed in within the last 15 minutes."),
    keeps=True,
    signs_in=True,
)
UNAVAILABLE = Problem(
    503,
    gettext_noop("Temporarily unavailable"),
    gettext_noop("Nothing was saved: the service cannot reach its storage. Please try again in a minute."),
    keeps=True,
)
FAULT = Problem(
    500, gettext_noop("Something went wrong"), gettext_noop("That was our fault. Please try again later."), keeps=True
)
NOT_FOUND = Problem(
    404,
    gettext_noop("This page does not exist"),
    gettext_noop("It may have been removed, or it belongs to a shop that you have no access to."),
)
CONFLICT = Problem(
    409,
    gettext_noop("This is no longer possible"),
    gettext_noop("Something has changed since you opened the page. Open it again to see the current state."),
)
INACTIVE = Problem(
    403,
    gettext_noop("The shop is not active"),
    gettext_noop("Nothing was changed. The operator of this service can reactivate the shop."),
)
TOO_LONG = Problem(
    413,
    gettext_noop("That is too long"),
    gettext_noop("What you sent is larger than this page accepts. Go back and make it shorter."),
)
TOO_MANY = Problem(
    429,
    gettext_noop("Too many requests"),
    gettext_noop("Nothing was saved. Please wait a minute, and try again."),
    keeps=True,
)
LIMIT_REACHED = attrs.evolve(TOO_MANY, advice=gettext_noop("Nothing was saved. You can try again from %(time)s."))
_BY_STATUS: Mapping[int, Problem] = {403: INACTIVE, 404: NOT_FOUND, 409: CONFLICT, 413: TOO_LONG, 429: TOO_MANY}
_ANY_OTHER = Problem(
    400, gettext_noop("That did not work"), gettext_noop("Open the page again, and use the form on it.")
)
EVERY = tuple(each for each in list(vars().values()) if isinstance(each, Problem))
"""All kinds of error pages."""


def problem_page(
    request: AnyRequest,
    problem: Problem,
    *,
    status: int | None = None,
    headers: Mapping[str, str] | None = None,
    time: str = "",
) -> Response[Any]:
    """Return an error page; it needs no storage, so nobody is signed in on it. `time` is what its advice may insert.

    What was typed comes back, with a button that sends it again if that can help.
    """
    visit, texts = visit_of(request), texts_in(visit_of(request).language)
    form = form_in(request.scope) or Form()
    answer = dashboard_page(
        visit,
        "problem",
        status=status or problem.status,
        heading=texts.gettext(problem.heading),
        advice=texts.gettext(problem.advice, time=time),
        form=form if problem.keeps else Form(),
        typed=_typed(request, visit, form),
        sign_in_url=sign_in_url(request, visit) if problem.signs_in else None,
        request_id=request_id_of(request.scope) if (status or problem.status) >= 500 else None,
    )
    answer.headers.update(headers or {})
    return answer


def _typed(request: AnyRequest, visit: Visit, form: Form) -> list[tuple[str, str]]:
    """Return the label and the value of each field that a person typed into, as the handler declares them."""
    labels: Mapping[str, str] = request.scope["route_handler"].opt.get("typed", {}) if form.pairs else {}
    texts = texts_in(visit.language)
    return [(texts.gettext(label), form.text(name)) for name, label in labels.items() if form.text(name)]


def sign_in_url(request: AnyRequest, visit: Visit) -> str:
    """Return the address of the sign-in page, which leads back to the page of this request."""
    return f"{visit.root}/sign-in?" + urlencode({RETURN_FIELD: path_of(request)})


def answer_not_signed_in(request: AnyRequest, _: NotSignedIn) -> Response[Any]:
    """Redirect to the sign-in page, which leads back here; if something was typed, show it instead, with a link."""
    visit = visit_of(request)
    if _typed(request, visit, form_in(request.scope) or Form()):
        return problem_page(request, SESSION_ENDED)
    if visit.is_partial:  # a part of a page is no place to sign in
        lead = ClientRedirect(redirect_to=sign_in_url(request, visit))
        lead.headers.update(headers_of(visit))
        return lead
    return see_other(visit, sign_in_url(request, visit))


def answer_refusal(request: AnyRequest, refused: Refused) -> Response[Any]:
    """Return the page of a refusal by a use case that a section has no page of its own for."""
    if isinstance(refused.refusal, LimitReached):
        texts = texts_in(visit_of(request).language)
        headers = retry_headers(refused.refusal)
        return problem_page(request, LIMIT_REACHED, headers=headers, time=retry_time(refused.refusal, texts))
    return problem_page(request, _problem_of(refused.refusal))


def retry_time(refusal: LimitReached, texts: Texts) -> str:
    """Return the minute from which on a limit admits another call."""
    return texts.moment(refusal.retry_at + _ALMOST_A_MINUTE)


def retry_headers(refusal: LimitReached) -> Mapping[str, str]:
    """Return the header that says when a limit admits another call."""
    return {"Retry-After": str(refusal.retry_after_seconds)}


def _problem_of(refusal: Refusal) -> Problem:
    match refusal:
        case RoleRefused() | KeyRefused():  # the member has lost the role while the request was under way
            return ROLE_REFUSED
        case SignInTooOld():
            return SIGN_IN_TOO_OLD
    status = STATUS_OF[refusal.kind]
    return _BY_STATUS.get(status) or attrs.evolve(_ANY_OTHER, status=status)


def answer_http_exception(request: AnyRequest, error: HTTPException) -> Response[Any]:
    """Return the page of an error of Litestar or a handler, such as an unknown path or a form that is too large."""
    if error.status_code >= 500:
        return failure_page(request, 500)
    headers = {name: value for name, value in (error.headers or {}).items() if name.lower() == "allow"}
    problem = _BY_STATUS.get(error.status_code, _ANY_OTHER)
    return problem_page(request, problem, status=error.status_code, headers=headers)


def failure_page(request: AnyRequest, status: int) -> Response[Any]:
    """Return the page of a failure with this status, with what was typed."""
    if status != UNAVAILABLE.status:
        return problem_page(request, FAULT)
    return problem_page(request, UNAVAILABLE, headers={"Retry-After": str(RETRY_STORAGE_AFTER_SECONDS)})


EXCEPTION_HANDLERS: ExceptionHandlersMap = {
    NotSignedIn: answer_not_signed_in,
    ForeignForm: lambda request, _: problem_page(request, FOREIGN_FORM),
    StaleForm: lambda request, _: problem_page(request, STALE_FORM),
    NotEncrypted: lambda request, _: problem_page(request, NOT_ENCRYPTED),
    Refused: answer_refusal,
}
"""What only the dashboard knows; `exceptions.py` answers everything else, with `failure_page` here."""
