"""Programs that send the same messages as we do, and promise less: smtplib alone, huey, procrastinate.

Each has its messages prepared before its clock starts. The two queues send each as a job of its own, without retries.
A job names its message by its place, so a queue stores no message.
"""

from __future__ import annotations

import asyncio
import smtplib
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import procrastinate
import uvloop
from huey import SqliteHuey
from huey.consumer import Consumer
from procrastinate.types import JSONDict

from benchmarks.deliver_once import AT_ONCE
from benchmarks.mail_sink import Sink
from reviewinvite_core.ports import Message


class Sessions:
    """An SMTP session for each thread, kept until the end."""

    def __init__(self, sink: Sink) -> None:
        self._port = sink.port
        self._own = threading.local()
        self._all: list[smtplib.SMTP] = []

    def send(self, message: Message) -> None:
        """Send it over this thread's session, which the first message opens."""
        session: smtplib.SMTP | None = getattr(self._own, "session", None)
        if session is None:
            session = self._own.session = smtplib.SMTP("127.0.0.1", self._port, local_hostname="localhost")
            self._all.append(session)
        session.sendmail(message.sender, [message.recipient], message.content)

    def close(self) -> None:
        """End all sessions."""
        for session in self._all:
            session.quit()


@contextmanager
def sessions(sink: Sink) -> Iterator[Sessions]:
    """Yield sessions, which are ended after use."""
    kept = Sessions(sink)
    try:
        yield kept
    finally:
        kept.close()


def smtplib_seconds(sink: Sink, messages: Sequence[Message], threads: int) -> float:
    """Send with a loop in each thread, and return the seconds; nothing is stored."""
    waiting = iter(messages)
    one_at_a_time = threading.Lock()

    def send(kept: Sessions) -> None:
        while True:
            with one_at_a_time:
                message = next(waiting, None)
            if message is None:
                return
            kept.send(message)

    with sessions(sink) as kept, ThreadPoolExecutor(threads) as pool:
        begin = time.perf_counter()
        for done in [pool.submit(send, kept) for _ in range(threads)]:
            done.result()
        return time.perf_counter() - begin


def huey_seconds(sink: Sink, messages: Sequence[Message], threads: int, folder: Path) -> float:
    """Send with huey's own consumer, from a new SQLite file that is synced, and return the seconds."""
    huey = SqliteHuey(filename=str(folder / "huey.db"), fsync=True)
    all_sent = threading.Event()
    one_at_a_time = threading.Lock()
    left = len(messages)

    with sessions(sink) as kept:

        def send_one(place: int) -> None:
            nonlocal left
            kept.send(messages[place])
            with one_at_a_time:
                left -= 1
                if not left:
                    all_sent.set()

        send = huey.task()(send_one)
        for place in range(len(messages)):
            send(place)
        consumer = Consumer(huey, workers=threads, periodic=False)
        begin = time.perf_counter()
        for thread in (consumer.scheduler, *(thread for _, thread in consumer.worker_threads)):
            thread.start()  # `consumer.start` does that, and takes over the signals of this process
        all_sent.wait()
        took = time.perf_counter() - begin
        consumer.stop(graceful=True)
    huey.storage.close()
    return took


def procrastinate_seconds(sink: Sink, messages: Sequence[Message], concurrency: int, database_url: str) -> float:
    """Send with procrastinate's own worker, from a new database, and return the seconds."""
    with sessions(sink) as kept, asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(_work_off(kept, messages, concurrency, database_url))


async def _work_off(kept: Sessions, messages: Sequence[Message], concurrency: int, database_url: str) -> float:
    connector = procrastinate.PsycopgConnector(conninfo=database_url, min_size=concurrency, max_size=concurrency)
    app = procrastinate.App(connector=connector)

    def send_one(place: int) -> None:
        kept.send(messages[place])

    send = app.task(name="send")(send_one)

    # procrastinate runs such tasks on the threads of the loop, of which there are few by default
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(concurrency))
    async with app.open_async():
        await app.schema_manager.apply_schema_async()
        for first in range(0, len(messages), AT_ONCE):
            places: list[JSONDict] = [{"place": place} for place in range(first, min(first + AT_ONCE, len(messages)))]
            await send.batch_defer_async(*places)
        begin = time.perf_counter()
        await app.run_worker_async(
            concurrency=concurrency, wait=False, listen_notify=False, install_signal_handlers=False
        )
        return time.perf_counter() - begin
