"""A shop with due invitations, a mail server that lives through everything, and workers that do not."""

from __future__ import annotations

import json
import select
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NoReturn

import attrs
import psutil
from tests.core.delivery.doomed_worker import Order, Point, SharedClock
from tests.smtp_server import SmtpTestServer

from reviewinvite_core import Application, Caller, Invitation, InvitationQuery, Reported, Settings, State, build
from reviewinvite_core.adapters.handover_mark import MarkFile
from reviewinvite_core.adapters.system import SystemEntropy
from reviewinvite_core.domain.invitations import Reason
from reviewinvite_core.testing.builders import a_shop, an_order_report
from reviewinvite_core.usecases.work import Work

SECONDS = 180.0
SITE = "bakkerij-1"
LEASE_SECONDS = 660
FREE = frozenset({State.SCHEDULED, State.CLAIMED})


def wait_until(true: Callable[[], object], seconds: float = SECONDS) -> None:
    """Look again and again until it is true."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "waited too long"
        time.sleep(0.002)


class Nursery:
    """A process that forks workers, one at a time; `start` comes back at once, `ended` waits."""

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.core.delivery.doomed_worker"],
            cwd=Path(__file__).parents[3],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,  # a line that was read ahead would not be there any more for who waits for it
        )
        self.worker: int | None = None

    def _begin_anew(self) -> None:
        """As what the worker says late would be taken for what the next one says."""
        self.close()
        self._begin()

    def start(self, order: Order) -> int:
        """Have a worker begin; its process id."""
        if self.worker:  # of a test that failed
            self._begin_anew()
        assert self._process.stdin
        self._process.stdin.write(json.dumps(attrs.asdict(order)).encode() + b"\n")
        self.worker = int(self._line())
        return self.worker

    def ended(self) -> int:
        """Wait for the worker's end; its exit code, or less than 0 for the signal that killed it."""
        code = int(self._line())
        self.worker = None
        return code

    @property
    def has_ended(self) -> bool:
        """Whether `ended` would not wait."""
        return bool(select.select([self._process.stdout], [], [], 0)[0])

    def run(self, order: Order) -> int:
        self.start(order)
        return self.ended()

    @property
    def is_frozen(self) -> bool:
        return psutil.Process(self.worker).status() == psutil.STATUS_STOPPED

    def kill(self) -> None:
        psutil.Process(self.worker).kill()

    def resume(self) -> None:
        psutil.Process(self.worker).resume()

    def close(self) -> None:
        if self.worker:
            with suppress(psutil.NoSuchProcess):
                self.kill()
        self._process.kill()
        self._process.communicate()

    def _line(self) -> bytes:
        assert self._process.stdout
        if not select.select([self._process.stdout], [], [], SECONDS)[0]:
            self._give_up()
        return self._process.stdout.readline()

    def _give_up(self) -> NoReturn:
        """Have the worker say where it stands, and begin anew."""
        stood = "not there"
        if self.worker:
            worker = psutil.Process(self.worker)
            stood = worker.status()
            worker.send_signal(signal.SIGUSR1)  # it writes the stack of each of its threads to standard error
            time.sleep(1)
        self._begin_anew()
        raise AssertionError(f"the worker takes too long; it was {stood}")


@contextmanager
def nurseries(count: int) -> Iterator[Sequence[Nursery]]:
    made = [Nursery() for _ in range(count)]
    try:
        yield made
    finally:
        for nursery in made:
            nursery.close()


