"""A whole installation in this process, driven by HTTP requests and by commands."""

from __future__ import annotations

import asyncio
import json
import re
import shutil
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import attrs
from litestar import Litestar
from litestar.routes import HTTPRoute
from tests.cli.harness import Installation, run_built
from tests.links import token_of

from reviewinvite_core import Application, AsyncApplication, Settings, build
from reviewinvite_core.adapters.public_suffixes import ListedSuffixes
from reviewinvite_core.domain.links import Purpose
from reviewinvite_core.ports import Accepted, AnswerLost, Message, RefusedForNow, Rejected
from reviewinvite_core.testing.builders import CountingEntropy, ManualClock
from reviewinvite_core.testing.inline_worker_pool import InlineWorkerPool
from reviewinvite_core.values import Domain, ProofWay, VerificationResult
from reviewinvite_http.app import create_app
from reviewinvite_http.context import ServerContext

OPERATOR, A, B, WORKER = 0, 1, 2, 3  # the actors
SUFFIXES = ListedSuffixes()  # parsed once: the list is long
SETTINGS: Mapping[str, object] = {
    "secret": "a secret for tests, long enough",
    "mail_url": "recording:",
    "base_url": "https://reviews.example.com",
    "orders_per_minute": 6,
    "reads_per_minute": 10,
    "snippets_per_minute": 6,
    "snippets_per_day": 4,
    "snippets_per_recipient": 2,
    "views_per_day_free": 6,
    "views_per_day_member": 9,
}


@attrs.frozen(kw_only=True)
class Request:
    """A request from a client at `ip`."""

    method: str
    path: str  # with its query
    body: bytes = b""
    headers: Sequence[tuple[str, str]] = ()
    ip: str = "203.0.113.1"

    def scope(self) -> dict[str, Any]:
        """Return the ASGI scope of this request."""
        path, _, query = self.path.partition("?")
        fields = [("host", "reviews.example.com"), ("x-request-id", "of-this-test"), *self.headers]
        return {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": self.method,
            "scheme": "http",
            "path": unquote(path),
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in fields],
            "client": (self.ip, 50_000),
            "server": ("127.0.0.1", 8000),
        }


@attrs.frozen
class Command:
    """A command and the files that it finds, which its options name as `{name}`.

    A file holds a text or the answer to a request; for None there is no such file, but `{name}` is a path for one.
    """

    name: str
    options: Sequence[str] = ()
    files: Mapping[str, str | Request | None] = attrs.field(factory=dict, kw_only=True)


class EntropyByActor:
    """A stream for each actor, so that what one draws changes nothing for another; one byte is for jitter."""

    def __init__(self) -> None:
        self.actor = OPERATOR
        self._streams = {actor: CountingEntropy(actor) for actor in (OPERATOR, A, B, WORKER)}

    def draw(self, size: int) -> bytes:
        return b"\x80" if size == 1 else self._streams[self.actor].draw(size)


class MailServer:
    """A mail server whose answer depends on the recipient alone, so that other shops' messages make no difference."""

    def __init__(self) -> None:
        self.out: list[Message] = []

    async def stage(self, message: Message) -> _StagedMessage | Rejected | RefusedForNow:
        name = message.recipient.partition("@")[0]
        match name:
            case "gone":
                return Rejected("550 5.1.1")
            case "later":
                return RefusedForNow("451 4.7.1")
            case _:
                return _StagedMessage(self, message, AnswerLost() if name == "lost" else Accepted("250 2.0.0"))

    async def close(self) -> None:
        """Stay: the next command sends through it, too."""


@attrs.frozen
class _StagedMessage:
    server: MailServer
    message: Message
    answer: Accepted | AnswerLost

    async def commit(self) -> Accepted | AnswerLost:
        self.server.out.append(self.message)
        return self.answer

    def abandon(self) -> None:
        """Send nothing."""


class PublishedProofs:
    """A DNS in which every shop has published its proofs."""

    def verify(self, _: Domain) -> VerificationResult:
        return VerificationResult(found=ProofWay.DNS)


def make_template(folder: Path) -> Path:
    """Make an installation with nothing in it but its keys, to be copied."""
    settings = Settings(database_url=f"sqlite:///{folder / 'reviewinvite.db'}", **SETTINGS)  # type: ignore[arg-type]
    app = build(settings, clock=ManualClock(), entropy=CountingEntropy(9))
    app.signing_keys.published()
    app.close()
    return folder


