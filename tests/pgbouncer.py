"""A real PgBouncer for the tests, in front of a PostgreSQL server."""

from __future__ import annotations

import os
import pwd
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import quote, urlsplit

import psycopg
from psycopg.conninfo import conninfo_to_dict
from tests.tools import require
from tests.waiting import TIMEOUT_SECONDS, wait_until

_CONFIGURATION = """
[databases]
* = {server}

[pgbouncer]
listen_addr =
unix_socket_dir = {folder}
auth_type = any
pool_mode = transaction
default_pool_size = {connections}
server_round_robin = 1
"""


@contextmanager
def pooler(server_url: str, *, connections: int = 3) -> Iterator[str]:
    """Run a PgBouncer with this many connections to the server; yield a URL whose database is that of `server_url`.

    Its clients get another connection of the server for each transaction.
    """
    program = require("pgbouncer", "`apt-get install pgbouncer`")
    known = {name: value for name, value in conninfo_to_dict(server_url).items() if name != "dbname"}
    with tempfile.TemporaryDirectory(prefix="pgbouncer") as name:
        folder = Path(name)
        server = " ".join(f"{key}='{value}'" for key, value in known.items() if value)
        file = folder / "pgbouncer.ini"
        file.write_text(_CONFIGURATION.format(server=server, folder=folder, connections=connections))
        user = _user(str(known["host"]))
        os.chown(folder, user, -1)
        with (
            (folder / "log").open("wb") as log,
            subprocess.Popen([program, "--quiet", file], user=user, stdout=log, stderr=log, cwd="/") as process,
        ):
            url = f"postgresql://{known['user']}@{urlsplit(server_url).path}?host={quote(name, safe='')}&port=6432"
            try:
                wait_until(lambda: process.poll() is not None or _answers(url))
                assert process.poll() is None, (folder / "log").read_text()
                yield url
            finally:
                process.terminate()
                process.wait(TIMEOUT_SECONDS)


def _user(host: str) -> int:
    """Return as whom to run it: not as root, which it refuses, but as somebody who can reach the server's socket."""
    if os.geteuid() != 0:
        return os.geteuid()
    return Path(host).stat().st_uid if host.startswith("/") else pwd.getpwnam("nobody").pw_uid


def _answers(url: str) -> bool:
    try:
        psycopg.connect(url).close()
    except psycopg.OperationalError:
        return False
    return True
