"""`kill -9` and SIGTERM in the midst of work: what was acknowledged is there, once, and no e-mail goes out twice."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from tests.budgets import in_full, in_soak
from tests.http.deliveries import each_invitation_is_delivered_at_most_once, every_acknowledged_order_is_there_once
from tests.http.load import Acknowledgement, Load
from tests.http.service import Deployment, an_order, report
from tests.waiting import wait_until

TOLD_BEFORE_A_KILL = 60
SHUTDOWN_SECONDS = 60


def delivered(outbox: Path) -> dict[str, tuple[int, int]]:
    """Each delivered message by its file's name, with what changes when it is delivered again."""
    new = outbox / "new"
    if not new.exists():
        return {}
    return {file.name: (file.stat().st_ino, file.stat().st_mtime_ns) for file in new.iterdir()}


def more_is_delivered(outbox: Path, before: dict[str, tuple[int, int]]) -> bool:
    return len(delivered(outbox)) > len(before)


@pytest.mark.parametrize("kills", [1, in_full(5), in_soak(50)])
def test_kill_9_under_load_loses_no_acknowledged_order_and_sends_nothing_twice(
    deployment: Deployment, kills: int
) -> None:
    acknowledged: dict[str, Acknowledgement] = {}
    before: dict[str, tuple[int, int]] = {}
    for kill in range(kills):
        process = deployment.serve()
        with Load(process.address, deployment.key, f"kill{kill}") as load:
            wait_until(load.has_acknowledged(TOLD_BEFORE_A_KILL + 7 * (kill % 5)))
            wait_until(partial(more_is_delivered, deployment.outbox, before))
            process.kill()
        assert (load.contradictions, load.refused) == ([], [])
        acknowledged |= load.acknowledged
        assert deployment.problems() == ""
        assert every_acknowledged_order_is_there_once(deployment, acknowledged)
        assert each_invitation_is_delivered_at_most_once(deployment)
        after = delivered(deployment.outbox)
        assert {name: after.get(name) for name in before} == before
        before = after
    process = deployment.serve("--no-worker")
    for number, first in list(acknowledged.items())[:: max(1, len(acknowledged) // 100)]:
        again = report(process.address, deployment.key, an_order(orderNumber=number))
        assert (again.status, Acknowledgement(again.json["inviteId"], again.json["scheduledFor"])) == (200, first)
    assert process.terminate() == 0


@pytest.mark.parametrize("rounds", [1, in_full(3)])
def test_sigterm_under_load_ends_with_0_in_time_and_loses_no_acknowledged_order(
    deployment: Deployment, rounds: int
) -> None:
    deployment.command.variables["REVIEWINVITE_SHUTDOWN_SECONDS"] = str(SHUTDOWN_SECONDS)
    acknowledged: dict[str, Acknowledgement] = {}
    for turn in range(rounds):
        process = deployment.serve()
        with Load(process.address, deployment.key, f"term{turn}", clients=16) as load:
            wait_until(load.has_acknowledged(100))
            assert process.terminate(SHUTDOWN_SECONDS) == 0
        assert (load.contradictions, load.refused, load.torn) == ([], [], [])
        acknowledged |= load.acknowledged
        assert '"event": "stopped"' in process.log or '"event":"stopped"' in process.log
        assert "Traceback" not in process.log
    assert deployment.problems() == ""
    assert every_acknowledged_order_is_there_once(deployment, acknowledged)
    assert each_invitation_is_delivered_at_most_once(deployment)


def test_what_a_killed_server_had_not_delivered_yet_the_next_one_delivers(killed_deployment: Deployment) -> None:
    deployment = killed_deployment
    process = deployment.serve("--no-worker")
    ids = {
        report(process.address, deployment.key, an_order(orderNumber=str(n), delayDays=0)).json["inviteId"]
        for n in range(20)
    }
    process.kill()
    deployment.serve()
    wait_until(lambda: len(delivered(deployment.outbox)) == 20)
    assert {name.split(".")[0] for name in delivered(deployment.outbox)} == ids
