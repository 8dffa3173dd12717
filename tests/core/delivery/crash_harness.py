"""A shop with due invitations, a mail server that stays up, and workers that crash."""

from __future__ import annotations

import select
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import IO, NoReturn, TypeAlias

import attrs
import psutil
from tests.core.delivery.crashing_worker import CrashPoint, Job, SharedClock
from tests.smtp_server import SmtpTestServer
from tests.waiting import TIMEOUT_SECONDS, wait_until

from reviewinvite_core import OPERATOR, InvitationQuery, Reported, State, accepted, build
from reviewinvite_core.adapters.high_water_mark import HighWaterMarkFile
from reviewinvite_core.adapters.system import SystemEntropy
from reviewinvite_core.bootstrap import adapter_factory as parts
from reviewinvite_core.domain.invitation_states import Reason
from reviewinvite_core.testing.builders import a_shop, an_order_report
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.values import Invitation

SITE = "bakkerij-1"
LEASE_SECONDS = 660
UNSENT = frozenset({State.SCHEDULED, State.CLAIMED})


def can_be_read(file: IO[bytes], seconds: float) -> bool:
    """Return whether there is something to read, or the end; `select` takes no descriptor above 1,023."""
    poll = select.poll()
    poll.register(file, select.POLLIN)
    return bool(poll.poll(seconds * 1000))


class WorkerForkServer:
    """A process that forks workers, one at a time: `start` returns at once, `wait` waits for the worker's end.

    To fork a process that has imported everything takes a twentieth of the time that starting one takes.
    """

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._worker_id: int | None = None

    def _running(self) -> subprocess.Popen[bytes]:
        """Return the process, started when it is first needed."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "tests.core.delivery.crashing_worker"],
                cwd=Path(__file__).parents[3],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,  # `select` does not see a line that was read ahead
            )
        return self._process

    @property
    def worker(self) -> psutil.Process:
        """The running worker."""
        assert self._worker_id
        return psutil.Process(self._worker_id)

    def start(self, job: Job) -> None:
        """Fork a worker that does this job."""
        if self._worker_id:  # of a test that failed; a late line of it would be taken for one of this worker
            self.close()
        requests = self._running().stdin
        assert requests
        requests.write(job.as_json().encode() + b"\n")
        self._worker_id = int(self._read_line())

    def wait(self) -> int:
        """Wait for the worker's end; return its exit code, below 0 for the signal that killed it."""
        code = int(self._read_line())
        self._worker_id = None
        return code

    @property
    def has_ended(self) -> bool:
        """Whether `wait` would return at once."""
        answers = self._running().stdout
        assert answers
        return can_be_read(answers, 0)

    def run(self, job: Job) -> int:
        """Fork a worker and wait for its end; return its exit code."""
        self.start(job)
        return self.wait()

    @property
    def is_frozen(self) -> bool:
        return bool(self.worker.status() == psutil.STATUS_STOPPED)

    def kill(self) -> None:
        self.worker.kill()

    def resume(self) -> None:
        self.worker.resume()

    def close(self) -> None:
        """End the worker and this process; `start` starts another."""
        if self._worker_id:
            with suppress(psutil.NoSuchProcess):
                self.kill()
        if self._process:
            self._process.kill()
            self._process.communicate()
        self._process = self._worker_id = None

    def _read_line(self) -> bytes:
        answers = self._running().stdout
        assert answers
        if not can_be_read(answers, TIMEOUT_SECONDS):
            self._give_up()
        return answers.readline()

    def _give_up(self) -> NoReturn:
        """Have the worker print where it is, and fail the test."""
        status = "not there"
        if self._worker_id:
            status = self.worker.status()
            self.worker.send_signal(signal.SIGUSR1)  # it prints the stack of each of its threads to standard error
            time.sleep(1)
        self.close()
        raise AssertionError(f"the worker takes too long; it was {status}")


@contextmanager
def worker_fork_servers(count: int) -> Iterator[Sequence[WorkerForkServer]]:
    """Start that many fork servers."""
    servers = [WorkerForkServer() for _ in range(count)]
    try:
        yield servers
    finally:
        for server in servers:
            server.close()


