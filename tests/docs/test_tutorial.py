"""The tutorial works: its commands run in their order, in one shell, and print what the page says."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest
from tests.docs.commands import commands_of, masked
from tests.tools import require

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "tutorial" / "first-review.md").read_text(encoding="utf-8")
INSTALLED_FROM = ("pyproject.toml", "README.md", "LICENSE", "hatch_build.py")
PORT = "8000"
END = "\x04"  # written after each command, so that we know when its output is complete


@pytest.fixture
def port() -> str:
    """A port that is free: the page's own may be in use."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        return str(free.getsockname()[1])


@pytest.fixture
def shell(tmp_path: Path, interpreter: str, port: str) -> Iterator[subprocess.Popen[str]]:
    """A shell in a copy of the source code; pip installs from it, and finds its dependencies where ours are."""
    for tool in ("bash", "curl", "openssl"):
        require(tool, "the tutorial uses it")
    for name in INSTALLED_FROM:
        shutil.copy(ROOT / name, tmp_path / name)
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("__pycache__"))
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("REVIEWINVITE_", "PIP_"))}
    environment |= {
        "PATH": f"{Path(interpreter).parent}{os.pathsep}{os.environ['PATH']}",
        "PYTHONPATH": sysconfig.get_path("purelib"),
        "PIP_NO_INDEX": "1",
        "PIP_NO_DEPS": "1",
        "PIP_NO_BUILD_ISOLATION": "0",  # pip takes the value for that of the option's opposite
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "REVIEWINVITE_BASE_URL": f"http://127.0.0.1:{port}",
    }
    with subprocess.Popen(
        ["bash", "--noprofile", "--norc"],
        cwd=tmp_path,
        env=environment,
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    ) as started:
        yield started
        assert started.stdin is not None
        started.stdin.write("\nkill %1; wait\n")  # of no effect if the page has done it
        started.stdin.close()
        assert started.stdout is not None
        started.stdout.read()


def run(shell: subprocess.Popen[str], command: str) -> str:
    """Have the shell run a command, and return what it printed."""
    assert shell.stdin is not None
    shell.stdin.write(f"{command}printf '{END}'\n")
    shell.stdin.flush()
    return "".join(iter(lambda: _character(shell.stdout), END))


def _character(output: IO[str] | None) -> str:
    assert output is not None
    read = output.read(1)
    assert read, "the shell has ended"
    return read


@pytest.mark.full
def test_every_command_prints_what_the_page_says(shell: subprocess.Popen[str], port: str) -> None:
    followed = list(commands_of(PAGE))
    for command in followed:
        printed = run(shell, command.text.replace(PORT, port)).replace(port, PORT)
        assert masked(printed) == masked(command.printed), command.text
    assert len(followed) > 25
