"""The primary of PostgreSQL is killed under load, and its synchronous standby takes over: nothing is lost."""

from __future__ import annotations

from contextlib import ExitStack
from functools import partial
from pathlib import Path
from urllib.parse import quote

import psycopg
import pytest
from tests import postgres
from tests.budgets import in_full, in_soak
from tests.chaos.load import StubbornLoad
from tests.http.deliveries import each_invitation_is_delivered_at_most_once, every_acknowledged_order_is_there_once
from tests.http.load import Acknowledgement
from tests.http.service import Deployment
from tests.waiting import wait_until

ACKNOWLEDGED_BEFORE_A_KILL = 100


@pytest.mark.parametrize("failovers", [in_full(2), in_soak(20)])
def test_a_failover_to_a_synchronous_standby_loses_no_acknowledged_order(
    short_folder: Path, tmp_path: Path, failovers: int
) -> None:
    acknowledged: dict[str, Acknowledgement] = {}
    in_doubt = 0
    with ExitStack() as stack:
        folders = [short_folder / name for name in ("a", "b")]
        for folder in folders:
            folder.mkdir(mode=0o700)
        primary = stack.enter_context(postgres.stopped_after(postgres.OwnServer(folders[0])))
        with psycopg.connect(primary.url, autocommit=True) as connection:
            connection.execute("CREATE DATABASE reviews")
        hosts = ",".join(quote(str(folder / "data"), safe="") for folder in folders)
        url = f"postgresql:///reviews?host={hosts}&user=postgres&target_session_attrs=read-write"
        deployment = Deployment(tmp_path, url, orders_per_minute=0)
        stack.callback(deployment.stop)
        processes = [deployment.serve(), deployment.serve()]
        for failover in range(failovers):
            folder = folders[(failover + 1) % 2]
            standby = stack.enter_context(postgres.stopped_after(postgres.Standby(folder, primary)))
            loads = [
                StubbornLoad(partial(getattr, process, "address"), deployment.key, f"{failover}-{n}", pause=0.02)
                for n, process in enumerate(processes)
            ]
            with loads[0], loads[1]:
                for load in loads:
                    wait_until(load.has_acknowledged(ACKNOWLEDGED_BEFORE_A_KILL))
                primary.kill_9()
                standby.promote()
                for load in loads:
                    wait_until(load.has_acknowledged(ACKNOWLEDGED_BEFORE_A_KILL // 2))
            for load in loads:
                assert load.contradictions == []
                acknowledged |= load.acknowledged
                in_doubt += load.doubtful
            assert every_acknowledged_order_is_there_once(deployment, acknowledged)
            primary = standby
        for process in processes:
            assert process.terminate() == 0
            assert "Traceback" not in process.log
        assert each_invitation_is_delivered_at_most_once(deployment)
        assert deployment.problems() == ""
        print(f"{len(acknowledged)} orders acknowledged, {failovers} failovers, {in_doubt} reports in doubt")
