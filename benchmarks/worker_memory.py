"""The memory of a worker after many deliveries, against its memory after a tenth of them.

Memory is read from /proc, so this runs on Linux only.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

from benchmarks.deliver_once import SECRET, fill
from benchmarks.footprint import resident_mebibytes
from benchmarks.mail_sink import Sink, sink
from benchmarks.measure import Claim, Group, Row, Sizes, at_most, compared, progress
from reviewinvite_core import Settings, build

PATIENCE_SECONDS = 600

MEMORY = Claim(
    key="worker-memory",
    what="memory of `worker` after all deliveries",
    against="the same worker after a tenth of them",
    unit="MiB",
    goal=at_most(1.1),
)


def _measure(sizes: Sizes) -> Iterator[Row]:
    with tempfile.TemporaryDirectory() as temporary, sink() as server:
        directory = Path(temporary)
        settings = Settings(database_url=f"sqlite:///{directory}/reviewinvite.db", secret=SECRET)
        with closing(build(settings)) as app:
            fill(app, sizes.deliveries)
        given = {
            "REVIEWINVITE_DATABASE_URL": settings.database_url,
            "REVIEWINVITE_SECRET": SECRET,
            "REVIEWINVITE_MAIL_URL": f"smtp://127.0.0.1:{server.port}",
        }
        command = [sys.executable, "-m", "reviewinvite_cli", "worker"]
        with subprocess.Popen(command, env={**os.environ, **given}, cwd=directory, stdout=subprocess.DEVNULL) as worker:
            try:
                early = _memory_after(worker, server, sizes.deliveries // 10)
                late = _memory_after(worker, server, sizes.deliveries)
            finally:
                worker.terminate()
    yield compared(MEMORY, [late], [early])


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


GROUP = Group((MEMORY,), _measure)
