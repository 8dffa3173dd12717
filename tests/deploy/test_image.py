"""The image: built by a real builder from the shipped Dockerfile, on an empty Debian, and run as its user.

No image can be fetched here, so `debian:bookworm-slim` is what debootstrap makes. There is no daemon: Buildah executes
the Dockerfile in a chroot. So what isolates a container of Docker (namespaces, a read-only root, dropped capabilities)
is not tested, nor is the digest of the base image.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import attrs
import psutil
import pytest
from tests.chaos.programs import Program
from tests.deploy.debian import DISK, empty_debian, let_pip_trust_what_we_trust, run
from tests.deploy.shipped import DEPLOY, ROOT
from tests.http.service import http_request
from tests.ports import free_port
from tests.tools import require
from tests.waiting import TIMEOUT_SECONDS, wait_until

pytestmark = [pytest.mark.full, pytest.mark.timeout(3600)]  # it fetches packages

USER = 10001
BASE = "docker.io/library/debian:bookworm-slim"


@attrs.frozen
class Builder:
    """Buildah with a storage of its own."""

    folder: Path

    @property
    def command(self) -> list[str | Path]:
        program = require("buildah", "`apt-get install buildah`")
        return [program, "--root", self.folder / "s", "--runroot", self.folder / "r", "--storage-driver", "vfs"]

    def run(self, *arguments: str | Path) -> str:
        return run(*self.command, *arguments).strip()

    def build(self, dockerfile: Path, context: Path, **arguments: str) -> str:
        """Build an image with these build arguments, and return its name."""
        name = "-".join((f"localhost/{dockerfile.parent.name}", *arguments.values()))
        pip = self.folder / "pip"
        configuration = pip / "pip.conf" if pip.exists() else let_pip_trust_what_we_trust(pip)
        volumes = ("--volume", f"{pip}:/pip:ro", "--volume", f"{configuration}:/etc/pip.conf:ro")
        options = ("--isolation", "chroot", "--pull-never", "--format", "docker", *volumes)
        given = [f"--build-arg={key}={value}" for key, value in arguments.items()]
        self.run("bud", *options, *given, "--file", dockerfile, "--tag", name, context)
        return name

    def configuration(self, image: str) -> dict[str, Any]:
        """Return what the image says about its containers."""
        read: dict[str, Any] = json.loads(self.run("inspect", "--type", "image", image))["Docker"]["config"]
        return read


@pytest.fixture(scope="module")
def builder() -> Iterator[Builder]:
    """A builder that has the base image."""
    require("buildah", "`apt-get install buildah`")
    with tempfile.TemporaryDirectory(prefix="buildah-", dir=DISK, ignore_cleanup_errors=True) as name:
        made = Builder(Path(name))
        with empty_debian() as root:
            container = made.run("from", "scratch")
            made.run("add", "--quiet", container, root, "/")
        made.run("commit", "--quiet", "--rm", "--format", "docker", container, BASE)
        yield made


@pytest.fixture(scope="module")
def image(builder: Builder) -> str:
    """The image of the service."""
    return builder.build(DEPLOY / "Dockerfile", ROOT)


@attrs.frozen
class Container:
    """A container of the image, with its volumes in a folder."""

    builder: Builder
    name: str
    volumes: Path

    def command(self, *arguments: str) -> list[str | Path]:
        mounted = [f"--volume={self.volumes / name}:/{name}" for name in ("data", "secret", "mark", "backups")]
        return [*self.builder.command, "run", "--isolation", "chroot", *mounted, self.name, *arguments]

    def run(self, *arguments: str) -> str:
        return run(*self.command(*arguments)).strip()

    def fails(self, *arguments: str) -> str:
        """Run a command that fails, and return what it prints.

        Buildah loses at times what a command prints just before it ends: then the command runs again.
        """
        for _ in range(10):
            done = subprocess.run(self.command(*arguments), capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
            assert done.returncode != 0
            said = done.stdout + done.stderr
            if any("exit" not in line for line in said.splitlines()):
                return said
        raise AssertionError(f"nothing was printed by {arguments}")


@pytest.fixture
def container(builder: Builder, image: str, tmp_path: Path) -> Container:
    """A new container of the image of the service."""
    return container_of(builder, image, tmp_path)


def container_of(builder: Builder, image: str, tmp_path: Path) -> Container:
    """Return a new container, whose volumes belong to its user, as Docker makes them."""
    for name in ("data", "secret", "mark", "backups"):
        volume = tmp_path / "volumes" / name
        volume.mkdir(parents=True, mode=0o700)
        os.chown(volume, USER, USER)
    name = builder.run("from", "--pull-never", image)
    for path in builder.configuration(image)["Volumes"]:  # Buildah would forget what is written there
        builder.run("config", "--volume", f"{path}-", name)
    return Container(builder, name, tmp_path / "volumes")


@pytest.fixture
def serving(container: Container, image: str, tmp_path: Path) -> Iterator[Callable[[], tuple[Program, str]]]:
    """Starts what the image runs by default, on a free port; gives the program and its address."""
    started: list[Program] = []

    def start() -> tuple[Program, str]:
        configuration = container.builder.configuration(image)
        port = free_port()
        command = [*configuration["Entrypoint"], *configuration["Cmd"], "--port", str(port)]
        program = Program(container.command(*command), tmp_path / "serve.log")
        started.append(program)
        program.wait_for_port(port)
        return program, f"http://127.0.0.1:{port}"

    yield start
    for program in started:
        program.kill()


def test_the_image_serves_as_a_user_without_privileges(
    container: Container, serving: Callable[[], tuple[Program, str]]
) -> None:
    assert "there is no secret in /secret/secret" in container.fails("reviewinvite", "serve").lower()
    container.run("reviewinvite-make-secret", "/secret/secret")
    container.run("reviewinvite", "shop", "add", "shop", "--name", "Shop")
    program, address = serving()
    assert http_request(address, "GET", "/readyz").json["delivery"] == "running"
    container.run("reviewinvite-health", f"{address}/readyz")
    [served] = [each for each in psutil.Process(program.pid).children(recursive=True) if "serve" in each.cmdline()][-1:]
    assert set(served.uids()) == {USER}
    assert sorted(path.name for path in (container.volumes / "mark").iterdir()) == ["mark"]
    assert [path.name for path in (container.volumes / "secret").iterdir()] == ["secret"]
    assert all(path.name.startswith("reviewinvite.db") for path in (container.volumes / "data").iterdir())


def test_a_backup_and_a_rotated_secret_stay_on_their_volumes(container: Container) -> None:
    container.run("reviewinvite-make-secret", "/secret/secret")
    container.run("reviewinvite", "shop", "add", "shop", "--name", "Shop")
    before = (container.volumes / "secret" / "secret").read_text()
    container.run("reviewinvite-backup", "/backups", "2")
    assert len(list((container.volumes / "backups").glob("reviewinvite-*.db"))) == 1
    container.run("reviewinvite", "secret", "rotate", "--yes")
    assert (container.volumes / "secret" / "secret").read_text() != before
    container.run("reviewinvite", "shop", "show", "shop")


def test_the_user_can_change_nothing_but_the_volumes(container: Container) -> None:
    for folder in ("/", "/opt/reviewinvite/bin", "/usr/local/bin", "/etc"):
        assert "Permission denied" in container.fails("touch", f"{folder}/changed")


def test_what_the_image_says_about_its_containers(builder: Builder, image: str) -> None:
    configuration = builder.configuration(image)
    assert configuration["User"] == f"{USER}:{USER}"
    assert set(configuration["Volumes"]) == {"/data", "/secret", "/mark"}
    assert configuration["Healthcheck"]["Test"] == ["CMD", "reviewinvite-health"]


def test_the_image_with_extras_reports_errors_and_traces_requests(builder: Builder, tmp_path: Path) -> None:
    container = container_of(builder, builder.build(DEPLOY / "Dockerfile", ROOT, LOCK="extras"), tmp_path)
    container.run("reviewinvite-make-secret", "/secret/secret")
    container.run("reviewinvite", "shop", "add", "shop", "--name", "Shop")
    (container.volumes / "mark" / "mark").unlink()  # which is an error: deliveries pause
    port = free_port()
    with collector() as (received, server):
        variables = (
            f"REVIEWINVITE_SENTRY_DSN=http://key@127.0.0.1:{server}/1",
            f"OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:{server}",
        )
        command = container.command("env", *variables, "reviewinvite", "serve", "--port", str(port))
        program = Program(command, tmp_path / "serve.log")
        try:
            program.wait_for_port(port)
            assert http_request(f"http://127.0.0.1:{port}", "GET", "/readyz").json["delivery"] == "paused"
            wait_until(lambda: {"/v1/traces", "/api/1/envelope/"} <= set(received))
        finally:
            program.kill()


@contextmanager
def collector() -> Iterator[tuple[list[str], int]]:
    """Run an HTTP server that accepts everything; yield the paths of its requests, and its port."""
    received: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            received.append(self.path)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield received, server.server_port
        finally:
            server.shutdown()
            thread.join()


def test_the_image_of_pgbouncer_has_the_shipped_configuration(builder: Builder) -> None:
    name = builder.build(DEPLOY / "pgbouncer" / "Dockerfile", DEPLOY / "pgbouncer")
    assert builder.configuration(name)["User"] == "postgres"
    container = builder.run("from", "--pull-never", name)
    run_in = ("run", "--isolation", "chroot", container)
    shipped = builder.run(*run_in, "cat", "/usr/local/share/pgbouncer/pgbouncer.ini")
    assert shipped == (DEPLOY / "pgbouncer" / "pgbouncer.ini").read_text().strip()
    assert "PgBouncer 1." in builder.run(*run_in, "pgbouncer", "--version")
