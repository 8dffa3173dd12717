"""A purge while `serve` answers: it goes through, reports go on, and no file holds what was erased."""

from __future__ import annotations

import threading

from tests.http.service import SITE, Deployment, an_order, report
from tests.traces import Traces

from reviewinvite_core import accepted
from reviewinvite_core.testing.builders import an_order_report

ERASED = 300


def test_a_purge_beside_a_busy_serve_leaves_no_trace_and_reports_go_on(deployment_under_load: Deployment) -> None:
    deployment = deployment_under_load
    with deployment.library() as app:
        reports = [an_order_report(f"customer-{each}@example.com") for each in range(ERASED)]
        app.orders.import_many(accepted(app.shops.act_for(SITE)), reports)
    traces = Traces(deployment.database)
    assert traces.count == ERASED
    assert traces.are_all_in(deployment.folder)
    process = deployment.serve("--no-worker")
    stop = threading.Event()
    statuses: list[int] = []

    def go_on_reporting() -> None:
        while not stop.is_set():
            body = an_order("other@example.com", orderNumber=str(len(statuses)))
            statuses.append(report(process.address, deployment.key, body).status)

    client = threading.Thread(target=go_on_reporting)
    client.start()
    try:
        before = len(statuses)
        with deployment.library() as app:
            for each in reports:
                app.privacy.erase_address(each.email.text)
        deployment.command.ok("privacy", "purge")
        assert traces.found(deployment.folder) == 0
    finally:
        stop.set()
        client.join()
    assert len(statuses) > before
    assert set(statuses) <= {201, 503}
    assert statuses.count(201) > len(statuses) // 2
    assert deployment.problems() == ""
