"""`kill -9` and SIGTERM in the midst of work: what was acknowledged is there, once, and no e-mail goes out twice."""

from __future__ import annotations

from collections import Counter
from email import message_from_bytes
from functools import partial
from pathlib import Path

import pytest
from tests.http.load import Load, Told
from tests.http.service import Deployment, an_order, report, wait_until

from reviewinvite_core.domain.timing import iso_milliseconds

TOLD_BEFORE_A_KILL = 60
SHUTDOWN_SECONDS = 60


def stored(deployment: Deployment) -> dict[str, list[Told]]:
    """What the database says of each order."""
    orders: dict[str, list[Told]] = {}
    for record in deployment.records():
        invitation = record.invitation
        told = Told(invitation.invite_id, iso_milliseconds(invitation.scheduled_for))
        orders.setdefault(str(invitation.order_number), []).append(told)
    return orders


def every_acknowledged_order_is_there_once(deployment: Deployment, told: dict[str, Told]) -> bool:
    there = stored(deployment)
    assert {number: there.get(number) for number in told} == {number: [each] for number, each in told.items()}
    assert {number: len(found) for number, found in there.items() if len(found) > 1} == {}
    return True


def delivered(outbox: Path) -> dict[str, tuple[int, int]]:
    """Each delivered message by its file's name, with what changes when it is delivered again."""
    new = outbox / "new"
    if not new.exists():
        return {}
    return {file.name: (file.stat().st_ino, file.stat().st_mtime_ns) for file in new.iterdir()}


def more_is_delivered(outbox: Path, before: dict[str, tuple[int, int]]) -> bool:
    return len(delivered(outbox)) > len(before)


def each_invitation_is_delivered_at_most_once(deployment: Deployment) -> bool:
    """One message for each invitation that is sent; none for one that could be sent again."""
    files = list((deployment.outbox / "new").iterdir())
    ids = Counter(str(message_from_bytes(file.read_bytes())["Message-ID"]).strip("<>").split("@")[0] for file in files)
    assert [invite_id for invite_id, times in ids.items() if times > 1] == []
    states = {record.invitation.invite_id: record.invitation.state.value for record in deployment.records()}
    assert {states[invite_id] for invite_id in ids} <= {"sent", "handing_over", "uncertain"}
    assert [invite_id for invite_id, state in states.items() if state == "sent" and invite_id not in ids] == []
    return True


@pytest.mark.parametrize("kills", [5, pytest.param(50, marks=pytest.mark.soak)])
def test_kill_9_under_load_loses_no_acknowledged_order_and_sends_nothing_twice(
    deployment: Deployment, kills: int
) -> None:
    told: dict[str, Told] = {}
    before: dict[str, tuple[int, int]] = {}
    for kill in range(kills):
        process = deployment.serve()
        with Load(process.address, deployment.key, f"kill{kill}") as load:
            wait_until(load.has_told(TOLD_BEFORE_A_KILL + 7 * (kill % 5)))
            wait_until(partial(more_is_delivered, deployment.outbox, before))
            process.kill()
        assert (load.contradictions, load.refused) == ([], [])
        told |= load.told
        assert deployment.problems() == ""
        assert every_acknowledged_order_is_there_once(deployment, told)
        assert each_invitation_is_delivered_at_most_once(deployment)
        after = delivered(deployment.outbox)
        assert {name: after.get(name) for name in before} == before
        before = after
    process = deployment.serve("--no-worker")
    for number, first in list(told.items())[:: max(1, len(told) // 100)]:
        again = report(process.address, deployment.key, an_order(orderNumber=number))
        assert (again.status, Told(again.json["inviteId"], again.json["scheduledFor"])) == (200, first)
    assert process.terminate() == 0


def test_sigterm_under_load_ends_with_0_in_time_and_loses_no_acknowledged_order(deployment: Deployment) -> None:
    deployment.command.variables["REVIEWINVITE_SHUTDOWN_SECONDS"] = str(SHUTDOWN_SECONDS)
    told: dict[str, Told] = {}
    for turn in range(3):
        process = deployment.serve()
        with Load(process.address, deployment.key, f"term{turn}", clients=16) as load:
            wait_until(load.has_told(100))
            assert process.terminate(SHUTDOWN_SECONDS) == 0
        assert (load.contradictions, load.refused, load.torn) == ([], [], [])
        told |= load.told
        assert '"event": "stopped"' in process.log or '"event":"stopped"' in process.log
        assert "Traceback" not in process.log
    assert deployment.problems() == ""
    assert every_acknowledged_order_is_there_once(deployment, told)
    assert each_invitation_is_delivered_at_most_once(deployment)


def test_what_a_killed_server_had_not_delivered_yet_the_next_one_delivers(deployment: Deployment) -> None:
    process = deployment.serve("--no-worker")
    ids = {
        report(process.address, deployment.key, an_order(orderNumber=str(n), delayDays=0)).json["inviteId"]
        for n in range(20)
    }
    process.kill()
    deployment.serve()
    wait_until(lambda: len(delivered(deployment.outbox)) == 20)
    assert {name.split(".")[0] for name in delivered(deployment.outbox)} == ids
