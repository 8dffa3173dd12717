"""A delivery that hangs keeps no process from ending."""

from __future__ import annotations

import subprocess
import sys

import pytest
from tests.waiting import TIMEOUT_SECONDS

PROGRAM = """
import threading
from reviewinvite_core import Settings, accepted, build
from reviewinvite_core.adapters import daemon_threads
from reviewinvite_core.testing.builders import a_shop, an_order_report

stop, hangs = threading.Event(), threading.Event()

class HangingMailer:
    async def stage(self, message):
        stop.set()
        await daemon_threads.call(hangs.wait)

    async def close(self):
        pass

app = build(Settings(database_url="memory:", shutdown_seconds=1), mailer=HangingMailer())
app.shops.add(a_shop())
accepted(app.orders.report(accepted(app.shops.act_for("bakkerij-1")), an_order_report(delay_days=0)))
print(*[invitation.state for invitation in app.delivery.once(stop)])
"""


@pytest.mark.process
@pytest.mark.parametrize("end", ["", "app.close()"])
def test_a_call_that_hangs_ends_with_the_process(end: str) -> None:
    ended = subprocess.run(
        [sys.executable, "-W", "error", "-c", PROGRAM + end],
        check=True,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
    )
    assert (ended.stdout.strip(), ended.stderr) == ("scheduled", "")