class House:
    """One shop on one database; the test itself looks on with an application of its own, which delivers nothing."""

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
        self.settings = {
            "database_url": database_url or f"sqlite:///{folder / 'reviewinvite.db'}",
            "secret": "a secret that all workers share",
            "mail_url": server.url,
            "mail_connections": connections,
            "lease_seconds": LEASE_SECONDS,
            "handover_mark": str(self.mark_path),
        }
        self.connections = connections
        self.app: Application = build(
            Settings(**{**self.settings, "handover_mark": self.mark_path, "mail_url": "recording:"}), clock=self.clock
        )
        self.app.add_shop(a_shop(SITE))
        caller = self.app.act_for(SITE)
        assert isinstance(caller, Caller)
        self._caller = caller
        self._reported = 0
        self.stuck = 0  # sessions in which the mail server says nothing any more, until the end

    def order(
        self,
        point: Point | None = None,
        nth: int = 1,
        *,
        by: signal.Signals = signal.SIGKILL,
        patience: float | None = None,
    ) -> Order:
        """What a worker is told."""
        clock = str(self.clock.path)
        return Order(settings=self.settings, clock=clock, point=point, nth=nth, signal=int(by), patience=patience)

    def report_due(self, count: int) -> None:
        """So many more invitations that are due at once."""
        numbers = range(self._reported, self._reported + count)
        reports = [
            an_order_report(f"customer{number}@example.com", order_number=str(number), delay=0) for number in numbers
        ]
        reported = self.app.import_orders(self._caller, reports)
        assert all(isinstance(each, Reported) for each in reported)
        self._reported += count

    def invitations(self) -> Mapping[str, Invitation]:
        """All of them, by their ids."""
        records = self.app.list_invitations(InvitationQuery(limit=1_000_000))
        assert isinstance(records, Sequence)
        return {record.invitation.invite_id: record.invitation for record in records}

    def states(self) -> Mapping[str, State]:
        return {invite_id: invitation.state for invite_id, invitation in self.invitations().items()}

    def count(self, *states: State) -> int:
        return sum(state in states for state in self.states().values())

    def in_state(self, *states: State) -> set[str]:
        return {invite_id for invite_id, state in self.states().items() if state in states}

    def arrivals(self) -> Counter[str]:
        """How often each invitation was accepted, once the mail server has heard all that was said to it."""
        wait_until(lambda: self.server.connected == self.stuck)
        return Counter(message_id.strip("<>").partition("@")[0] for message_id in self.server.logged())

    def mark(self) -> int:
        """The highest number that was let out, as the mark knows it; 0 where there is none yet."""
        mark = MarkFile(self.mark_path, SystemEntropy()).read()
        return mark.number if mark else 0

    def fence(self) -> int:
        """The number of the last fence, as the database knows it."""
        perform = self.app.delivery.performing(self.app._storage.run)
        return max((host.fence for host in perform(lambda work: work.store.hosts.every())), default=0)

    def let_leases_end(self) -> None:
        self.clock.advance(LEASE_SECONDS + 1)

    def finish(self, nursery: Nursery) -> None:
        """Let leases end and workers work until none can find anything any more."""

        def all_is_settled() -> bool:
            self.let_leases_end()
            assert nursery.run(self.order()) == 0
            return not self.in_state(*FREE, State.HANDING_OVER)

        wait_until(all_is_settled)

    def settle_what_is_uncertain(self) -> None:
        """As an operator who looks into the mail server's log does: what is not there is to be sent again."""
        arrived = self.arrivals()
        perform = self.app.delivery.performing(self.app._storage.run)

        def settle(work: Work, doubtful: Invitation) -> bool:
            to = State.SENT if doubtful.invite_id in arrived else State.SCHEDULED
            return work.store.invitations.change(doubtful, doubtful.moved(to, Reason.OPERATOR, work.now))

        for invitation in self.invitations().values():
            if invitation.state is State.UNCERTAIN:
                assert perform(lambda work, each=invitation: settle(work, each))

    def every_invitation_arrived_once_and_is_sent(self) -> bool:
        states, arrived = self.states(), self.arrivals()
        assert {each: times for each, times in arrived.items() if times != 1} == {}
        assert {each: state for each, state in states.items() if state is not State.SENT} == {}
        assert set(arrived) == set(states)
        assert len(states) == self._reported
        return True

    def close(self) -> None:
        self.app.close()
