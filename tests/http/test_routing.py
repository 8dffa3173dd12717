"""Paths and methods that are odd, and what is answered then."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from litestar import Litestar
from tests.http.service import Service, an_order, http_request, report
from tests.links import token_of
from tests.waiting import wait_until

from reviewinvite_core import AsyncApplication, Settings, build
from reviewinvite_core.domain.links import Purpose
from reviewinvite_http.app import create_app
from reviewinvite_http.context import ServerContext


def test_a_slash_too_many_changes_nothing(service: Service, key: str) -> None:
    direct = report(service.address, key, an_order(orderNumber="1"))
    headers = {"Authorization": f"Bearer {key}", "Content_Type": "application/json"}
    odd = http_request(service.address, "POST", "/v1//orders/", an_order(orderNumber="1"), **headers)
    assert (direct.status, odd.status) == (201, 200)
    assert odd.json["inviteId"] == direct.json["inviteId"]


READ, SENT = {"GET", "HEAD"}, {"POST"}
METHODS = {
    "/": READ,
    "/shops/bakkerij-1": READ,
    "/s/bakkerij-1.js": READ,
    "/w/bakkerij-1.js": READ,
    "/v1/verify/bakkerij-1": READ,
    "/v1/badge/public-keys": READ,
    "/v1/orders": SENT,
    "/v1/orders/snippet": SENT,
    "/v1/reviews": READ,
    "/v1/reviews/x": READ,
    "/v1/reviews/x/reply": SENT,
    "/v1/invitations": READ,
    "/v1/invitations/x": READ,
    "/v1/invitations/x/cancel": SENT,
    "/v1/shop": READ | {"PATCH"},
    "/v1/badge": READ | {"PUT"},
    "/v1/domains": READ | SENT,
    "/r/x": READ | SENT,
    "/u/x": READ | SENT,
}


@pytest.mark.parametrize("path", METHODS)
def test_a_method_that_is_not_allowed_is_told_those_that_are(service: Service, path: str) -> None:
    for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"} - METHODS[path]:
        answer = http_request(service.address, method, path)
        assert answer.status == 405, method
        assert set(answer.headers["Allow"].split(", ")) == METHODS[path] | {"OPTIONS"}, method


@pytest.mark.parametrize(
    "path", ["/", "/shops/bakkerij-1", "/s/bakkerij-1.js", "/r/{review}", "/u/{opt_out}", "/v1/reviews", "/v1/shop"]
)
def test_head_is_answered_as_get_is_without_a_body(service: Service, key: str, path: str) -> None:
    invite_id = report(service.address, key).json["inviteId"]
    review, opt_out = (token_of(service.app, invite_id, each) for each in (Purpose.REVIEW, Purpose.UNSUBSCRIBE))
    path = path.format(review=review, opt_out=opt_out)
    got, head = (
        http_request(service.address, method, path, Authorization=f"Bearer {key}") for method in ("GET", "HEAD")
    )
    assert (head.status, head.body) == (got.status, b"") == (200, b"")
    varying = {"date", "x-request-id", "ratelimit"}
    for name in {name.lower() for name in got.headers} - varying:
        assert head.headers[name] == got.headers[name], name


STARTED = ("group-commit-0", "reader")


async def answer_to(api: Litestar, path: str, mounted_at: str = "") -> tuple[int, dict[bytes, bytes]]:
    """Return the status and the header fields of the answer to a GET."""
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message: Any) -> None:
        sent.append(message)

    whole = mounted_at + path
    scope: Any = {"type": "http", "method": "GET", "path": whole, "raw_path": whole.encode(), "headers": []}
    scope |= {"root_path": mounted_at, "query_string": b"", "client": None}
    await api(scope, receive, send)
    return sent[0]["status"], dict(sent[0]["headers"])


@pytest.fixture
def api() -> Iterator[Litestar]:
    """The application without a server."""
    app = build(Settings(database_url="memory:", mail_url="recording:"))
    context = ServerContext(AsyncApplication(app))
    yield create_app(app, server=context)
    context.app.close()
    app.close()


@pytest.mark.parametrize("mounted_at", ["/r", "/v1", "/s", "/reviews"])
def test_it_is_the_same_wherever_it_is_mounted(api: Litestar, mounted_at: str) -> None:
    """Also where the address is one of our own; a server says it as ASGI's `root_path`."""
    status, headers = asyncio.run(answer_to(api, "/r/unknown", mounted_at))
    assert (status, headers[b"content-type"]) == (404, b"text/html; charset=utf-8")
    status, headers = asyncio.run(answer_to(api, "/v1/verify/none", mounted_at))
    assert (status, headers[b"access-control-allow-origin"]) == (404, b"*")
    status, headers = asyncio.run(answer_to(api, "/w/none.js", mounted_at))
    assert (status, headers[b"content-type"]) == (200, b"text/javascript; charset=utf-8")


def test_it_goes_on_after_a_lifespan() -> None:
    """As the tests of an embedder have it, who enter and leave the application again and again."""
    app = build(Settings(database_url="memory:", mail_url="recording:"))
    api = create_app(app)

    async def lifespan() -> list[int]:
        async with api.lifespan():
            return [(await answer_to(api, path))[0] for path in ("/v1/verify/none", "/shops/none", "/healthz")]

    assert [asyncio.run(lifespan()) for _ in range(2)] == [[404, 404, 200]] * 2
    app.close()


def test_the_threads_that_it_started_end_with_the_lifespan() -> None:
    with build(Settings(database_url="memory:", mail_url="recording:")) as app:
        before = set(threading.enumerate())
        api = create_app(app)

        async def lifespan() -> int:
            async with api.lifespan():
                return (await answer_to(api, "/readyz"))[0]

        assert [asyncio.run(lifespan()) for _ in range(2)] == [200, 200]
        wait_until(lambda: not [each for each in set(threading.enumerate()) - before if each.name in STARTED])
        assert not app.shops.list()


def test_an_async_application_of_ones_own_is_not_closed_by_the_lifespan() -> None:
    async def lifespan(app: AsyncApplication) -> None:
        async with create_app(app).lifespan():
            pass
        assert not await app.shops.list()

    with build(Settings(database_url="memory:", mail_url="recording:")) as app:
        own = AsyncApplication(app)
        asyncio.run(lifespan(own))
        own.close()


def test_without_litestar_it_says_what_to_install(run_python: Callable[..., Any]) -> None:
    ended = run_python(
        "import importlib.util\n"
        "found = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name, *more: None if name == 'litestar' else found(name, *more)\n"
        "import reviewinvite_http.app\n"
    )
    assert ended.returncode == 1
    assert ended.stderr.splitlines()[-1] == (
        "ModuleNotFoundError: the HTTP API needs litestar: install reviewinvite[http]"
    )


def test_a_server_that_tells_of_its_start_and_end_is_answered() -> None:
    told = iter(("lifespan.startup", "lifespan.shutdown"))
    answers: list[str] = []

    async def receive() -> dict[str, str]:
        return {"type": next(told)}

    async def send(message: dict[str, str]) -> None:
        answers.append(message["type"])

    app = build(Settings(database_url="memory:", mail_url="recording:"))
    try:
        scope = {"type": "lifespan", "asgi": {"version": "3.0"}, "state": {}}
        asyncio.run(create_app(app)(scope, receive, send))  # type: ignore[arg-type]  # plain dictionaries
    finally:
        app.close()
    assert answers == ["lifespan.startup.complete", "lifespan.shutdown.complete"]
