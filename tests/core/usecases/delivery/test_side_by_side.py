"""Deliveries side by side, on real threads: none waits for another, and all end in good order."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs
import pytest
from tests.waiting import TIMEOUT_SECONDS, wait_until

from reviewinvite_core import OPERATOR, accepted
from reviewinvite_core.adapters.high_water_mark import HighWaterMarkFile
from reviewinvite_core.adapters.memory import MemoryStorage
from reviewinvite_core.adapters.sql.sqlite.storage import SqliteStorage
from reviewinvite_core.application.application import Application
from reviewinvite_core.bootstrap.compose import build
from reviewinvite_core.bootstrap.settings import Settings
from reviewinvite_core.domain.errors import ApplicationClosed, StorageUnavailable
from reviewinvite_core.domain.invitation_states import Reason, State
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.ports import Accepted, Executor, Message, Outcome, Storage, UnitOfWork
from reviewinvite_core.testing.builders import CountingEntropy, a_shop, an_order_report
from reviewinvite_core.usecases.delivery.worker import Progress


class StallingMailServer:
    """A mail server that stalls on the messages of some customers, at one of two points, until it is released."""

    def __init__(self, *, at_stage: tuple[str, ...] = (), at_end: tuple[str, ...] = ()) -> None:
        self.at_stage, self.at_end = at_stage, at_end
        self.released = threading.Event()
        self.out: list[str] = []
        self.abandoned: list[str] = []
        self.stuck: set[str] = set()
        self.sessions = 0
        self.most_sessions = 0
        self.lock = threading.Lock()

    async def stage(self, message: Message) -> _Staged:
        with self.lock:
            self.sessions += 1
            self.most_sessions = max(self.most_sessions, self.sessions)
        await self.wait(message, self.at_stage)
        return _Staged(self, message)

    async def wait(self, message: Message, names: tuple[str, ...]) -> None:
        name = message.recipient.partition("@")[0]
        if name in names:
            self.stuck.add(name)
            assert await asyncio.to_thread(self.released.wait, TIMEOUT_SECONDS)

    async def close(self) -> None:
        pass


@attrs.frozen
class _Staged:
    server: StallingMailServer
    message: Message

    async def commit(self) -> Accepted:
        self.server.out.append(self.message.recipient.partition("@")[0])
        await self.server.wait(self.message, self.server.at_end)
        self.done()
        return Accepted("250")

    def abandon(self) -> None:
        self.server.abandoned.append(self.message.recipient.partition("@")[0])
        self.done()

    def done(self) -> None:
        with self.server.lock:
            self.server.sessions -= 1


class RunningWorker:
    """A shop with some number of due invitations, to c0, c1 and so on, and a worker in its own thread."""

    def __init__(
        self, server: StallingMailServer, due: int, *, storage: Storage | None = None, **settings: Any
    ) -> None:
        self.server = server
        self.app: Application = build(
            Settings(database_url="memory:", **{"shutdown_seconds": 1, **settings}),
            storage=storage or MemoryStorage(),
            mailer=server,
        )
        self.app.shops.add(a_shop())
        caller = accepted(self.app.shops.act_for("bakkerij-1"))
        self.ids = [
            accepted(self.app.orders.report(caller, an_order_report(f"c{number}@example.com", delay_days=0))).invite_id
            for number in range(due)
        ]
        self.stop = threading.Event()
        self.changed: list[Invitation] = []
        self.troubles: list[Exception] = []
        self.progress: list[Progress] = []
        self.thread = threading.Thread(
            target=self.app.delivery.continually,
            args=(self.stop,),
            kwargs={
                "on_change": self.changed.append,
                "on_trouble": self.troubles.append,
                "on_progress": self.progress.append,
            },
            daemon=True,
        )

    def state(self, number: int) -> tuple[State, Reason]:
        invitation = accepted(self.app.invitations.show(OPERATOR, self.ids[number])).invitation
        return invitation.state, invitation.reason


StartWorker = Callable[..., RunningWorker]


@pytest.fixture
def start_worker() -> Iterator[StartWorker]:
    workers: list[RunningWorker] = []

    def start(server: StallingMailServer, due: int, **more: Any) -> RunningWorker:
        worker = RunningWorker(server, due, **more)
        workers.append(worker)
        worker.thread.start()
        return worker

    yield start
    for worker in workers:
        worker.server.released.set()
        worker.stop.set()
        worker.thread.join(TIMEOUT_SECONDS)
        assert not worker.thread.is_alive()
        worker.app.close()


def test_as_many_sessions_as_set_are_open_at_once_and_no_more(start_worker: StartWorker) -> None:
    everyone = tuple(f"c{number}" for number in range(12))
    server = StallingMailServer(at_end=everyone)
    start_worker(server, 12, mail_connections=4)
    wait_until(lambda: len(server.stuck) == 4)
    server.released.set()
    wait_until(lambda: len(server.out) == 12)
    assert server.most_sessions == 4
    assert sorted(server.out) == sorted(everyone)


@pytest.mark.parametrize("stuck", [{"at_stage": ("c0",)}, {"at_end": ("c0", "c1", "c2")}])
def test_a_session_that_stalls_does_not_hold_up_the_others(
    start_worker: StartWorker, stuck: dict[str, tuple[str, ...]]
) -> None:
    server = StallingMailServer(**stuck)
    worker = start_worker(server, 60, mail_connections=4)
    names = {name for names in stuck.values() for name in names}
    others = {f"c{number}" for number in range(60)} - names
    wait_until(lambda: server.stuck == names)
    wait_until(lambda: others <= set(server.out))
    wait_until(lambda: len(worker.changed) == len(others))


def test_what_becomes_due_while_a_session_stalls_is_delivered(start_worker: StartWorker) -> None:
    server = StallingMailServer(at_end=("c0",))
    worker = start_worker(server, 1, mail_connections=2)
    wait_until(lambda: server.stuck == {"c0"})
    caller = accepted(worker.app.shops.act_for("bakkerij-1"))
    worker.app.orders.report(caller, an_order_report("late@example.com", delay_days=0))
    wait_until(lambda: "late" in server.out)


def test_told_to_stop_what_is_before_the_end_is_given_back_at_once_and_what_is_after_it_gets_its_time(
    start_worker: StartWorker,
) -> None:
    server = StallingMailServer(at_stage=("c0",), at_end=("c1",))
    worker = start_worker(server, 30, mail_connections=2, shutdown_seconds=60)
    wait_until(lambda: server.stuck == {"c0", "c1"})
    worker.stop.set()
    wait_until(lambda: worker.state(0) == (State.SCHEDULED, Reason.SHUTDOWN))
    assert worker.state(1) == (State.HANDING_OVER, Reason.FENCED)
    assert worker.thread.is_alive()
    server.released.set()
    worker.thread.join(TIMEOUT_SECONDS)
    assert worker.state(1) == (State.SENT, Reason.ACCEPTED)
    wait_until(lambda: server.abandoned == ["c0"])  # the fence did not let it pass
    assert "c0" not in server.out
    assert {worker.state(number) for number in range(2, 30)} <= {
        (State.SENT, Reason.ACCEPTED),
        (State.SCHEDULED, Reason.REPORTED),
        (State.SCHEDULED, Reason.SHUTDOWN),
    }


def test_what_has_no_answer_when_its_time_is_over_is_in_doubt_until_a_late_answer(start_worker: StartWorker) -> None:
    server = StallingMailServer(at_end=("c0",))
    worker = start_worker(server, 1, shutdown_seconds=1)
    wait_until(lambda: server.stuck == {"c0"})
    worker.stop.set()
    worker.thread.join(TIMEOUT_SECONDS)
    assert not worker.thread.is_alive()
    assert worker.state(0) == (State.UNCERTAIN, Reason.ANSWER_LOST)
    assert [each.state for each in worker.changed] == [State.UNCERTAIN]
    assert attrs.evolve(worker.progress[-1], due=0) == Progress(uncertain=1)
    server.released.set()
    wait_until(lambda: worker.state(0) == (State.SENT, Reason.ACCEPTED))


def test_progress_tells_what_is_due_and_in_flight_and_what_became_of_it(start_worker: StartWorker) -> None:
    server = StallingMailServer(at_end=("c0",))
    worker = start_worker(server, 3, mail_connections=4)
    wait_until(lambda: any(each.in_flight == 1 and each.sent == 2 for each in worker.progress))
    assert worker.progress[0].due == 3
    server.released.set()
    wait_until(lambda: worker.progress[-1] == Progress(sent=3))


class CountingCommits(MemoryStorage):
    """Storage that counts its commits, each of which takes a moment."""

    def __init__(self) -> None:
        super().__init__()
        self.commits = 0

    def run_all(self, units: Sequence[UnitOfWork[object]], *, executor: Executor | None = None) -> Sequence[Outcome]:
        self.commits += 1
        outcomes = super().run_all(units, executor=executor)
        time.sleep(0.05)  # as a slow disk would, so that all sessions come to their next unit meanwhile
        return outcomes


def test_sessions_side_by_side_share_their_commits() -> None:
    storage = CountingCommits()
    worker = RunningWorker(StallingMailServer(), 48, storage=storage, mail_connections=8)
    assert len(worker.app.delivery.once()) == 48
    assert storage.commits < 60  # 96 units: a fence and an answer for each
    worker.app.close()


class AwayForSessions(MemoryStorage):
    """Storage that is unavailable to what sessions submit, while `away` is set."""

    away = False

    def run_all(self, units: Sequence[UnitOfWork[object]], *, executor: Executor | None = None) -> Sequence[Outcome]:
        if self.away:
            raise StorageUnavailable("away")
        return super().run_all(units, executor=executor)


def test_storage_that_is_away_at_the_fence_lets_nothing_out_and_loses_nothing(start_worker: StartWorker) -> None:
    storage = AwayForSessions()
    server = StallingMailServer(at_stage=("c0",))
    worker = start_worker(server, 1, storage=storage)
    wait_until(lambda: server.stuck == {"c0"})
    storage.away = True
    server.released.set()
    wait_until(lambda: server.abandoned == ["c0"])
    wait_until(lambda: [type(each) for each in worker.troubles] == [StorageUnavailable])
    assert server.out == []


def test_trouble_with_an_answer_is_told_on_the_thread_that_delivers() -> None:
    storage = AwayForSessions()
    server = StallingMailServer(at_end=("c0",))
    worker = RunningWorker(server, 1, storage=storage)
    threads: list[int] = []

    def note(_: Exception) -> None:
        threads.append(threading.get_ident())
        storage.away = False

    thread = threading.Thread(target=worker.app.delivery.continually, args=(worker.stop,), kwargs={"on_trouble": note})
    thread.start()
    wait_until(lambda: server.stuck == {"c0"})
    storage.away = True
    server.released.set()
    wait_until(lambda: worker.state(0) == (State.SENT, Reason.ACCEPTED))
    worker.stop.set()
    thread.join(TIMEOUT_SECONDS)
    assert set(threads) == {thread.ident}
    worker.app.close()


def test_closing_while_deliveries_run_ends_them_and_begins_nothing_more() -> None:
    server = StallingMailServer(at_end=tuple(f"c{number}" for number in range(12)))
    storage = MemoryStorage()
    worker = RunningWorker(server, 12, storage=storage, mail_connections=2)
    errors: list[BaseException] = []

    def deliver() -> None:
        try:
            worker.app.delivery.continually(worker.stop, on_trouble=worker.troubles.append)
        except BaseException as error:
            errors.append(error)

    thread = threading.Thread(target=deliver)
    thread.start()
    wait_until(lambda: len(server.stuck) == 2)
    worker.app.close()
    thread.join(TIMEOUT_SECONDS)
    assert not thread.is_alive()
    assert [type(each) for each in errors] == [ApplicationClosed]
    server.released.set()
    assert len(server.out) == 2
    left = storage.read(lambda store: store.invitations.newest(shop=None, state=None, limit=100))
    states = Counter(invitation.state for _, invitation in left)
    assert states[State.HANDING_OVER] + states[State.UNCERTAIN] == 2
    assert states[State.SCHEDULED] + states[State.CLAIMED] == 10


@pytest.mark.parametrize("sessions", [1, 4, 16])
def test_each_leaves_once_from_a_file_with_a_mark(sqlite_folder: Path, sessions: int) -> None:
    server = StallingMailServer()
    marks = HighWaterMarkFile(sqlite_folder / "mark", CountingEntropy())
    storage = SqliteStorage(sqlite_folder / "reviewinvite.db")
    app = build(
        Settings(database_url="memory:", mail_connections=sessions),
        storage=storage,
        mailer=server,
        high_water_mark=marks,
    )
    app.shops.add(a_shop())
    caller = accepted(app.shops.act_for("bakkerij-1"))
    app.orders.import_many(caller, [an_order_report(f"c{number}@example.com", delay_days=0) for number in range(100)])
    workers = [threading.Thread(target=app.delivery.once) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(TIMEOUT_SECONDS)
    assert sorted(server.out) == sorted(f"c{number}" for number in range(100))
    mark = marks.read()
    assert mark is not None
    assert mark.number == 100 == storage.read(lambda store: store.hosts.every())[0].fence
    app.close()


def test_hosts_that_share_a_database_deliver_each_invitation_once_also_while_some_are_cancelled(
    postgres_url: str, tmp_path: Path
) -> None:
    servers = [StallingMailServer() for _ in range(2)]
    hosts = [
        build(
            Settings(
                database_url=postgres_url,
                secret="a secret for tests, long enough",
                handover_mark=tmp_path / f"mark-{number}",
                mail_connections=4,
            ),
            mailer=server,
        )
        for number, server in enumerate(servers)
    ]
    hosts[0].shops.add(a_shop())
    caller = accepted(hosts[0].shops.act_for("bakkerij-1"))
    reports = [an_order_report(f"c{number}@example.com", delay_days=0) for number in range(120)]
    ids = [accepted(reported).invite_id for reported in hosts[0].orders.import_many(caller, reports)]
    workers = [threading.Thread(target=host.delivery.once) for host in hosts]
    for worker in workers:
        worker.start()
    for invite_id in ids[::3]:
        hosts[0].invitations.cancel(OPERATOR, invite_id)
    for worker in workers:
        worker.join(TIMEOUT_SECONDS)
        assert not worker.is_alive()
    states = [accepted(hosts[0].invitations.show(OPERATOR, invite_id)).invitation.state for invite_id in ids]
    out = [name for server in servers for name in server.out]
    assert sorted(out) == sorted(f"c{number}" for number, state in enumerate(states) if state is State.SENT)
    assert set(states) <= {State.SENT, State.CANCELLED}
    fences = hosts[0].delivery._transactions().run(lambda work: work.store.hosts.every())
    assert sum(host.fence for host in fences) == len(out)
    for host in hosts:
        host.close()
