"""Remove what a trial made, once the process that started this one has ended, however it ended.

The trial says on standard input, as JSON lines, what there is to remove. The end of that input is the signal to begin.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_TRIES, _PAUSE_SECONDS = 100, 0.1  # processes that are being killed may still write
_WAIT_SECONDS = 60


class Janitor:
    """The process that removes everything; `close` lets it begin and waits for it."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "reviewinvite_cli.prove.janitor"],
            cwd="/",
            stdin=subprocess.PIPE,
            start_new_session=True,  # neither Ctrl-C nor a closed terminal ends it
        )

    def remove_folder(self, folder: Path) -> None:
        """Remove this folder at the end."""
        self._note({"folder": str(folder.absolute())})

    def drop_database(self, server_url: str, name: str) -> None:
        """Drop this database at the end; the URL may hold a password, so it is no argument."""
        self._note({"server": server_url, "database": name})

    def empty_database(self, url: str) -> None:
        """Drop all tables of this database at the end."""
        self._note({"empty": url})

    def _note(self, task: Mapping[str, str]) -> None:
        stdin = self._process.stdin
        if stdin:
            stdin.write(json.dumps(task).encode() + b"\n")
            stdin.flush()

    def close(self) -> None:
        """Let it remove everything, and wait for that."""
        if self._process.stdin:
            self._process.stdin.close()
        self._process.wait(_WAIT_SECONDS)


def _remove(task: Mapping[str, Any]) -> None:
    if "folder" in task:
        for _ in range(_TRIES):
            shutil.rmtree(task["folder"], ignore_errors=True)
            if not Path(task["folder"]).exists():
                return
            time.sleep(_PAUSE_SECONDS)
    elif "database" in task:
        from reviewinvite_cli.prove.postgres import drop

        drop(task["server"], task["database"])
    else:
        from reviewinvite_cli.prove.postgres import drop_tables

        drop_tables(task["empty"])


def main() -> None:
    tasks = [json.loads(line) for line in sys.stdin]
    for task in reversed(tasks):
        try:
            _remove(task)
        except Exception as error:  # the other tasks must still be done
            print(f"could not clean up: {type(error).__name__}", file=sys.stderr)
    os._exit(0)


if __name__ == "__main__":
    main()
