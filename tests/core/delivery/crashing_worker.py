"""A worker process that kills (or freezes) itself at a named point of its n-th delivery.

It is the real application over real storage and a real mail server. Its storage, its mailer, its mark, and for three
points its connection to the mail server, are wrapped here, and recognise the points by the calls that pass through;
the application knows nothing of it.

    python -m tests.core.delivery.crashing_worker

reads jobs, one JSON object a line (`Job`), forks a worker for each, and prints the worker's process id, then its exit
status.
"""

from __future__ import annotations

import faulthandler
import json
import os
import signal
import socket
import sys
import threading
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import attrs

from reviewinvite_core import Actor, Settings, State, StorageUnavailable, build
from reviewinvite_core.adapters.high_water_mark import HighWaterMarkFile
from reviewinvite_core.adapters.mail.smtp import SmtpMailer, SmtpServer, Timeouts
from reviewinvite_core.adapters.system import SystemClock, SystemEntropy
from reviewinvite_core.bootstrap import adapter_factory as parts
from reviewinvite_core.domain.handovers import HandOver
from reviewinvite_core.ports import Batchable, HighWaterMarkUnwritten, LockedUnit
from reviewinvite_core.testing.builders import a_shop, an_order_report
from reviewinvite_core.testing.inline_worker_pool import InlineWorkerPool


class CrashPoint(StrEnum):
    """The points of a delivery, in their order."""

    CLAIMING = "before_the_claim"
    CLAIMED = "claim_committed"
    STAGING = "before_the_first_word"
    IN_BODY = "half_of_the_body_transmitted"
    STAGED = "all_but_the_dot_transmitted"
    FENCING = "fence_not_committed"
    FENCED = "fence_committed"
    MARKING = "mark_written_and_not_synced"
    MARKED = "mark_synced"
    DOT = "dot_transmitted"
    ANSWERING = "answer_come_and_not_read"
    ANSWERED = "answer_read"
    RECORDING = "record_not_committed"
    RECORDED = "record_committed"


MARK_UNWRITTEN = 3  # the exit code of a worker that could not write it
PHASES = ("connect", "command", "data", "block", "end")

ON_THE_WIRE = {CrashPoint.IN_BODY, CrashPoint.DOT, CrashPoint.ANSWERING}

_BEFORE_THE_COMMIT = {State.HANDING_OVER: CrashPoint.FENCING, State.SENT: CrashPoint.RECORDING}
_AFTER_THE_COMMIT = {
    State.CLAIMED: CrashPoint.CLAIMED,
    State.HANDING_OVER: CrashPoint.FENCED,
    State.SENT: CrashPoint.RECORDED,
}


@attrs.frozen(kw_only=True)
class Job:
    """Deliver all that is due, with these settings; and at which point, and by which signal, to stop.

    `phase_timeout` is how many seconds each phase of an SMTP session may take, by default those of RFC 5321.
    """

    database_url: str
    mail_url: str
    mail_connections: int
    lease_seconds: int
    handover_mark: str
    clock: str
    point: CrashPoint | None = attrs.field(default=None, converter=attrs.converters.optional(CrashPoint))
    nth: int = 1
    signal: int = 9
    phase_timeout: float | None = None

    def as_json(self) -> str:
        return json.dumps(attrs.asdict(self))

    def settings(self) -> Settings:
        return Settings(
            database_url=self.database_url,
            secret="a secret that all workers share",
            mail_url=self.mail_url,
            mail_connections=self.mail_connections,
            lease_seconds=self.lease_seconds,
            handover_mark=Path(self.handover_mark),
        )


@attrs.frozen
class SharedClock:
    """The machine's clock, ahead by the seconds in a file, which processes share."""

    path: Path

    def now(self) -> datetime:
        return SystemClock().now() + timedelta(seconds=int(self.path.read_text()))

    def advance(self, seconds: int) -> None:
        ahead = int(self.path.read_text()) if self.path.exists() else 0
        draft = self.path.with_suffix(".draft")
        draft.write_text(str(ahead + seconds))
        draft.replace(self.path)


@attrs.define
class CrashTrigger:
    """Sends this process the signal at the n-th arrival at the point."""

    point: CrashPoint | None
    nth: int
    signal: int
    _passed: int = 0
    _lock: threading.Lock = attrs.field(factory=threading.Lock)

    def reach(self, point: CrashPoint) -> None:
        if point is not self.point:
            return
        with self._lock:
            self._passed += 1
            caught = self._passed == self.nth
        if caught:
            # to this thread, since one sent to the process would let this thread go on a little
            signal.pthread_kill(threading.get_ident(), self.signal)