class Environment:
    """One installation with a clock and entropy of its own; `close` it."""

    def __init__(self, template: Path, folder: Path) -> None:
        self.folder = shutil.copytree(template, folder)
        self.clock, self.entropy, self.mail = ManualClock(), EntropyByActor(), MailServer()
        url = f"sqlite:///{self.folder / 'reviewinvite.db'}"
        self._config = self.folder / "reviewinvite.toml"
        settings = {"database_url": url, **SETTINGS}
        lines = [f"{name} = {json.dumps(value)}" for name, value in settings.items()]
        self._config.write_text("\n".join([*lines, ""]))
        self.app = self._build(Settings(**settings))  # type: ignore[arg-type]
        self.edge = ServerContext(AsyncApplication(self.app))
        self._http = create_app(self.app, server=self.edge)
        self._loop = asyncio.new_event_loop()

    def _build(self, settings: Settings) -> Application:
        return build(
            settings,
            clock=self.clock,
            entropy=self.entropy,
            mailer=self.mail,
            domain_verifier=PublishedProofs(),
            public_suffixes=SUFFIXES,
            worker_pool=InlineWorkerPool,
        )

    def close(self) -> None:
        self.edge.app.close()
        self._loop.close()
        self.app.close()
        shutil.rmtree(self.folder)

    def advance(self, span: timedelta) -> None:
        self.clock.advance(span)

    def perform(self, operation: Request | Command, actor: int) -> str:
        """Return all that is answered or printed."""
        self.entropy.actor = actor
        return self._answer_to(operation) if isinstance(operation, Request) else self._output_of(operation)

    def token(self, invite_id: str, purpose: Purpose) -> str:
        return token_of(self.app, invite_id, purpose)

    def routes(self) -> set[str]:
        """Return each route of the HTTP application as `METHOD /path`, but for the API's own documentation.

        Those of the dashboard need a session: `tests.http.test_dashboard_attackers` tries each of them. `/metrics` is
        the operator's, and counts what all shops do.
        """
        request = Request(method="GET", path="/healthz")
        scope = request.scope()
        self._loop.run_until_complete(self._call(request, scope))
        routes = Litestar.from_scope(scope).routes  # type: ignore[arg-type]  # a plain dictionary
        return {
            f"{method} {each.path_format}"
            for each in routes
            if isinstance(each, HTTPRoute) and not each.path.startswith(("/v1/docs", "/dashboard", "/metrics"))
            for method in each.methods
        }

    def _answer_to(self, request: Request) -> str:
        status, headers, body = self._loop.run_until_complete(self._call(request, request.scope()))
        return "\n".join([f"HTTP {status}", *(f"{name}: {value}" for name, value in headers), "", body.decode()])

    async def _call(self, request: Request, scope: dict[str, Any]) -> tuple[int, list[tuple[str, str]], bytes]:
        to_read: list[dict[str, Any]] = [{"type": "http.request", "body": request.body, "more_body": False}]
        sent: list[Any] = []

        async def receive() -> Any:
            if to_read:
                return to_read.pop()
            return await asyncio.get_running_loop().create_future()  # the client stays connected

        async def send(message: Any) -> None:
            sent.append(message)

        await self._http(scope, receive, send)  # type: ignore[arg-type]  # a plain dictionary until it is used
        headers = [(name.decode().lower(), value.decode("latin-1")) for name, value in sent[0]["headers"]]
        return sent[0]["status"], headers, b"".join(each.get("body", b"") for each in sent[1:])

    def _output_of(self, command: Command) -> str:
        """Run a command on the clock, entropy, mail server and proofs of this environment."""
        paths = {name: self._file(name, content) for name, content in command.files.items()}
        paths["folder"] = str(self.folder)
        options = [each.format(**paths) if "{" in each else each for each in command.options]
        ended = run_built(
            self._build,
            *command.name.split(),
            *options,
            folder=self.folder,
            environment=Installation(self.folder).environment(),
            config=self._config,
        )
        text = f"ended with {ended.code}\n{ended.out}\n-- {ended.err}".replace(str(self.folder), "FOLDER")
        return re.sub(r'"timestamp": ?"[^"]+"', '"timestamp"', text)

    def _file(self, name: str, content: str | Request | None) -> str:
        path = self.folder / name
        path.unlink(missing_ok=True)
        if content is not None:
            text = content if isinstance(content, str) else self._answer_to(content).partition("\n\n")[2]
            path.write_text(text)
        return str(path)
