"""compose.yaml, as Compose reads it with the template of its settings."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.deploy.shipped import DEPLOY
from tests.tools import require
from tests.waiting import TIMEOUT_SECONDS

pytestmark = pytest.mark.process

TEMPLATE = (DEPLOY / "env.example").read_text()
EVERYTHING = "\n".join(line.removeprefix("#") for line in TEMPLATE.splitlines() if not line.startswith("# "))


@pytest.fixture(scope="module", params=[TEMPLATE, EVERYTHING], ids=["sqlite", "postgres"])
def configuration(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What Compose makes of the file, with the template as it is, and with all that is commented out in it."""
    return configured(tmp_path_factory.mktemp("compose"), request.param)


def configured(folder: Path, settings: str) -> dict[str, Any]:
    """Return what Compose makes of a copy of the kit whose `.env` has these settings."""
    copy = folder / "deploy"
    shutil.copytree(DEPLOY, copy)
    (copy / ".env").write_text(settings)
    program = require("docker-compose", "`apt-get install docker-compose`")
    done = subprocess.run([program, "config"], cwd=copy, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
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


def test_every_setting_in_the_file_reaches_the_service_and_only_the_service(tmp_path: Path) -> None:
    settings = {"REVIEWINVITE_METRICS_PORT": "9090", "REVIEWINVITE_OPERATOR_NAME": "Example Reviews"}
    lines = "".join(f"{name}={value}\n" for name, value in settings.items())
    services = configured(tmp_path, TEMPLATE + lines)["services"]
    assert settings.items() <= services["serve"]["environment"].items()
    others = [service for name, service in services.items() if name != "serve"]
    assert others
    assert not any(name in service["environment"] for service in others for name in settings)


def test_the_image_gets_the_packages_that_the_file_asks_for(tmp_path: Path) -> None:
    settings = "LOCK=extras\nOTEL_EXPORTER_OTLP_ENDPOINT=http://collector:4318\n"
    assert configured(tmp_path / "without", TEMPLATE)["services"]["serve"]["build"]["args"] == {"LOCK": "all"}
    serve = configured(tmp_path / "with", TEMPLATE + settings)["services"]["serve"]
    assert serve["build"]["args"] == {"LOCK": "extras"}
    assert serve["environment"]["OTEL_EXPORTER_OTLP_ENDPOINT"] == "http://collector:4318"


def test_what_follows_from_the_containers_is_not_changed_by_the_file(tmp_path: Path) -> None:
    settings = "REVIEWINVITE_TRUSTED_PROXIES=0.0.0.0/0\nREVIEWINVITE_BASE_URL=http://elsewhere.example\n"
    environment = configured(tmp_path, TEMPLATE + settings)["services"]["serve"]["environment"]
    assert environment["REVIEWINVITE_TRUSTED_PROXIES"] == "172.31.251.2"
    assert environment["REVIEWINVITE_BASE_URL"] == "https://reviews.example.com"
