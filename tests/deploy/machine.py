"""A machine in namespaces: systemd boots in a folder, with processes, mounts and a loopback network of its own."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

import psutil
import pytest
from tests.deploy.debian import SECONDS
from tests.waiting import TIMEOUT_SECONDS, happens

UNSHARE = ("unshare", "--fork", "--propagation", "private", "--mount", "--pid")
ALONE = ("--uts", "--ipc", "--net", "--cgroup")
CLEAN = (
    "env",
    "--ignore-environment",
    "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
    "HOME=/root",
    "LANG=C.UTF-8",
)
CGROUPS = Path("/sys/fs/cgroup")
STARTED = "until systemctl is-system-running --wait 2>&1 | grep -Eq 'running|degraded'; do sleep 0.2; done"
END = "\x04"  # written after each command, so that we know when its output is complete

# as a shell with this network: what installs packages
ENTER = """
mount -t proc proc "$1/proc"
mount --rbind /dev "$1/dev"
cp /etc/resolv.conf /etc/hosts "$1/etc/"
cd "$1" && shift && exec chroot . "$@"
"""

# as the kernel would: what a container's systemd expects (https://systemd.io/CONTAINER_INTERFACE)
BOOT = """
set -e
group=$2
cd "$1"
mount --bind . . && cd "$1"
mount -t proc proc proc
mount -t sysfs -o ro sysfs sys
if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
  mount -t cgroup2 cgroup2 sys/fs/cgroup
else
  mount -t tmpfs tmpfs sys/fs/cgroup
  mkdir sys/fs/cgroup/unified sys/fs/cgroup/systemd
  mount -t cgroup2 cgroup2 sys/fs/cgroup/unified
  mount -t cgroup -o none,name=systemd cgroup sys/fs/cgroup/systemd
fi
mount -t tmpfs tmpfs dev
for device in null zero full random urandom tty; do
  touch dev/$device && mount --bind /dev/$device dev/$device
done
mkdir dev/pts dev/shm
mount -t devpts -o newinstance,ptmxmode=0666 devpts dev/pts
mount -t tmpfs tmpfs dev/shm
mount -t tmpfs tmpfs run
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
ip link set lo up
echo booting
# in a chroot, systemd could give no unit a namespace of users
pivot_root . . && umount --lazy .
# systemd mounts credentials in a namespace that shares its mounts with this one
mount --make-rshared /
exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin container=other /lib/systemd/systemd --log-target=null
"""


class Shell:
    """A shell of a machine, in which commands run one after the other."""

    def __init__(self, command: list[str | Path]) -> None:
        self._popen = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    def run(self, command: str) -> str:
        """Run a command, and return what it printed."""
        assert self._popen.stdin is not None
        self._popen.stdin.write(f"{command}\nprintf '{END}'\n")
        self._popen.stdin.flush()
        return "".join(iter(lambda: _character(self._popen.stdout), END))

    def ok(self, command: str) -> str:
        """Run a command that succeeds, and return what it printed."""
        printed, _, code = self.run(f"{{ {command}\n}}; printf '\\n%s' $?").rpartition("\n")
        assert code == "0", f"{command}: {printed}"
        return printed

    def close(self) -> None:
        assert self._popen.stdin is not None
        with suppress(BrokenPipeError):
            self._popen.stdin.close()
        self._popen.wait(TIMEOUT_SECONDS)
        assert self._popen.stdout is not None
        self._popen.stdout.close()


def _character(output: IO[str] | None) -> str:
    assert output is not None
    read = output.read(1)
    assert read, "the shell has ended"
    return read


@contextmanager
def before_boot(root: Path) -> Iterator[Shell]:
    """Yield a shell in the folder, with this machine's network; services are not started there."""
    policy = root / "usr" / "sbin" / "policy-rc.d"
    policy.write_text("#!/bin/sh\nexit 101\n")
    policy.chmod(0o755)
    shell = Shell([*UNSHARE, "--mount-proc", "bash", "-c", ENTER, "-", root, *CLEAN, "bash"])
    try:
        yield shell
    finally:
        shell.close()
        policy.unlink()


@contextmanager
def booted(root: Path, log: Path) -> Iterator[Shell]:
    """Boot the systemd in the folder, and yield a shell when it has started; skip the test if that is not possible."""
    possible = subprocess.run([*UNSHARE, *ALONE, "mount", "-t", "tmpfs", "tmpfs", "/mnt"], check=False)
    if possible.returncode != 0:
        pytest.skip("not possible here: no namespaces for a machine of its own")
    hierarchies = [CGROUPS] if (CGROUPS / "cgroup.controllers").exists() else [CGROUPS / "unified", CGROUPS / "systemd"]
    groups = [hierarchy / f"tests-{os.getpid()}" for hierarchy in hierarchies]
    for group in groups:
        group.mkdir()
    joined = "".join(f"echo $$ > {group}/cgroup.procs; " for group in groups)
    command = ["bash", "-c", f'{joined} exec "$@"', "-", *UNSHARE, *ALONE, "bash", "-c", BOOT, "-", str(root)]
    with log.open("wb") as output:
        started = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    try:
        assert happens(lambda: _systemd_of(started) or started.poll() is not None, TIMEOUT_SECONDS), log.read_text()
        systemd = _systemd_of(started)
        if systemd is None:
            pytest.skip(f"not possible here: {log.read_text()}")
        shell = Shell(["nsenter", "--target", str(systemd.pid), "--all", "--root", "--wd", *CLEAN, "bash"])
        try:
            shell.run(f'timeout {SECONDS:.0f} sh -c "{STARTED}"')
            yield shell
        finally:
            systemd.send_signal(signal.SIGKILL)  # and with it, all processes of its namespace
            shell.close()
    finally:
        started.kill()
        started.wait(TIMEOUT_SECONDS)
        for group in groups:
            happens(lambda group=group: _removed(group), TIMEOUT_SECONDS)  # type: ignore[misc]


def _systemd_of(started: subprocess.Popen[bytes]) -> psutil.Process | None:
    with suppress(psutil.NoSuchProcess):
        for child in psutil.Process(started.pid).children(recursive=True):
            if child.name() == "systemd":
                return child
    return None


def _removed(group: Path) -> bool:
    """Remove a group of processes with those in it; return whether that was possible."""
    with suppress(OSError):
        for folder, _, _ in os.walk(group, topdown=False):
            Path(folder).rmdir()
    return not group.exists()
