"""An installation that is driven whole in this process, by HTTP and by commands, and all that it says."""

from __future__ import annotations

import asyncio
import io
import json
import re
import shutil
import signal
from collections.abc import Mapping, Sequence
from contextlib import redirect_stderr, redirect_stdout
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import attrs
import structlog
from tests.cli.test_ending import EVERY_COMMAND
from tests.links import token_of

from reviewinvite_cli.installation import GivenOptions
from reviewinvite_cli.refusals import explain
from reviewinvite_core import Application, Domain, Look, ProofWay, Settings, build
from reviewinvite_core.adapters.public_suffixes import ListedSuffixes
from reviewinvite_core.domain.links import Purpose
from reviewinvite_core.ports import Accepted, AnswerLost, Message, Refused, RefusedForNow
from reviewinvite_core.testing.builders import CountingEntropy, ManualClock
from reviewinvite_core.testing.lone_hand import LoneHand
from reviewinvite_http.app import create_app
from reviewinvite_http.edge import Edge
from reviewinvite_http.request_ids import next_request_id

OPERATOR, A, B, WORKER = 0, 1, 2, 3  # who acts
SUFFIXES = ListedSuffixes()  # the list is long, and the same for all
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
class Ask:
    """A request, from a client at `ip`."""

    method: str
    path: str  # with its query, as it is sent
    body: bytes = b""
    headers: Sequence[tuple[str, str]] = ()
    ip: str = "203.0.113.1"


@attrs.frozen
class Run:
    """A command; files that it is to find (or None: no such file, but the place for one) are named `{name}` in it.

    What a file holds is a text, or what a request gives.
    """

    command: str
    options: Sequence[str] = ()
    files: Mapping[str, str | Ask | None] = attrs.field(factory=dict, kw_only=True)


class OwnChance:
    """A stream for each who acts, so that what one draws moves nothing that another does; one byte is a jitter."""

    def __init__(self) -> None:
        self.whose = OPERATOR
        self._streams = {whose: CountingEntropy(whose) for whose in (OPERATOR, A, B, WORKER)}

    def draw(self, size: int) -> bytes:
        return b"\x80" if size == 1 else self._streams[self.whose].draw(size)


class MailServer:
    """Treats each message by its recipient, so that the messages of others make no difference."""

    def __init__(self) -> None:
        self.out: list[Message] = []

    def stage(self, message: Message) -> _Staged | Refused | RefusedForNow:
        name = message.recipient.partition("@")[0]
        early = {"gone": Refused("550 5.1.1"), "later": RefusedForNow("451 4.7.1")}
        return early.get(name) or _Staged(self, message, AnswerLost() if name == "lost" else Accepted("250 2.0.0"))

    def close(self) -> None:
        """It is there for the next command, too."""


@attrs.frozen
class _Staged:
    server: MailServer
    message: Message
    answer: Accepted | AnswerLost

    def commit(self) -> Accepted | AnswerLost:
        self.server.out.append(self.message)
        return self.answer

    def abandon(self) -> None:
        """Nothing was sent."""


class Publisher:
    """Every shop has published its proofs."""

    def look(self, _: Domain) -> Look:
        return Look(found=ProofWay.DNS)


def make_pattern(folder: Path) -> Path:
    """An installation with nothing in it but its keys, to be copied."""
    settings = Settings(database_url=f"sqlite:///{folder / 'reviewinvite.db'}", **SETTINGS)  # type: ignore[arg-type]
    app = build(settings, clock=ManualClock(), entropy=CountingEntropy(9))
    app.publish_keys()
    app.close()
    return folder


