"""Debian's Prometheus, which scrapes services and evaluates rules, and what it answers."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any
from urllib.parse import quote

from tests.ports import free_port
from tests.tools import require
from tests.waiting import TIMEOUT_SECONDS, wait_until


def get(address: str, path: str, headers: dict[str, str] | None = None) -> bytes:
    connection = HTTPConnection(address.removeprefix("http://"), timeout=TIMEOUT_SECONDS)
    try:
        connection.request("GET", path, headers=headers or {})
        return connection.getresponse().read()
    finally:
        connection.close()


@contextmanager
def prometheus(
    folder: Path, rules: Path, services: Sequence[str], *, token: str = "", milliseconds: int = 1000
) -> Iterator[str]:
    """Run Prometheus with these rules, which it evaluates as often as it scrapes the services; yield its address."""
    program = require("prometheus", "`apt-get install prometheus`")
    configuration = {
        "global": {"scrape_interval": f"{milliseconds}ms", "evaluation_interval": f"{milliseconds}ms"},
        "rule_files": [str(rules)],
        "scrape_configs": [
            {
                "job_name": "reviewinvite",
                "scrape_timeout": f"{milliseconds}ms",
                **({"authorization": {"credentials": token}} if token else {}),
                "static_configs": [{"targets": [service.removeprefix("http://") for service in services]}],
            }
        ],
    }
    file, port = folder / "prometheus.yml", free_port()
    file.write_text(json.dumps(configuration))  # JSON is YAML
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(
            [
                *(program, f"--config.file={file}", f"--storage.tsdb.path={folder / 'data'}"),
                *(f"--web.listen-address=127.0.0.1:{port}", "--log.level=warn"),
                f"--query.lookback-delta={20 * milliseconds}ms",  # of a scrape every 15 seconds, it is 5 minutes
            ],
            stdout=log,
            stderr=log,
        )
    try:
        wait_until(lambda: is_ready(process, f"http://127.0.0.1:{port}"))
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(TIMEOUT_SECONDS)


def is_ready(process: subprocess.Popen[bytes], address: str) -> bool:
    assert process.poll() is None, "Prometheus has ended"
    try:
        return b"Ready" in get(address, "/-/ready")
    except OSError:
        return False


def ask(scraper: str, expression: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(get(scraper, f"/api/v1/query?query={quote(expression)}"))
    return answer


def result_of(scraper: str, expression: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = ask(scraper, expression)["data"]["result"]
    return found