class CrashHarness:
    """One shop on one database; the test observes it with an application of its own, which delivers nothing."""

    def __init__(
        self,
        folder: Path,
        server: SmtpTestServer,
        *,
        database_url: str | None = None,
        connections: int = 4,
        mark: Path | None = None,
    ) -> None:
        self.server = server
        self.mark_path = mark or folder / "mark"
        self.clock = SharedClock(folder / "clock")
        self.clock.advance(0)
        self._job = Job(
            database_url=database_url or f"sqlite:///{folder / 'reviewinvite.db'}",
            mail_url=server.url,
            mail_connections=connections,
            lease_seconds=LEASE_SECONDS,
            handover_mark=str(self.mark_path),
            clock=str(self.clock.path),
        )
        self.connections = connections
        self._storage = parts.open_storage(self._job.database_url)
        self.app = build(
            attrs.evolve(self._job.settings(), mail_url="recording:"), clock=self.clock, storage=self._storage
        )
        self.app.shops.add(a_shop(SITE))
        self._caller = accepted(self.app.shops.act_for(SITE))
        self._reported = 0
        self.stalled_sessions = 0  # the mail server says nothing any more in these, until the end

    def job(
        self,
        point: CrashPoint | None = None,
        nth: int = 1,
        *,
        by: signal.Signals = signal.SIGKILL,
        phase_timeout: float | None = None,
    ) -> Job:
        """Return a worker's job: deliver what is due, and get this signal at the n-th arrival at `point`."""
        return attrs.evolve(self._job, point=point, nth=nth, signal=int(by), phase_timeout=phase_timeout)

    def report_due(self, count: int) -> None:
        """Report `count` more orders whose invitations are due at once."""
        numbers = range(self._reported, self._reported + count)
        reports = [
            an_order_report(f"customer{number}@example.com", order_number=str(number), delay_days=0)
            for number in numbers
        ]
        reported = accepted(self.app.orders.import_many(self._caller, reports))
        assert all(isinstance(each, Reported) for each in reported)
        self._reported += count

    def invitations(self) -> Mapping[str, Invitation]:
        """Return all invitations by their ids."""
        records = accepted(self.app.invitations.list(OPERATOR, InvitationQuery(limit=1_000_000))).invitations
        return {record.invitation.invite_id: record.invitation for record in records}

    def states(self) -> Mapping[str, State]:
        return {invite_id: invitation.state for invite_id, invitation in self.invitations().items()}

    def count(self, *states: State) -> int:
        return sum(state in states for state in self.states().values())

    def in_state(self, *states: State) -> set[str]:
        return {invite_id for invite_id, state in self.states().items() if state in states}

    def arrivals(self) -> Counter[str]:
        """Return how often each invitation was accepted, once the mail server has read all that was sent to it."""
        wait_until(lambda: self.server.connected == self.stalled_sessions)
        return Counter(message_id.strip("<>").partition("@")[0] for message_id in self.server.logged())

    def high_water_mark(self) -> int:
        """Return the highest number that may have left, as the mark's file has it, or 0 without a file."""
        mark = HighWaterMarkFile(self.mark_path, SystemEntropy()).read()
        return mark.number if mark else 0

    def last_fence(self) -> int:
        """Return the number of the last fence in the database."""
        transactions = self.app.delivery._transactions()
        return max((host.fence for host in transactions.run(lambda work: work.store.hosts.every())), default=0)

    def expire_leases(self) -> None:
        self.clock.advance(LEASE_SECONDS + 1)

    def deliver_all(self, fork_server: WorkerForkServer) -> None:
        """Let leases expire and workers run until nothing is left to deliver."""

        def nothing_is_left() -> bool:
            self.expire_leases()
            assert fork_server.run(self.job()) == 0
            return not self.in_state(*UNSENT, State.HANDING_OVER)

        wait_until(nothing_is_left)

    def resolve_uncertain(self) -> None:
        """Resolve uncertain invitations by the mail server's log, as an operator does: send again what is not in it."""
        arrived = self.arrivals()
        transactions = self.app.delivery._transactions()

        def resolve(work: UnitContext, uncertain: Invitation) -> bool:
            to = State.SENT if uncertain.invite_id in arrived else State.SCHEDULED
            return work.store.invitations.change(uncertain, uncertain.moved(to, Reason.OPERATOR, work.now))

        for invitation in self.invitations().values():
            if invitation.state is State.UNCERTAIN:
                assert transactions.run(partial(resolve, uncertain=invitation))

    def assert_all_sent_once(self) -> None:
        """Fail unless every invitation is sent and was accepted by the mail server exactly once."""
        states, arrived = self.states(), self.arrivals()
        assert {each: times for each, times in arrived.items() if times != 1} == {}
        assert {each: state for each, state in states.items() if state is not State.SENT} == {}
        assert set(arrived) == set(states)
        assert len(states) == self._reported

    def close(self) -> None:
        self.app.close()


MakeCrashHarness: TypeAlias = Callable[..., CrashHarness]
