"""From `POST /v1/orders` to the mail server, through a real `serve`."""

from __future__ import annotations

import time
from pathlib import Path

from tests.http.service import Deployment, an_order, report
from tests.smtp_server import smtp_server
from tests.waiting import wait_until

WITHIN_SECONDS = 2.0
MEASUREMENTS = 10  # at most: a machine may be busy with something else for a while


def test_an_order_without_delay_is_one_message_at_the_mail_server_within_two_seconds(
    deployment: Deployment, tmp_path: Path
) -> None:
    with smtp_server(tmp_path / "log") as server:
        deployment.command.variables["REVIEWINVITE_MAIL_URL"] = server.url
        process = deployment.serve()
        ids: list[str] = []
        took: list[float] = []
        while len(took) < MEASUREMENTS and min(took, default=WITHIN_SECONDS) >= WITHIN_SECONDS:
            answer = report(process.address, deployment.key, an_order(orderNumber=str(len(ids)), delayDays=0))
            acknowledged = time.monotonic()
            assert answer.status == 201
            ids.append(answer.json["inviteId"])
            wait_until(lambda: len(server.logged()) == len(ids))
            took.append(time.monotonic() - acknowledged)
        assert min(took) < WITHIN_SECONDS
        wait_until(lambda: {record.invitation.state.value for record in deployment.records()} == {"sent"})
        assert process.terminate() == 0
        assert server.logged() == [f"<{invite_id}@localhost>" for invite_id in ids]
        assert set(server.recipients) == {"anna@example.com"}
