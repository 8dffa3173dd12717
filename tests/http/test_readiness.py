"""What `/healthz` and `/readyz` say of a service that is well, whatever its storage. Spec: §4."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.http.service import SECRET, http_request

from reviewinvite_core import Settings, build
from reviewinvite_http import server


@pytest.mark.parametrize(("worker", "delivery"), [(False, "off"), (True, "running")])
def test_a_service_that_is_well_is_ready_and_names_its_storage(
    database_url: str, tmp_path: Path, worker: bool, delivery: str
) -> None:
    mark = tmp_path / "reviewinvite.mark"
    app = build(Settings(database_url=database_url, mail_url="recording:", secret=SECRET, handover_mark=mark))
    try:
        with server.running(app, worker=worker) as address:
            assert http_request(address, "GET", "/healthz").json == {"status": "ok"}
            answer = http_request(address, "GET", "/readyz")
    finally:
        app.close()
    told, engine = answer.json, urlsplit(database_url).scheme
    connections = told["storage"].pop("connections", None)
    assert answer.status == 200
    assert told == {"status": "ready", "storage": {"engine": engine}, "delivery": delivery}
    if engine == "postgresql":
        assert connections["open"] >= connections["inUse"] >= 0
        assert worker or connections["waiting"] == 0  # a worker that has just begun may wait for one
    else:
        assert connections is None
