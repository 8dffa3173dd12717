"""A further, short trial on a file system of 16 MiB that really runs full.

It runs in a process of its own, which mounts that file system where no other process sees it: the mount ends with the
process, even if that is killed.
"""

from __future__ import annotations

import ctypes
import json
import os
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from reviewinvite_cli.prove.databases import SqliteDatabase
from reviewinvite_cli.prove.installation import Installation
from reviewinvite_cli.prove.processes import Program
from reviewinvite_cli.prove.run import Result, SmallDisk, Trial
from reviewinvite_cli.prove.tally import Tally

if TYPE_CHECKING:
    from reviewinvite_cli.prove.run import Progress

_NEW_MOUNTS, _NEW_USER = 0x00020000, 0x10000000  # CLONE_NEWNS, CLONE_NEWUSER
_PRIVATE = 0x40000 | 0x4000  # MS_PRIVATE | MS_REC
_OPTIONS = b"size=16m,mode=0700"
_SECONDS = 6
_MOST_SECONDS = 600.0
_TICK_SECONDS = 0.2


def try_small_disk(folder: Path, seed: int, progress: Progress) -> SmallDisk:
    """Run this trial in a process of its own, with all its files in `folder`."""
    folder.mkdir()
    found = folder / "found.json"
    arguments = ("-m", "reviewinvite_cli.prove.small_disk", str(folder), str(found), str(seed))
    path = os.pathsep.join(each for each in sys.path if each)
    program = Program("small disk", arguments, {**os.environ, "PYTHONPATH": path}, folder / "log")
    progress.event("Filling a disk of 16 MiB, if one can be mounted here.")
    program.start()
    deadline = time.monotonic() + _MOST_SECONDS
    try:
        while program.is_running and time.monotonic() < deadline:
            time.sleep(_TICK_SECONDS)
    finally:
        last_words = program.last_words()
        program.kill()
    if not found.exists():
        return SmallDisk(problems=(f"the trial on a full disk broke off: {last_words}",))
    read = json.loads(found.read_text())
    tally = Tally(**read["tally"]) if read["tally"] else None
    return SmallDisk(tally, tuple(read["problems"]), read["whyNot"])


class _FullDatabase(SqliteDatabase):
    """A SQLite file on a file system that can be filled. Implements `Database`."""

    why_not_restored = "this is done on the other file system"

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self._ballast = folder / "ballast"

    def fill_disk(self, process_ids: Sequence[int]) -> None:  # noqa: ARG002 - the port's
        with self._ballast.open("wb", buffering=0) as file:
            for size in (4096, 1):
                with suppress(OSError):
                    while True:
                        file.write(b"x" * size)

    def free_disk(self, process_ids: Sequence[int]) -> None:  # noqa: ARG002 - the port's
        self._ballast.unlink()


class Silent:
    """Show no progress. Implements `Progress`."""

    def event(self, sentence: str) -> None:
        pass

    def figures(self, acknowledged: int, accepted: int, faults: int) -> None:
        pass


def _mount(folder: Path) -> None:
    """Mount a small file system for this process and its children.

    Raises: `OSError` if that is not allowed.
    """
    libc = ctypes.CDLL(None, use_errno=True)

    def call(result: int) -> None:
        if result:
            raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))

    user, group = os.getuid(), os.getgid()
    if libc.unshare(_NEW_MOUNTS):  # not root: as the root of a user namespace, if the system has them
        call(libc.unshare(_NEW_USER | _NEW_MOUNTS))
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{user} {user} 1")
        Path("/proc/self/gid_map").write_text(f"{group} {group} 1")
    call(libc.mount(b"none", b"/", None, _PRIVATE, None))
    call(libc.mount(b"tmpfs", os.fsencode(folder), b"tmpfs", 0, _OPTIONS))


def main() -> None:
    folder, found, seed = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
    disk = folder / "disk"
    disk.mkdir()
    try:
        if sys.platform != "linux":
            raise OSError(0, "only Linux can do this")
        _mount(disk)
    except OSError as error:
        found.write_text(json.dumps({"tally": None, "problems": [], "whyNot": str(error.strerror).lower()}))
        return
    result = Result(seed=seed, engine="SQLite", seconds=_SECONDS)
    # the logs are elsewhere: the mail server must be able to count, and people to read why something failed
    installation = Installation(folder, _FullDatabase(disk), seed=seed, mark=disk / "prove.mark")
    try:
        Trial(installation, result, Silent()).run()
    finally:
        installation.close()
    tally = attrs.asdict(result.tally) if result.tally else None
    whole = found.with_suffix(".new")
    whole.write_text(json.dumps({"tally": tally, "problems": result.problems, "whyNot": None}))
    whole.rename(found)


if __name__ == "__main__":
    main()
