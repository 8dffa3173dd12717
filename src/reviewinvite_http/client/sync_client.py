"""The client for synchronous programs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from types import TracebackType
from typing import Self, TypeVar

import httpx

from reviewinvite_core.domain.badge import Size, Theme
from reviewinvite_core.domain.invitation_states import State
from reviewinvite_core.domain.reviews import ReviewState
from reviewinvite_core.domain.snippets import SnippetMode
from reviewinvite_core.domain.statements import Statement
from reviewinvite_core.wire.domains import Domain, DomainCheck
from reviewinvite_core.wire.invitations import InvitationPage, InvitationRecord
from reviewinvite_core.wire.orders import ReportedOrder
from reviewinvite_core.wire.reviews import Review, ReviewPage
from reviewinvite_core.wire.shops import Badge, Shop
from reviewinvite_http.client import calls
from reviewinvite_http.client.exchange import Exchange, Outcome, Send, Service
from reviewinvite_http.client.rate_limits import RateLimit
from reviewinvite_http.client.retries import DEFAULT_RETRIES, SYSTEM_CLOCK, Clock, Retries
from reviewinvite_http.client.transport import FAULTS, Body, as_error

T = TypeVar("T")


class Client:
    """A client of the merchant API; threads may share it. Spec: §4.

    Close it, or use it in a `with` statement: it keeps connections open between calls.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str | None = None,
        *,
        timeout: float = 10.0,
        retries: Retries = DEFAULT_RETRIES,
        http: httpx.Client | None = None,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        """Create a client of the service at `base_url`; nothing is sent yet.

        `timeout` is how many seconds one attempt may wait for the connection, for each part of the answer, and for the
        whole answer; the last of these is checked when a part arrives. `verify` needs no `api_key`. Pass your own
        `http` to use a proxy or certificates; you remain responsible for closing it.

        Raises: `ValueError` if the URL or the key is malformed.
        """
        self._service = Service(base_url=base_url, api_key=api_key, timeout=timeout, retries=retries, clock=clock)
        self._http = http or httpx.Client()
        self._owns_http = http is None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._service.base_url!r})"

    @property
    def rate_limits(self) -> Mapping[str, RateLimit]:
        """What the service last told this client of each limit of the key, by name: `orders`, `reads`, `changes`.

        A limit is missing until a call was charged to it, or if the operator has switched it off. Spec: §8.
        """
        return dict(self._service.rate_limits)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the connections."""
        if self._owns_http:
            self._http.close()

    def report_order(
        self,
        email: str,
        *,
        order_number: str | None = None,
        language: str | None = None,
        delay_days: float | None = None,
    ) -> ReportedOrder:
        """Report a completed order and return its invitation; a known order keeps its first invitation. Spec: §4.1.

        `delay_days` is the number of days until the invitation, from 0 to 60; it defaults to the shop's delay.

        Raises: `ReviewinviteError`.
        """
        return self._run(
            self._service.exchange(
                calls.report_order(email, order_number=order_number, language=language, delay_days=delay_days)
            )
        )

    def list_reviews(
        self,
        *,
        cursor: str | None = None,
        since: datetime | None = None,
        limit: int | None = None,
        rating: int | None = None,
        state: ReviewState | str | None = None,
    ) -> ReviewPage:
        """Return one page of the reviews that changed after `cursor`, or since an instant. Spec: §4.7.

        `rating` and `state` select those that have this rating, or are in this state, now.

        Store the page's `cursor`: the next call with it returns reviews that are new, changed, hidden or withdrawn.

        Raises: `ReviewinviteError`, `ValueError` if `since` has no time zone.
        """
        call = calls.list_reviews(cursor=cursor, since=since, limit=limit, rating=rating, state=state)
        return self._run(self._service.exchange(call))

    def review_pages(
        self,
        *,
        cursor: str | None = None,
        since: datetime | None = None,
        limit: int = calls.MOST_ON_A_PAGE,
        rating: int | None = None,
        state: ReviewState | str | None = None,
    ) -> Iterator[ReviewPage]:
        """Yield all pages from `list_reviews` to the last one, which may be empty.

        Store a page's reviews and then its `cursor`, so that an interrupted program can continue there.

        Raises: `ReviewinviteError`, `ValueError` if `since` has no time zone.
        """
        return self._pages(calls.list_reviews(cursor=cursor, since=since, limit=limit, rating=rating, state=state))

    def get_review(self, review_id: str) -> Review:
        """Return one review. Spec: §4.12.

        Raises: `ReviewinviteError`.
        """
        return self._run(self._service.exchange(calls.get_review(review_id)))

    def reply(self, review_id: str, text: str) -> Review:
        """Set the shop's reply to a review, or remove it if `text` is empty; return the review. Spec: §4.8.

        Raises: `ReviewinviteError`.
        """
        return self._run(self._service.exchange(calls.reply(review_id, text)))

    def list_invitations(
        self,
        *,
        order_number: str | None = None,
        state: State | str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> InvitationPage:
        """Return one page of the shop's invitations, all or those of an order number or in a state. Spec: §4.9.

        Raises: `ReviewinviteError`.
        """
        call = calls.list_invitations(order_number=order_number, state=state, cursor=cursor, limit=limit)
        return self._run(self._service.exchange(call))

    def invitation_pages(
        self,
        *,
        order_number: str | None = None,
        state: State | str | None = None,
        cursor: str | None = None,
        limit: int = calls.MOST_ON_A_PAGE,
    ) -> Iterator[InvitationPage]:
        """Yield all pages from `list_invitations` to the last one.

        Raises: `ReviewinviteError`.
        """
        call = calls.list_invitations(order_number=order_number, state=state, cursor=cursor, limit=limit)
        return self._pages(call)

    def get_invitation(self, invite_id: str) -> InvitationRecord:
        """Return an invitation with its history. Spec: §4.10.

        Raises: `ReviewinviteError`.
        """
        return self._run(self._service.exchange(calls.get_invitation(invite_id)))

    def cancel_invitation(self, invite_id: str) -> InvitationRecord:
        """Cancel an invitation that has not been handed over, and return it. Spec: §4.11.

        Raises: `ReviewinviteError`; `Conflict` if it is too late.
        """
        return self._run(self._service.exchange(calls.cancel_invitation(invite_id)))

    def get_shop(self) -> Shop:
        """Return the shop and its settings. Spec: §4.13.

        Raises: `ReviewinviteError`.
        """
        return self._run(self._service.exchange(calls.get_shop()))

    def update_shop(
        self,
        *,
        language: str | None = None,
        delay_days: float | None = None,
        frequency_days: int | None = None,
        snippet: SnippetMode | str | None = None,
    ) -> Shop:
        """Change the given settings, keep the others, and return the shop. Spec: §4.13.

        Raises: `ReviewinviteError`.
        """
        call = calls.update_shop(
            language=language, delay_days=delay_days, frequency_days=frequency_days, snippet=snippet
        )
        return self._run(self._service.exchange(call))

    def get_badge(self) -> Badge:
        """Return the badge's appearance. Spec: §4.14.

        Raises: `ReviewinviteError`.
        """
        return self._run(self._service.exchange(calls.get_badge()))

    def set_badge(self, *, theme: Theme | str, size: Size | str, language: str | None = None) -> Badge:
        """Replace the badge's appearance and return it; without a language it has the shop's. Spec: §4.14.

        Raises: `ReviewinviteError`.
        """
        return self._run(self._service.exchange(calls.set_badge(theme=theme, size=size, language=language)))

    def list_domains(self) -> tuple[Domain, ...]:
        """Return all domains of the shop, sorted by name. Spec: §4.15.

        Raises: `ReviewinviteError`.
        """
        return self._run(self._service.exchange(calls.list_domains()))

    def add_domain(self, host: str) -> Domain:
        """Add a domain, and return it with the proof to publish. Spec: §4.15.

        Raises: `ReviewinviteError`.
        """
        return self._run(self._service.exchange(calls.add_domain(host)))

    def check_domain(self, host: str) -> DomainCheck:
        """Look for the proof of a domain now, which takes up to 10 seconds; return what was found. Spec: §4.16.

        Raises: `ReviewinviteError`; `Conflict` if another shop has verified the domain.
        """
        return self._run(self._service.exchange(calls.check_domain(host)))

    def get_statement(self, site_id: str) -> bytes:
        """Return the signed statement about a shop, unverified; pass it to `verify_document`. Spec: §4.4.

        Raises: `ReviewinviteError`.
        """
        return self._run(self._service.exchange(calls.get_statement(site_id)))

    def get_public_keys(self) -> bytes:
        """Return the key set of the service; pass it to `verify_document`. Spec: §4.5.

        Raises: `ReviewinviteError`.
        """
        return self._run(self._service.exchange(calls.get_public_keys()))

    def verify(self, site_id: str) -> Statement:
        """Fetch the statement about a shop and the keys of the service, verify it and return it. Spec: §4.4.

        The result is valid, but the shop may be untrusted: check its `status`. Caches are bypassed, so a revoked key is
        not accepted. Each call counts as a view of the shop.

        Raises: `ReviewinviteError`; `RefusedStatement` if the statement fails verification.
        """
        return self._run(self._service.verification(site_id))

    def _pages(self, first: calls.Call[calls.Page]) -> Iterator[calls.Page]:
        call: calls.Call[calls.Page] | None = first
        while call is not None:
            page = self._run(self._service.exchange(call))
            yield page
            call = calls.next_page(call, page)

    def _run(self, exchange: Exchange[T]) -> T:
        outcome: Outcome = None
        while True:
            try:
                step = exchange.send(outcome)
            except StopIteration as end:
                result: T = end.value
                return result
            if isinstance(step, Send):
                outcome = self._send(step)
            else:
                outcome = None
                self._service.clock.sleep(step.seconds)

    def _send(self, step: Send) -> Outcome:
        body = Body(self._service.clock, step.seconds)
        try:
            with self._http.stream(**step.request, timeout=step.seconds) as response:
                for piece in response.iter_bytes():
                    body.add(piece)
                return body.of(response)
        except FAULTS as fault:
            return as_error(fault)
