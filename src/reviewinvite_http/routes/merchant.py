"""What a shop asks with its API key: its reviews and invitations, a reply, a cancellation. Spec: §4.6 to §4.11."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from litestar import HttpMethod, Request, post, route
from litestar.handlers import HTTPRouteHandler
from litestar.types import ASGIApp

from reviewinvite_core import (
    InvitationRecord,
    KeyRefused,
    MerchantInvitations,
    MerchantReviews,
    Refusal,
    ReviewRecord,
    UseCase,
)
from reviewinvite_http.answers import JsonAnswer, error_answer
from reviewinvite_http.commit_bridge import ServerContext
from reviewinvite_http.errors import refusal_answer, status_answer
from reviewinvite_http.request_ids import next_request_id
from reviewinvite_http.requests import header, read_body
from reviewinvite_http.wire import decode_authorization, is_json
from reviewinvite_http.wire_merchant import (
    decode_invitations_asked,
    decode_nothing,
    decode_reply,
    decode_reviews_asked,
    encode_invitation,
    encode_invitations,
    encode_review,
    encode_reviews,
)

R = TypeVar("R")
T = TypeVar("T")

_READ = [HttpMethod.GET, HttpMethod.HEAD]


def merchant_routes(edge: ServerContext) -> list[HTTPRouteHandler]:
    """The merchant's API beside the reporting of orders."""
    return [*_review_routes(edge), *_invitation_routes(edge)]


def _review_routes(edge: ServerContext) -> list[HTTPRouteHandler]:
    @route("/v1/reviews", http_method=_READ)
    async def list_reviews(request: Request[Any, Any, Any]) -> ASGIApp:
        """What changed of the shop's reviews, a page at a time."""
        asked = decode_reviews_asked(request.scope["query_string"])
        answer = await _served(edge, request, edge.app.serve_reviews, asked)
        return _answered(answer, MerchantReviews, encode_reviews)

    @post("/v1/reviews/{review_id:str}/reply")
    async def reply(request: Request[Any, Any, Any]) -> ASGIApp:
        """The shop's reply to a review, in the place of the one before."""
        body = await read_body(request.receive)
        if not is_json(header(request.scope, b"content-type")):
            return error_answer(status_answer(415, next_request_id()))
        review_id = str(request.path_params["review_id"])
        answer = await _served(edge, request, edge.app.receive_reply, review_id, decode_reply(body))
        return _answered(answer, ReviewRecord, encode_review)

    return [list_reviews, reply]


def _invitation_routes(edge: ServerContext) -> list[HTTPRouteHandler]:
    @route("/v1/invitations", http_method=_READ)
    async def list_invitations(request: Request[Any, Any, Any]) -> ASGIApp:
        """The shop's invitations, the newest first, a page at a time."""
        asked = decode_invitations_asked(request.scope["query_string"])
        answer = await _served(edge, request, edge.app.serve_invitations, asked)
        return _answered(answer, MerchantInvitations, encode_invitations)

    @route("/v1/invitations/{invite_id:str}", http_method=_READ)
    async def show_invitation(request: Request[Any, Any, Any]) -> ASGIApp:
        """One invitation with its history."""
        answer = await _served(edge, request, edge.app.serve_invitation, str(request.path_params["invite_id"]))
        return _answered(answer, InvitationRecord, encode_invitation)

    @post("/v1/invitations/{invite_id:str}/cancel")
    async def cancel(request: Request[Any, Any, Any]) -> ASGIApp:
        """Withdraw an invitation that has not been handed over; the request has no body, or an empty object."""
        body = await read_body(request.receive)
        if body and not is_json(header(request.scope, b"content-type")):
            return error_answer(status_answer(415, next_request_id()))
        invite_id = str(request.path_params["invite_id"])
        answer = await _served(edge, request, edge.app.receive_cancellation, invite_id, decode_nothing(body))
        return _answered(answer, InvitationRecord, encode_invitation)

    return [list_invitations, show_invitation, cancel]


async def _served(
    edge: ServerContext, request: Request[Any, Any, Any], use_case: UseCase[..., R], *asked: object
) -> R | KeyRefused:
    """What the use case gives to whoever holds the key that is presented."""
    key = decode_authorization(header(request.scope, b"authorization"))
    if isinstance(key, KeyRefused):
        return key
    return await edge.commit(use_case, key, *asked)


def _answered(answer: T | Refusal, good: type[T], encode: Callable[[T], bytes]) -> ASGIApp:
    if isinstance(answer, good):
        return JsonAnswer(200, encode(answer))
    return error_answer(refusal_answer(answer, next_request_id()))  # type: ignore[arg-type]  # it is a refusal
