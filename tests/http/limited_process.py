"""The command, in a process that may open few files: `python limited_process.py LIMIT serve ...`."""

from __future__ import annotations

import resource
import sys

if __name__ == "__main__":
    limit = int(sys.argv.pop(1))
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    from reviewinvite_cli.main import run

    run()
