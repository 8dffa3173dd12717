"""The client for asyncio programs."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from datetime import datetime
from types import TracebackType
from typing import Self, TypeVar

import httpx

from reviewinvite_core.derived import derived
from reviewinvite_core.domain.invitation_states import State
from reviewinvite_core.domain.reviews import ReviewState
from reviewinvite_core.wire.invitations import InvitationPage
from reviewinvite_core.wire.reviews import ReviewPage
from reviewinvite_http.client import calls
from reviewinvite_http.client.exchange import Exchange, Outcome, Send, Service
from reviewinvite_http.client.rate_limits import RateLimit
from reviewinvite_http.client.retries import DEFAULT_RETRIES, SYSTEM_CLOCK, Clock, Retries
from reviewinvite_http.client.sync_client import Client
from reviewinvite_http.client.transport import FAULTS, Body, as_error

T = TypeVar("T")


class AsyncClient:
    """A client of the merchant API; tasks of one event loop may share it. Spec: §4.

    Its methods are those of `Client` as coroutines. Close it, or use it in an `async with` statement: it keeps
    connections open between calls. A cancelled call is not repeated; its request may still have taken effect.
    """

    def __init__(
        self,
        base_url: str,
        api_key: str | None = None,
        *,
        timeout: float = 10.0,
        retries: Retries = DEFAULT_RETRIES,
        http: httpx.AsyncClient | None = None,
        clock: Clock = SYSTEM_CLOCK,
    ) -> None:
        """Create a client of the service at `base_url`; nothing is sent yet.

        `timeout` is how many seconds one attempt may take, from connecting to the end of the answer. `verify` needs no
        `api_key`. Pass your own `http` to use a proxy or certificates; you remain responsible for closing it.

        Raises: `ValueError` if the URL or the key is malformed.
        """
        self._service = Service(base_url=base_url, api_key=api_key, timeout=timeout, retries=retries, clock=clock)
        self._http = http or httpx.AsyncClient()
        self._owns_http = http is None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._service.base_url!r})"

    @property
    def rate_limits(self) -> Mapping[str, RateLimit]:
        """What the service last told this client of each limit of the key, by name: `orders`, `reads`, `changes`.

        A limit is missing until a call was charged to it, or if the operator has switched it off. Spec: §8.
        """
        return dict(self._service.rate_limits)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        if self._owns_http:
            await self._http.aclose()

    report_order = derived(Client.report_order)
    list_reviews = derived(Client.list_reviews)
    get_review = derived(Client.get_review)
    reply = derived(Client.reply)
    list_invitations = derived(Client.list_invitations)
    get_invitation = derived(Client.get_invitation)
    cancel_invitation = derived(Client.cancel_invitation)
    get_shop = derived(Client.get_shop)
    update_shop = derived(Client.update_shop)
    get_badge = derived(Client.get_badge)
    set_badge = derived(Client.set_badge)
    list_domains = derived(Client.list_domains)
    add_domain = derived(Client.add_domain)
    check_domain = derived(Client.check_domain)
    get_statement = derived(Client.get_statement)
    get_public_keys = derived(Client.get_public_keys)
    verify = derived(Client.verify)

    def review_pages(
        self,
        *,
        cursor: str | None = None,
        since: datetime | None = None,
        limit: int = calls.MOST_ON_A_PAGE,
        rating: int | None = None,
        state: ReviewState | str | None = None,
    ) -> AsyncIterator[ReviewPage]:
        """Yield all pages from `list_reviews` to the last one, which may be empty.

        Store a page's reviews and then its `cursor`, so that an interrupted program can continue there.

        Raises: `ReviewinviteError`, `ValueError` if `since` has no time zone.
        """
        return self._pages(calls.list_reviews(cursor=cursor, since=since, limit=limit, rating=rating, state=state))

    def invitation_pages(
        self,
        *,
        order_number: str | None = None,
        state: State | str | None = None,
        cursor: str | None = None,
        limit: int = calls.MOST_ON_A_PAGE,
    ) -> AsyncIterator[InvitationPage]:
        """Yield all pages from `list_invitations` to the last one.

        Raises: `ReviewinviteError`.
        """
        call = calls.list_invitations(order_number=order_number, state=state, cursor=cursor, limit=limit)
        return self._pages(call)

    async def _pages(self, first: calls.Call[calls.Page]) -> AsyncIterator[calls.Page]:
        call: calls.Call[calls.Page] | None = first
        while call is not None:
            page = await self._run(self._service.exchange(call))
            yield page
            call = calls.next_page(call, page)

    async def _run(self, exchange: Exchange[T]) -> T:
        outcome: Outcome = None
        while True:
            try:
                step = exchange.send(outcome)
            except StopIteration as end:
                result: T = end.value
                return result
            if isinstance(step, Send):
                outcome = await self._send(step)
            else:
                outcome = None
                await self._service.clock.sleep_async(step.seconds)

    async def _send(self, step: Send) -> Outcome:
        body = Body(self._service.clock, step.seconds)
        try:
            async with asyncio.timeout(step.seconds):
                async with self._http.stream(**step.request, timeout=step.seconds) as response:
                    async for piece in response.aiter_bytes():
                        body.add(piece)
                    return body.of(response)
        except FAULTS as fault:
            return as_error(fault)
