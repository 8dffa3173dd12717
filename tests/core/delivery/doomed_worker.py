"""A worker, as a process of its own, that kills (or freezes) itself at a named point of its n-th delivery.

It is the real application over real storage and a real mail server. Its storage, its mailer, its mark, and for three
points its way to the mail server, are wrapped here, and tell the points from what is asked of them; the application
knows nothing of it.

    python -m tests.core.delivery.doomed_worker

waits for orders, one JSON object a line (`Order`), and forks a worker for each: to fork a process that has
imported all is twenty times as fast as to start one. It prints the worker's process id, and its exit status when it
has ended.
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
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import attrs

from reviewinvite_core import Caller, Settings, State, StorageUnavailable, build, parts
from reviewinvite_core.adapters.handover_mark import MarkFile
from reviewinvite_core.adapters.mail.smtp import SmtpMailer, SmtpServer, Timeouts
from reviewinvite_core.adapters.system import SystemClock, SystemEntropy
from reviewinvite_core.ports import Joint, Locking, MarkUnwritten
from reviewinvite_core.testing.builders import a_shop, an_order_report
from reviewinvite_core.testing.lone_hand import LoneHand


class Point(StrEnum):
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

ON_THE_WAY = {Point.IN_BODY, Point.DOT, Point.ANSWERING}

_BEFORE_THE_COMMIT = {State.HANDING_OVER: Point.FENCING, State.SENT: Point.RECORDING}
_AFTER_THE_COMMIT = {State.CLAIMED: Point.CLAIMED, State.HANDING_OVER: Point.FENCED, State.SENT: Point.RECORDED}


@attrs.frozen(kw_only=True)
class Order:
    """What a worker is to do: deliver all that is due; and at which point, and by which signal, it is to stop.

    `patience` is how many seconds each phase of an SMTP session may take, unless they are those of RFC 5321.
    """

    settings: Mapping[str, Any]
    clock: str
    point: Point | None = attrs.field(default=None, converter=attrs.converters.optional(Point))
    nth: int = 1
    signal: int = 9
    patience: float | None = None


@attrs.frozen
class SharedClock:
    """The machine's clock, ahead by the seconds that stand in a file: all processes with this file see the same."""

    path: Path

    def now(self) -> datetime:
        return SystemClock().now() + timedelta(seconds=int(self.path.read_text()))

    def advance(self, seconds: int) -> None:
        ahead = int(self.path.read_text()) if self.path.exists() else 0
        draft = self.path.with_suffix(".draft")
        draft.write_text(str(ahead + seconds))
        draft.replace(self.path)


@attrs.define
class Trap:
    """Sends this process the signal when it comes to the point for the n-th time."""

    point: Point | None
    nth: int
    signal: int
    _passed: int = 0
    _lock: threading.Lock = attrs.field(factory=threading.Lock)

    def reach(self, point: Point) -> None:
        if point is not self.point:
            return
        with self._lock:
            self._passed += 1
            caught = self._passed == self.nth
        if caught:
            # to this very thread: one sent to the process would let it go on a little
            signal.pthread_kill(threading.get_ident(), self.signal)


class Wrapped:
    """Passes on all that it does not do itself."""

    def __init__(self, inner: Any, trap: Trap) -> None:
        self._inner, self._trap = inner, trap

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class WatchedStorage(Wrapped):
    """Notes which states invitations move to, and tells when that is about to be committed, and when it was."""

    def run(self, unit: Any) -> Any:
        moves: list[State] = []
        result = self._inner.run(self._watched(unit, moves))
        self._committed(moves)
        return result

    def run_all(self, units: Sequence[Any], *, place: Any = None) -> Sequence[Any]:
        moves: list[State] = []
        outcomes = self._inner.run_all(_Each(units, lambda unit: self._watched(unit, moves)), place=place)
        self._committed(moves)
        return outcomes

    def _committed(self, moves: Sequence[State]) -> None:
        for state in moves:
            if state in _AFTER_THE_COMMIT:
                self._trap.reach(_AFTER_THE_COMMIT[state])

    def _watched(self, unit: Any, moves: list[State]) -> Any:
        if not isinstance(unit, Locking):
            return lambda store: unit(_WatchedStore(store, self._trap, moves))
        joint = unit.joint and Joint(_WatchedJoint(unit.joint.run, self._trap, moves), unit.joint.asked)
        return attrs.evolve(unit, unit=self._watched(unit.unit, moves), joint=joint)


@attrs.frozen
class _Each(Sequence[Any]):
    """A sequence that may still grow, each of its items changed when it is looked at."""

    items: Sequence[Any]
    change: Callable[[Any], Any]

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, at: Any) -> Any:
        return self.change(self.items[at])


@attrs.frozen
class _WatchedJoint:
    run: Callable[[Any, Sequence[Any]], Sequence[Any]]
    trap: Trap = attrs.field(eq=False)
    moves: list[State] = attrs.field(eq=False)

    def __call__(self, store: Any, asked: Sequence[Any]) -> Sequence[Any]:
        return self.run(_WatchedStore(store, self.trap, self.moves), asked)


class _WatchedStore(Wrapped):
    def __init__(self, inner: Any, trap: Trap, moves: list[State]) -> None:
        super().__init__(inner, trap)
        self.invitations = _WatchedInvitations(inner.invitations, trap)
        self.invitations.moves = moves