class Wrapped:
    """Forwards every attribute that it does not define itself."""

    def __init__(self, inner: Any, trigger: CrashTrigger) -> None:
        self._inner, self._trigger = inner, trigger

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class WatchedStorage(Wrapped):
    """Notes which states invitations move to, and triggers before and after their commit."""

    def run(self, unit: Any) -> Any:
        moves: list[State] = []
        result = self._inner.run(self._watched(unit, moves))
        self._committed(moves)
        return result

    def run_all(self, units: Sequence[Any], *, executor: Any = None) -> Sequence[Any]:
        moves: list[State] = []
        watched = _Each(units, lambda unit: self._watched(unit, moves))
        outcomes: Sequence[Any] = self._inner.run_all(watched, executor=executor)
        self._committed(moves)
        return outcomes

    def _committed(self, moves: Sequence[State]) -> None:
        for state in moves:
            if state in _AFTER_THE_COMMIT:
                self._trigger.reach(_AFTER_THE_COMMIT[state])

    def _watched(self, unit: Any, moves: list[State]) -> Any:
        if not isinstance(unit, LockedUnit):
            return lambda store: unit(_WatchedStore(store, self._trigger, moves))
        batchable = unit.batchable and Batchable(
            _WatchedJoint(unit.batchable.run, self._trigger, moves), unit.batchable.request
        )
        return attrs.evolve(unit, unit=self._watched(unit.unit, moves), batchable=batchable)


@attrs.frozen
class _Each(Sequence[Any]):
    """A sequence that may still grow, whose items are changed when they are read."""

    items: Sequence[Any]
    change: Callable[[Any], Any]

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, at: Any) -> Any:
        return self.change(self.items[at])


@attrs.frozen
class _WatchedJoint:
    run: Callable[[Any, Sequence[Any]], Sequence[Any]]
    trigger: CrashTrigger = attrs.field(eq=False)
    moves: list[State] = attrs.field(eq=False)

    def __call__(self, store: Any, asked: Sequence[Any]) -> Sequence[Any]:
        return self.run(_WatchedStore(store, self.trigger, self.moves), asked)


class _WatchedStore(Wrapped):
    def __init__(self, inner: Any, trigger: CrashTrigger, moves: list[State]) -> None:
        super().__init__(inner, trigger)
        self.invitations = _WatchedInvitations(inner.invitations, trigger)
        self.invitations.moves = moves


class _WatchedInvitations(Wrapped):
    moves: list[State]

    def due(self, *asked: Any) -> Any:
        self._trigger.reach(CrashPoint.CLAIMING)
        return self._inner.due(*asked)

    def change(self, before: Any, after: Any) -> bool:
        changed = bool(self._inner.change(before, after))
        if changed:
            self._changed_to(after.state)
        return changed

    def change_all(self, changes: Sequence[tuple[Any, Any]]) -> Sequence[bool]:
        changed: Sequence[bool] = self._inner.change_all(changes)
        for (_, after), done in zip(changes, changed, strict=True):
            if done:
                self._changed_to(after.state)
        return changed

    def _changed_to(self, state: State) -> None:
        self.moves.append(state)
        if state in _BEFORE_THE_COMMIT:
            self._trigger.reach(_BEFORE_THE_COMMIT[state])


class WatchedMailer(Wrapped):
    """Triggers before a message begins, when all but its end is transmitted, and when its answer was read."""

    async def stage(self, message: Any) -> Any:
        self._trigger.reach(CrashPoint.STAGING)
        staged = await self._inner.stage(message)
        if not hasattr(staged, "commit"):
            return staged
        self._trigger.reach(CrashPoint.STAGED)
        return _WatchedStaged(staged, self._trigger)


class _WatchedStaged(Wrapped):
    async def commit(self) -> Any:
        answer = await self._inner.commit()
        self._trigger.reach(CrashPoint.ANSWERED)
        return answer


class WatchedMark(Wrapped):
    """Triggers when the mark is on disk."""

    def advance(self, hand_overs: Sequence[HandOver]) -> None:
        self._inner.advance(hand_overs)
        for _ in hand_overs:
            self._trigger.reach(CrashPoint.MARKED)


