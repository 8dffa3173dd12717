"""compose.yaml, as Compose reads it with the template of its settings."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.deploy.shipped import DEPLOY
from tests.tools import require
from tests.waiting import TIMEOUT_SECONDS

TEMPLATE = (DEPLOY / "env.example").read_text()
EVERYTHING = "\n".join(line.removeprefix("#") for line in TEMPLATE.splitlines() if not line.startswith("# "))


@pytest.fixture(params=[TEMPLATE, EVERYTHING], ids=["sqlite", "postgres"])
def configuration(request: pytest.FixtureRequest, tmp_path: Path) -> dict[str, Any]:
    """What Compose makes of the file, with the template as it is, and with all that is commented out in it."""
    (tmp_path / ".env").write_text(request.param)
    program = require("docker-compose", "`apt-get install docker-compose`")
    command: list[str | Path] = [program, "--env-file", tmp_path / ".env", "--file", DEPLOY / "compose.yaml", "config"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
    assert done.returncode == 0, done.stderr
    read: dict[str, Any] = yaml.safe_load(done.stdout)
    return read


def test_the_service_trusts_caddy_alone_and_only_caddy_is_reachable(configuration: dict[str, Any]) -> None:
    services = configuration["services"]
    address = services["caddy"]["networks"]["inside"]["ipv4_address"]
    assert services["serve"]["environment"]["REVIEWINVITE_TRUSTED_PROXIES"] == address
    assert [name for name, service in services.items() if "ports" in service] == ["caddy"]


def test_secret_and_mark_are_on_volumes_of_their_own(configuration: dict[str, Any]) -> None:
    mounted = dict(volume.split(":")[:2] for volume in configuration["services"]["serve"]["volumes"])
    assert mounted == {"data": "/data", "secret": "/secret", "mark": "/mark", "backups": "/backups"}
    assert set(mounted) <= set(configuration["volumes"])


def test_nothing_may_gain_privileges(configuration: dict[str, Any]) -> None:
    for name in ("serve", "pgbouncer"):
        service = configuration["services"][name]
        assert service["cap_drop"] == ["ALL"]
        assert service["read_only"] is True
        assert service["security_opt"] == ["no-new-privileges:true"]
    assert "privileged" not in json.dumps(configuration).replace("no-new-privileges", "")
