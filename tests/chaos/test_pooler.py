"""PgBouncer between the service and PostgreSQL: orders, deliveries and maintenance work through it, also if it dies."""

from __future__ import annotations

import os
import pwd
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from psycopg.conninfo import conninfo_to_dict
from tests import postgres
from tests.budgets import in_full, in_soak
from tests.chaos.load import StubbornLoad
from tests.chaos.programs import Program, let_others_pass
from tests.deploy.shipped import adapted
from tests.http.deliveries import each_invitation_is_delivered_at_most_once, every_acknowledged_order_is_there_once
from tests.http.service import Deployment
from tests.ports import free_port
from tests.tools import require
from tests.waiting import wait_until

PASSWORD = "geheim"


class PgBouncer:
    """A pooler with the shipped configuration in front of the database with this URL; `url` leads through it."""

    def __init__(self, folder: Path, direct: str) -> None:
        parts = conninfo_to_dict(direct)
        self._port = free_port()
        self._folder = folder
        users = folder / "userlist.txt"
        users.write_text(f'"{parts["user"]}" "{PASSWORD}"\n')
        configuration = adapted(
            "pgbouncer/pgbouncer.ini",
            folder / "pgbouncer.ini",
            {
                "reviewinvite = host=127.0.0.1 port=5432": f"* = host={parts['host']} port={parts.get('port', 5432)}",
                "listen_port = 6432": f"listen_port = {self._port}",
                "/etc/pgbouncer/userlist.txt": str(users),
                "default_pool_size = 20": "default_pool_size = 6",  # fewer than the processes would open themselves
            },
        )
        self._command = [require("pgbouncer", "`apt-get install pgbouncer`"), str(configuration)]
        # it does not run as root; only the server's own user may look into the folder of its socket
        owner = Path(str(parts["host"])).stat().st_uid if str(parts["host"]).startswith("/") else _nobody()
        self._user = owner if os.geteuid() == 0 else None
        let_others_pass(folder)
        place = f"{parts['user']}:{PASSWORD}@127.0.0.1:{self._port}{urlsplit(direct).path}"
        self.url = f"postgresql://{place}?prepared_statements=off"
        self.start()

    def start(self) -> None:
        self._program = Program(self._command, self._folder / "pgbouncer.log", user=self._user)
        self._program.wait_for_port(self._port)

    def kill(self) -> None:
        self._program.kill()


def _nobody() -> int:
    return pwd.getpwnam("nobody").pw_uid


@pytest.fixture
def pgbouncer(short_folder: Path, postgres_url: str) -> Iterator[PgBouncer]:
    """A pooler in front of an empty database."""
    pooler = PgBouncer(short_folder, postgres_url)
    try:
        with postgres.durable(postgres_url):
            yield pooler
    finally:
        pooler.kill()


@pytest.mark.parametrize("kills", [in_full(1), in_soak(30)])
def test_orders_deliveries_and_maintenance_work_through_a_pooler(
    tmp_path: Path, pgbouncer: PgBouncer, kills: int
) -> None:
    deployment = Deployment(tmp_path, pgbouncer.url, orders_per_minute=0)
    try:
        processes = [deployment.serve(), deployment.serve()]
        worker = deployment.run("-m", "reviewinvite_cli", "worker")
        loads = [
            StubbornLoad(partial(getattr, process, "address"), deployment.key, f"{n}", pause=0.02)
            for n, process in enumerate(processes)
        ]
        with loads[0], loads[1]:
            for _ in range(kills):
                for load in loads:
                    wait_until(load.has_acknowledged(100))
                assert deployment.problems() == ""
                assert deployment.command.run("db", "migrate").code == 0
                pgbouncer.kill()
                pgbouncer.start()
            for load in loads:
                wait_until(load.has_acknowledged(100))
        for process in (*processes, worker):
            assert process.terminate() == 0, process.log
            assert "Traceback" not in process.log
        for load in loads:
            assert load.contradictions == []
            assert every_acknowledged_order_is_there_once(deployment, load.acknowledged)
        assert each_invitation_is_delivered_at_most_once(deployment)
        assert deployment.problems() == ""
        print(f"{sum(len(load.acknowledged) for load in loads)} orders acknowledged")
    finally:
        deployment.stop()
