"""Programs of the operating system end with the tests that started them."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import psutil
import pytest
from tests.tools import require
from tests.waiting import TIMEOUT_SECONDS, wait_until

ROOT = Path(__file__).parents[2]
STARTS = """
import sys, time
from pathlib import Path
from tests.chaos.programs import Program
print(Program([sys.argv[1], "1000"], Path(sys.argv[2])).pid, flush=True)
time.sleep(1000)
"""


@pytest.mark.process
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_a_program_ends_with_the_tests_that_are_killed(tmp_path: Path, number: signal.Signals) -> None:
    require("setpriv", "`apt-get install util-linux`")
    command = [sys.executable, "-c", STARTS, str(shutil.which("sleep")), str(tmp_path / "log")]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as tests:
        assert tests.stdout is not None
        started = psutil.Process(int(tests.stdout.readline()))
        wait_until(lambda: started.name() == "sleep")
        tests.send_signal(number)
        tests.wait(TIMEOUT_SECONDS)
    wait_until(lambda: not started.is_running() or started.status() == psutil.STATUS_ZOMBIE)
