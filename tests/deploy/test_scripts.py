"""The scripts of the deploy kit, run as the units and the image run them."""

from __future__ import annotations

import os
import stat
import subprocess
from pathlib import Path

import pytest
from tests.deploy.shipped import DEPLOY, adapted
from tests.http.service import Deployment
from tests.waiting import TIMEOUT_SECONDS

OLD = [f"reviewinvite-2026010{day}T000000Z.db" for day in range(1, 6)]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with old backups, and with files that are none."""
    made = tmp_path / "backups"
    made.mkdir()
    for name in (*OLD, "reviewinvite-20260101T000000Z.db.partial", "mark", "reviewinvite.db"):
        (made / name).touch()
    return made


def run_script(interpreter: str, name: str, *arguments: object, in_folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a script of the kit; `reviewinvite` is that of the interpreter's environment."""
    path = f"{Path(interpreter).parent}{os.pathsep}{os.environ['PATH']}"
    command = [str(DEPLOY / "bin" / name), *map(str, arguments)]
    return subprocess.run(
        command, cwd=in_folder, env={"PATH": path}, capture_output=True, text=True, timeout=TIMEOUT_SECONDS
    )


def test_a_backup_keeps_the_newest_and_leaves_other_files_alone(
    interpreter: str, sqlite_folder: Path, folder: Path
) -> None:
    Deployment(sqlite_folder)
    done = run_script(interpreter, "reviewinvite-backup", folder, 3, in_folder=sqlite_folder)
    assert done.returncode == 0, done.stderr
    left = {path.name for path in folder.iterdir()}
    [made] = left - {*OLD, "mark", "reviewinvite.db"}
    assert left == {made, *OLD[-2:], "mark", "reviewinvite.db"}
    assert (folder / made).read_bytes().startswith(b"SQLite format 3")
    assert stat.S_IMODE((folder / made).stat().st_mode) == 0o600


def test_a_backup_that_fails_deletes_nothing(interpreter: str, tmp_path: Path, folder: Path) -> None:
    done = run_script(interpreter, "reviewinvite-backup", folder, 1, in_folder=tmp_path)
    assert done.returncode != 0
    assert {path.name for path in folder.iterdir()} >= set(OLD)


@pytest.mark.parametrize("keep", ["0", "-1", "all"])
def test_a_backup_keeps_at_least_one(interpreter: str, sqlite_folder: Path, folder: Path, keep: str) -> None:
    Deployment(sqlite_folder)
    done = run_script(interpreter, "reviewinvite-backup", folder, keep, in_folder=sqlite_folder)
    assert done.returncode == 2
    assert {path.name for path in folder.iterdir()} >= set(OLD)


def test_a_secret_is_made_once_and_only_its_owner_can_read_it(interpreter: str, tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    assert run_script(interpreter, "reviewinvite-make-secret", secret, in_folder=tmp_path).returncode == 0
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    made = secret.read_text()
    assert len(made.strip()) >= 43
    assert run_script(interpreter, "reviewinvite-make-secret", secret, in_folder=tmp_path).returncode != 0
    assert secret.read_text() == made


def test_the_health_check_says_whether_the_service_is_ready(interpreter: str, sqlite_folder: Path) -> None:
    deployment = Deployment(sqlite_folder)
    try:
        address = f"{deployment.serve().address}/readyz"
        assert run_script(interpreter, "reviewinvite-health", address, in_folder=sqlite_folder).returncode == 0
        deployment.take_database_away()
        sick = run_script(interpreter, "reviewinvite-health", address, in_folder=sqlite_folder)
        assert (sick.returncode, sick.stderr) == (1, "not ready: HTTP Error 503: Service Unavailable\n")
    finally:
        deployment.stop()


def run_admin(interpreter: str, tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `reviewinvite-admin` in a folder, as the user of the test: test_production_tutorial.py has the real one."""
    settings = tmp_path / "reviewinvite.toml"
    settings.write_text(f'database_url = "sqlite:///{tmp_path}/data/reviewinvite.db"\n')
    identity = "setpriv --reuid=reviewinvite --regid=reviewinvite --clear-groups --no-new-privs"
    script = adapted(
        "bin/reviewinvite-admin",
        tmp_path / "admin",
        {
            "= 0 ]": f"= {os.getuid()} ]",
            identity: "env",
            "/var/lib/reviewinvite": f"{tmp_path}/data",
            "/etc/reviewinvite/secret": f"{tmp_path}/secret",
            "/etc/reviewinvite/reviewinvite.toml": str(settings),
            "/opt/reviewinvite/bin/reviewinvite": f"{Path(interpreter).parent}/reviewinvite",
        },
    )
    command = ["sh", str(script), *arguments]
    return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)


def test_a_command_runs_before_the_first_start_has_made_the_folder(interpreter: str, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("a secret of more than 24 characters\n")
    done = run_admin(interpreter, tmp_path, "settings", "show", "--changed")
    assert done.returncode == 0, done.stderr
    assert f"{tmp_path}/data/reviewinvite.db" in done.stdout
    assert not (tmp_path / "data").exists()


def test_a_command_without_a_secret_says_how_to_make_one(interpreter: str, tmp_path: Path) -> None:
    done = run_admin(interpreter, tmp_path, "shop", "list")
    assert (done.returncode, done.stdout) == (3, "")
    assert f"Create it: reviewinvite-make-secret {tmp_path}/secret\n" in done.stderr
    assert "No such file" not in done.stderr


def test_only_a_lock_that_is_there_is_installed(tmp_path: Path) -> None:
    variables = {"PATH": os.environ["PATH"], "LOCK": "none"}
    command = [str(DEPLOY / "bin" / "install"), str(tmp_path / "target")]
    done = subprocess.run(command, env=variables, capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
    assert (done.returncode, done.stderr) == (2, "Error: LOCK must be all or extras.\n")
    assert not (tmp_path / "target").exists()