class _WatchedInvitations(Wrapped):
    moves: list[State]

    def due(self, *asked: Any) -> Any:
        self._trap.reach(Point.CLAIMING)
        return self._inner.due(*asked)

    def change(self, before: Any, after: Any) -> bool:
        changed = bool(self._inner.change(before, after))
        if changed:
            self.moves.append(after.state)
            if after.state in _BEFORE_THE_COMMIT:
                self._trap.reach(_BEFORE_THE_COMMIT[after.state])
        return changed


class WatchedMailer(Wrapped):
    """Tells when a message begins, when all but its end is transmitted, and when its answer was read."""

    def stage(self, message: Any) -> Any:
        self._trap.reach(Point.STAGING)
        staged = self._inner.stage(message)
        if not hasattr(staged, "commit"):
            return staged
        self._trap.reach(Point.STAGED)
        return _WatchedStaged(staged, self._trap)


class _WatchedStaged(Wrapped):
    def commit(self) -> Any:
        answer = self._inner.commit()
        self._trap.reach(Point.ANSWERED)
        return answer


class WatchedMark(Wrapped):
    """Tells when the mark is on disk."""

    def advance(self, number: int, horizon: datetime) -> None:
        self._inner.advance(number, horizon)
        self._trap.reach(Point.MARKED)


class MailPath:
    """The way to the mail server leads through here, so that the bytes themselves tell how far they have come."""

    def __init__(self, server: tuple[str, int], trap: Trap) -> None:
        self._server, self._trap = server, trap
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.address: tuple[str, int] = self._listening.getsockname()
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            client, _ = self._listening.accept()
            _Passage(client, socket.create_connection(self._server), self._trap)


class _Passage:
    """One session. An answer to DATA of 354 lets the body begin; the dot ends it, and its answer is the next one."""

    def __init__(self, client: socket.socket, server: socket.socket, trap: Trap) -> None:
        self._client, self._server, self._trap = client, server, trap
        self._in_body = self._dot_is_out = False
        for pump in (self._there, self._back):
            threading.Thread(target=pump, daemon=True).start()

    def _there(self) -> None:
        with suppress(OSError):
            begun, tail = False, b""
            while data := self._client.recv(65536):
                if self._in_body and not begun:
                    begun = True
                    half = len(data) // 2
                    self._server.sendall(data[:half])
                    self._trap.reach(Point.IN_BODY)
                    data = data[half:]
                tail = (tail + data)[-5:]
                ends = self._in_body and tail == b"\r\n.\r\n"
                if ends:
                    begun = self._in_body = False
                    self._dot_is_out = True
                self._server.sendall(data)
                if ends:
                    self._trap.reach(Point.DOT)
        self._hang_up(self._server)

    def _back(self) -> None:
        with suppress(OSError):
            while data := self._server.recv(65536):
                if self._dot_is_out:
                    self._dot_is_out = False
                    self._trap.reach(Point.ANSWERING)
                self._in_body = data.startswith(b"354")
                self._client.sendall(data)
        self._hang_up(self._client)

    @staticmethod
    def _hang_up(end: socket.socket) -> None:
        """As the other end has, by a FIN or by a RST."""
        with suppress(OSError):
            end.shutdown(socket.SHUT_WR)


def work(order: Order) -> int:
    """Deliver all that is due; storage that is away, locked by one that is frozen for one, is asked again.

    Gives the exit code, which is not 0 where the mark could not be written.
    """
    settings = Settings(**{**order.settings, "handover_mark": Path(order.settings["handover_mark"])})
    trap = Trap(order.point, order.nth, order.signal)
    assert settings.handover_mark

    def sync(file: int) -> None:
        trap.reach(Point.MARKING)
        os.fdatasync(file)

    url = urlsplit(settings.mail_url)
    address = str(url.hostname), int(url.port or 0)
    if order.point in ON_THE_WAY:
        address = MailPath(address, trap).address
    timeouts = Timeouts(**dict.fromkeys(PHASES, order.patience)) if order.patience else None
    app = build(
        settings,
        clock=SharedClock(Path(order.clock)),
        storage=WatchedStorage(parts.open_storage(settings.database_url), trap),
        mailer=WatchedMailer(SmtpMailer(SmtpServer(host=address[0], port=address[1]), timeouts), trap),
        mark=WatchedMark(MarkFile(settings.handover_mark, SystemEntropy(), sync=sync), trap),
    )
    code = None
    while code is None:
        try:
            for _ in app.delivery.once():
                pass
            code = 0
        except StorageUnavailable:
            time.sleep(0.05)
        except MarkUnwritten:
            code = MARK_UNWRITTEN
    app.close()
    return code


def orders() -> Iterator[Order]:
    for line in sys.stdin:
        yield Order(**json.loads(line))


def warm_up() -> None:
    """Import all that a worker imports when it needs it; without a thread, which no fork would take along."""
    import psycopg_pool  # noqa: F401

    from reviewinvite_core.adapters.sql import postgres, sqlite  # noqa: F401

    app = build(Settings(database_url="memory:", mail_url="recording:"), crew=LoneHand)
    app.add_shop(a_shop())
    caller = app.act_for("bakkerij-1")
    assert isinstance(caller, Caller)
    app.report_order(caller, an_order_report(delay=0))
    list(app.delivery.once())
    app.close()


def main() -> None:
    """Fork a worker for each order, one after the other."""
    faulthandler.register(signal.SIGUSR1)
    warm_up()
    for order in orders():
        child = os.fork()
        if not child:
            status = 1
            try:
                status = work(order)
            except BaseException:
                traceback.print_exc()
                sys.stderr.flush()
            os._exit(status)
        print(child, flush=True)
        _, status = os.waitpid(child, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    main()