class World:
    """One installation; `close` it."""

    def __init__(self, pattern: Path, folder: Path) -> None:
        self.folder = shutil.copytree(pattern, folder)
        self.clock, self.chance, self.mail = ManualClock(), OwnChance(), MailServer()
        url = f"sqlite:///{self.folder / 'reviewinvite.db'}"
        self._config = self.folder / "reviewinvite.toml"
        settings = {"database_url": url, **SETTINGS}
        lines = [f"{name} = {json.dumps(value)}" for name, value in settings.items()]
        self._config.write_text("\n".join([*lines, ""]))
        self.app = self._build(Settings(**settings))  # type: ignore[arg-type]
        self.edge = Edge(self.app)
        self._http = create_app(self.edge)
        self._loop = asyncio.new_event_loop()

    def _build(self, settings: Settings) -> Application:
        return build(
            settings,
            clock=self.clock,
            entropy=self.chance,
            mailer=self.mail,
            domain_proof=Publisher(),
            public_suffixes=SUFFIXES,
            crew=LoneHand,
        )

    def close(self) -> None:
        self.edge.close()
        self._loop.close()
        self.app.close()
        shutil.rmtree(self.folder)

    def passes(self, span: timedelta) -> None:
        self.clock.advance(span)

    def does(self, act: Ask | Run, whose: int) -> str:
        """All that is answered, or written."""
        self.chance.whose = whose
        return self._asked(act) if isinstance(act, Ask) else self._run(act)

    def token(self, invite_id: str, purpose: Purpose) -> str:
        return token_of(self.app, invite_id, purpose)

    def _asked(self, ask: Ask) -> str:
        status, headers, body = self._loop.run_until_complete(self._answer(ask))
        text = _without_request_ids(body.decode())
        lengths = {str(len(body)): str(len(text.encode()))}  # a request's id is not always as long
        fields = [f"{n}: {lengths.get(v, v) if n == 'content-length' else v}" for n, v in headers]
        return "\n".join([f"HTTP {status}", *fields, "", text])

    async def _answer(self, ask: Ask) -> tuple[int, list[tuple[str, str]], bytes]:
        path, _, query = ask.path.partition("?")
        fields = [("host", "reviews.example.com"), *ask.headers]
        scope = {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": ask.method,
            "scheme": "http",
            "path": unquote(path),
            "raw_path": path.encode(),
            "query_string": query.encode(),
            "root_path": "",
            "headers": [(name.lower().encode(), value.encode("latin-1")) for name, value in fields],
            "client": (ask.ip, 50_000),
            "server": ("127.0.0.1", 8000),
        }
        to_read: list[dict[str, Any]] = [{"type": "http.request", "body": ask.body, "more_body": False}]
        sent: list[Any] = []

        async def receive() -> Any:
            if to_read:
                return to_read.pop()
            return await asyncio.get_running_loop().create_future()  # who asked stays there

        async def send(message: Any) -> None:
            sent.append(message)

        await self._http(scope, receive, send)  # type: ignore[arg-type]
        headers = [(name.decode().lower(), value.decode("latin-1")) for name, value in sent[0]["headers"]]
        return sent[0]["status"], headers, b"".join(each.get("body", b"") for each in sent[1:])

    def _run(self, run: Run) -> str:
        """The command as `reviewinvite` runs it, but for the parts that are fixed here: clock, chance, mail, proofs."""
        places = {name: self._file(name, held) for name, held in run.files.items()}
        places["folder"] = str(self.folder)
        options = [each.format(**places) if "{" in each else each for each in run.options]
        given = GivenOptions(self._config, None, self._build)
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
        logging = structlog.get_config()
        handlers = {each: signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT)}
        code: object = 0
        try:
            with redirect_stdout(out), redirect_stderr(err):
                try:
                    command: Any = EVERY_COMMAND[tuple(run.command.split())]
                    command.main(options, prog_name=run.command, obj=given)
                except SystemExit as end:
                    code = end.code
                except Exception as error:
                    code = explain(error)
        finally:
            structlog.configure(**logging)
            for each, handler in handlers.items():
                signal.signal(each, handler)
        for stream in (out, err):
            stream.flush()
        said, complained = (stream.buffer.getvalue().decode() for stream in (out, err))  # type: ignore[attr-defined]
        text = f"ended with {code}\n{said}\n-- {complained}".replace(str(self.folder), "FOLDER")
        return re.sub(r'"timestamp": ?"[^"]+"', '"timestamp"', text)

    def _file(self, name: str, held: str | Ask | None) -> str:
        path = self.folder / name
        path.unlink(missing_ok=True)
        if held is not None:
            text = held if isinstance(held, str) else self._asked(held).partition("\n\n")[2]
            path.write_text(text)
        return str(path)


def _without_request_ids(text: str) -> str:
    process = next_request_id().partition("-")[0]
    return re.sub(rf"{process}-[0-9a-f]+", "REQUEST", text)
