"""Delivering what is due, every fence and every answer on disk, against a loop over smtplib that stores nothing.

`python -m benchmarks.delivery`
"""

from __future__ import annotations

import argparse
import itertools
import os
import smtplib
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from benchmarks.footprint import resident_mebibytes
from benchmarks.mail_sink import Sink, sink
from benchmarks.measure import Row, at_least, at_most, compared, in_turns, progress, report
from reviewinvite_core import Application, Caller, NewShop, OrderReport, Settings, State, build
from reviewinvite_core.adapters.mail.recording import RecordingMailer
from reviewinvite_core.ports import Mailer, Message
from reviewinvite_core.testing.builders import CountingEntropy, ManualClock

CONNECTIONS = 4
AT_ONCE = 1_000
PATIENCE_SECONDS = 600
SECRET = "a secret that only benchmarks have"


def measure(*, messages: int = 5_000, repetitions: int = 5, deliveries: int = 100_000) -> Iterator[Row]:
    """Messages a second in turns, then the memory of one worker."""
    with tempfile.TemporaryDirectory() as temporary, sink() as server:
        directory = Path(temporary)
        yield _speed(directory, server, messages, repetitions)
        yield _memory(directory, server, deliveries)


def _speed(directory: Path, server: Sink, count: int, repetitions: int) -> Row:
    serials = itertools.count()
    messages = _messages(directory, count)

    def ours() -> float:
        with closing(_application(directory / f"{next(serials)}.db", f"smtp://127.0.0.1:{server.port}")) as app:
            _fill(app, count)
            before = server.taken()
            begin = time.perf_counter()
            delivered = sum(invitation.state is State.SENT for invitation in app.delivery.once())
            took = time.perf_counter() - begin
        assert delivered == count
        _require_the_same(before, server.taken(), messages)
        return count / took

    def bare() -> float:
        before = server.taken()
        begin = time.perf_counter()
        _send_with_smtplib(server.port, messages)
        took = time.perf_counter() - begin
        _require_the_same(before, server.taken(), messages)
        return count / took

    figures = in_turns({"ours": ours, "smtplib": bare}, repetitions)
    return compared(
        f"delivering {count:,} due invitations over {CONNECTIONS} connections, durable; smtplib and no database",
        "messages/s",
        figures["ours"],
        figures["smtplib"],
        at_least(0.7),
    )


def _application(database: Path, mail_url: str, mailer: Mailer | None = None) -> Application:
    """One that draws the same ids and tokens as any other, at the same instant: so its messages are the same bytes."""
    settings = Settings(database_url=f"sqlite:///{database}", secret=SECRET, mail_url=mail_url, orders_per_minute=0)
    return build(settings, clock=ManualClock(), entropy=CountingEntropy(), mailer=mailer)


def _fill(app: Application, count: int) -> None:
    """Report `count` orders that are due at once."""
    app.shops.add(NewShop(site_id="bakery", name="Bakery"))
    caller = app.shops.act_for("bakery")
    assert isinstance(caller, Caller)
    for first in range(0, count, AT_ONCE):
        numbers = range(first, min(first + AT_ONCE, count))
        app.orders.import_many(
            caller,
            [OrderReport(email=f"customer{each}@example.com", order_number=str(each), delay=0) for each in numbers],
        )


def _messages(directory: Path, count: int) -> Sequence[Message]:
    """The messages that we deliver, made before they are wanted."""
    mailer = RecordingMailer()
    with closing(_application(directory / "messages.db", "recording:", mailer)) as app:
        _fill(app, count)
        for _ in app.delivery.once():
            pass
    return mailer.messages


def _send_with_smtplib(port: int, messages: Sequence[Message]) -> None:
    """Each of the threads keeps one session, and takes the next message when it is done with one."""
    waiting = iter(messages)
    one_at_a_time = threading.Lock()

    def send() -> None:
        with smtplib.SMTP("127.0.0.1", port, local_hostname="localhost") as session:
            while True:
                with one_at_a_time:
                    message = next(waiting, None)
                if message is None:
                    return
                session.sendmail(message.sender, [message.recipient], message.content)

    threads = [threading.Thread(target=send) for _ in range(CONNECTIONS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _require_the_same(before: tuple[int, int], after: tuple[int, int], messages: Sequence[Message]) -> None:
    """Fail unless the server has taken exactly these messages."""
    dots = b"\r\n."
    size = sum(len(each.content) + each.content.count(dots) + len(".\r\n") for each in messages)
    taken = tuple(now - then for now, then in zip(after, before, strict=True))
    assert taken == (len(messages), size), f"{taken} and not {(len(messages), size)}"


def _memory(directory: Path, server: Sink, deliveries: int) -> Row:
    """What `worker` keeps in memory after all its deliveries, against what it kept after a tenth of them."""
    database = directory / "memory.db"
    settings = Settings(database_url=f"sqlite:///{database}", secret=SECRET)
    with closing(build(settings)) as app:
        _fill(app, deliveries)
    given = {
        "REVIEWINVITE_DATABASE_URL": settings.database_url,
        "REVIEWINVITE_SECRET": SECRET,
        "REVIEWINVITE_MAIL_URL": f"smtp://127.0.0.1:{server.port}",
    }
    command = [sys.executable, "-m", "reviewinvite_cli", "worker"]
    begun, _ = server.taken()
    with subprocess.Popen(command, env={**os.environ, **given}, cwd=directory, stdout=subprocess.DEVNULL) as worker:
        try:
            early = _memory_after(worker, server, begun + deliveries // 10)
            late = _memory_after(worker, server, begun + deliveries)
        finally:
            worker.terminate()
    return compared(
        f"worker, resident memory after {deliveries:,} deliveries, compared with after {deliveries // 10:,}",
        "MiB",
        [late],
        [early],
        at_most(1.1),
    )


def _memory_after(worker: subprocess.Popen[bytes], server: Sink, messages: int) -> float:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline and worker.poll() is None:
        taken, _ = server.taken()
        if taken >= messages:
            resident = resident_mebibytes(worker.pid)
            progress(f"{taken:,} taken, {resident:.1f} MiB")
            return resident
        time.sleep(0.1)
    message = f"the worker has not delivered {messages:,}"
    raise RuntimeError(message)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=5_000, help="in each repetition")
    parser.add_argument("--repetitions", type=int, default=5)
    parser.add_argument("--deliveries", type=int, default=100_000, help="of which the memory is measured")
    given = parser.parse_args()
    report(measure(messages=given.messages, repetitions=given.repetitions, deliveries=given.deliveries))


if __name__ == "__main__":
    main()
