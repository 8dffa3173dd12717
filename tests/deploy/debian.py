"""An empty Debian in a folder, as `debootstrap` makes it, for tests of what is installed there."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.tools import require

# in /tmp there may be no devices allowed, as in memory, and then debootstrap refuses
DISK = "/var/tmp"  # noqa: S108 - a folder of our own is made in it
SECONDS = 1800.0  # packages come from the network
RELEASE = "bookworm"
CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")


def run(*command: str | Path) -> str:
    """Run a command, and return what it prints; fail the test with that if it fails."""
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=SECONDS,
        check=False,
    )
    text = done.stdout.decode(errors="replace")
    assert done.returncode == 0, f"{command}\n{text[-8000:]}"
    return text


@contextmanager
def empty_debian(packages: Sequence[str] = ()) -> Iterator[Path]:
    """Yield the root folder of a new, minimal Debian with these packages; needs root."""
    program = require("debootstrap", "`apt-get install debootstrap`")
    if os.geteuid() != 0:
        pytest.skip("not possible here: only root can install a Debian into a folder")
    with tempfile.TemporaryDirectory(prefix="debian-", dir=DISK, ignore_cleanup_errors=True) as name:
        root = Path(name, "root")
        including = [f"--include={','.join(packages)}"] if packages else []
        run(program, "--variant=minbase", *including, RELEASE, root)
        yield root


def let_pip_trust_what_we_trust(folder: Path) -> Path:
    """Write pip's configuration and this machine's authorities to `folder`, as seen from a root at `/pip`."""
    folder.mkdir()
    configuration = folder / "pip.conf"
    configuration.write_text("[global]\nretries = 10\ntimeout = 60\n")
    if CERTIFICATES.exists():
        shutil.copy(CERTIFICATES, folder / "authorities.pem")
        configuration.write_text(configuration.read_text() + "cert = /pip/authorities.pem\n")
    return configuration
