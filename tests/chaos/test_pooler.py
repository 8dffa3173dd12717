"""PgBouncer between the service and PostgreSQL: orders, deliveries and maintenance work through it, also if it dies."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import psycopg
import pytest
from tests import postgres
from tests.budgets import in_full, in_soak
from tests.chaos.load import StubbornLoad
from tests.chaos.programs import Program, let_others_pass
from tests.deploy.shipped import DEPLOY, adapted
from tests.http.deliveries import each_invitation_is_delivered_at_most_once, every_acknowledged_order_is_there_once
from tests.http.service import Deployment
from tests.ports import free_port
from tests.tools import require
from tests.waiting import wait_until

PASSWORD = "geheim"
USER = DATABASE = "reviewinvite"
_URL = re.compile(r"^#REVIEWINVITE_DATABASE_URL=(.*)$", re.MULTILINE)


class PgBouncer:
    """PgBouncer as its image starts it, in front of the server whose socket is in this folder.

    Its configuration and the address of its clients (`url`) are those of the kit, except for the port.
    """

    def __init__(self, folder: Path, sockets: Path) -> None:
        self._port = free_port()
        self._folder = folder
        require("pgbouncer", "`apt-get install pgbouncer`")
        configuration = adapted(
            "pgbouncer/pgbouncer.ini", folder / "shipped.ini", {"listen_port = 6432": f"listen_port = {self._port}"}
        )
        script = adapted(
            "pgbouncer/start",
            folder / "start",
            {"/usr/local/share/pgbouncer/pgbouncer.ini": str(configuration), "/tmp/": f"{folder}/"},  # noqa: S108
        )
        self._command = ["sh", str(script)]
        self._variables = {"POSTGRES_HOST": str(sockets), "POSTGRES_USER": USER, "POSTGRES_PASSWORD": PASSWORD}
        self._user = sockets.stat().st_uid if os.geteuid() == 0 else None  # root it refuses; others may not look there
        if self._user is not None:
            os.chown(folder, self._user, -1)
        let_others_pass(folder)
        [shipped] = _URL.findall((DEPLOY / "env.example").read_text())
        assert "@pgbouncer:6432/" in shipped
        self.url = shipped.replace("@pgbouncer:6432/", f"@127.0.0.1:{self._port}/")
        self.start()

    def start(self) -> None:
        log = self._folder / "pgbouncer.log"
        self._program = Program(self._command, log, env=self._variables, user=self._user)
        self._program.wait_for_port(self._port)

    def kill(self) -> None:
        self._program.kill()


@pytest.fixture
def pgbouncer(short_folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[PgBouncer]:
    """A pooler in front of an empty database, as the containers have it."""
    with postgres.own_server() as server:
        with psycopg.connect(server.url, autocommit=True) as connection:
            connection.execute(f"CREATE ROLE {USER} LOGIN PASSWORD '{PASSWORD}'")
            connection.execute(f"CREATE DATABASE {DATABASE} OWNER {USER}")
        monkeypatch.setenv("PGPASSWORD", PASSWORD)
        pooler = PgBouncer(short_folder, server.socket_folder)
        try:
            yield pooler
        finally:
            pooler.kill()


@pytest.mark.parametrize("kills", [in_full(1), in_soak(30)])
def test_orders_deliveries_and_maintenance_work_through_a_pooler(
    tmp_path: Path, pgbouncer: PgBouncer, kills: int
) -> None:
    deployment = Deployment(tmp_path, pgbouncer.url, orders_per_minute=0)
    deployment.command.variables["PGPASSWORD"] = PASSWORD
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
            assert "prepared" not in process.log
        for load in loads:
            assert load.contradictions == []
            assert every_acknowledged_order_is_there_once(deployment, load.acknowledged)
        assert each_invitation_is_delivered_at_most_once(deployment)
        assert deployment.problems() == ""
        print(f"{sum(len(load.acknowledged) for load in loads)} orders acknowledged")
    finally:
        deployment.stop()