class MailProxy:
    """A proxy to the mail server, which triggers by how far the bytes have come."""

    def __init__(self, server: tuple[str, int], trigger: CrashTrigger) -> None:
        self._server, self._trigger = server, trigger
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.address: tuple[str, int] = self._listening.getsockname()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            client, _ = self._listening.accept()
            _ProxiedSession(client, socket.create_connection(self._server), self._trigger)


class _ProxiedSession:
    """One session: the body begins after an answer of 354, the dot ends it, and the next answer is its answer."""

    def __init__(self, client: socket.socket, server: socket.socket, trigger: CrashTrigger) -> None:
        self._client, self._server, self._trigger = client, server, trigger
        self._in_body = self._dot_is_out = False
        for pump in (self._forward, self._backward):
            threading.Thread(target=pump, daemon=True).start()

    def _forward(self) -> None:
        with suppress(OSError):
            begun, tail = False, b""
            while data := self._client.recv(65536):
                if self._in_body and not begun:
                    begun = True
                    half = len(data) // 2
                    self._server.sendall(data[:half])
                    self._trigger.reach(CrashPoint.IN_BODY)
                    data = data[half:]
                tail = (tail + data)[-5:]
                ends = self._in_body and tail == b"\r\n.\r\n"
                if ends:
                    begun = self._in_body = False
                    self._dot_is_out = True
                self._server.sendall(data)
                if ends:
                    self._trigger.reach(CrashPoint.DOT)
        self._hang_up(self._server)

    def _backward(self) -> None:
        with suppress(OSError):
            while data := self._server.recv(65536):
                if self._dot_is_out:
                    self._dot_is_out = False
                    self._trigger.reach(CrashPoint.ANSWERING)
                self._in_body = data.startswith(b"354")
                self._client.sendall(data)
        self._hang_up(self._client)

    @staticmethod
    def _hang_up(end: socket.socket) -> None:
        """Close one direction after the other end closed its own, by a FIN or a RST."""
        with suppress(OSError):
            end.shutdown(socket.SHUT_WR)


def work(job: Job) -> int:
    """Deliver all that is due, and return the exit code: `MARK_UNWRITTEN` if the mark could not be written.

    Storage that is away, for example locked by a frozen worker, is tried again.
    """
    settings = job.settings()
    trigger = CrashTrigger(job.point, job.nth, job.signal)
    assert settings.handover_mark

    def sync(file: int) -> None:
        trigger.reach(CrashPoint.MARKING)
        os.fdatasync(file)

    url = urlsplit(settings.mail_url)
    address = str(url.hostname), int(url.port or 0)
    if job.point in ON_THE_WIRE:
        address = MailProxy(address, trigger).address
    timeouts = Timeouts(**dict.fromkeys(PHASES, job.phase_timeout)) if job.phase_timeout else None
    app = build(
        settings,
        clock=SharedClock(Path(job.clock)),
        storage=WatchedStorage(parts.open_storage(settings.database_url), trigger),
        mailer=WatchedMailer(SmtpMailer(SmtpServer(host=address[0], port=address[1]), timeouts), trigger),
        high_water_mark=WatchedMark(HighWaterMarkFile(settings.handover_mark, SystemEntropy(), sync=sync), trigger),
    )
    code = None
    while code is None:
        try:
            app.delivery.once()
            code = 0
        except StorageUnavailable:
            time.sleep(0.05)
        except HighWaterMarkUnwritten:
            code = MARK_UNWRITTEN
    app.close()
    return code


def warm_up() -> None:
    """Import what a worker imports lazily, without starting a thread, which a fork would not copy."""
    import psycopg_pool  # noqa: F401

    from reviewinvite_core.adapters.sql.postgres import storage as postgres  # noqa: F401
    from reviewinvite_core.adapters.sql.sqlite import storage as sqlite  # noqa: F401

    app = build(Settings(database_url="memory:", mail_url="recording:"), worker_pool=InlineWorkerPool)
    app.shops.add(a_shop())
    caller = app.shops.act_for("bakkerij-1")
    assert isinstance(caller, Actor)
    app.orders.report(caller, an_order_report(delay_days=0))
    app.delivery.once()
    app.close()


def main() -> None:
    """Fork a worker for each job, one after the other."""
    faulthandler.register(signal.SIGUSR1)
    warm_up()
    for line in sys.stdin:
        job = Job(**json.loads(line))
        child = os.fork()
        if not child:
            status = 1
            try:
                status = work(job)
            except BaseException:
                traceback.print_exc()
                sys.stderr.flush()
            os._exit(status)
        print(child, flush=True)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
