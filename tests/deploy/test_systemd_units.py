"""The shipped units pass systemd's own checks; test_production_tutorial.py runs them."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from tests.deploy.shipped import DEPLOY
from tests.tools import require
from tests.waiting import TIMEOUT_SECONDS

PAGE = (DEPLOY.parent / "docs" / "how-to" / "deploy-with-systemd.md").read_text(encoding="utf-8")
UNITS = sorted(path.name for path in (DEPLOY / "systemd").iterdir() if path.suffix in {".service", ".timer"})
SERVICES = [name for name in UNITS if name.endswith(".service")]
PROGRAMS = ("opt/reviewinvite/bin/reviewinvite", "usr/local/bin/reviewinvite-backup", "bin/sh")
OF_SYSTEMD = (Path("/usr/lib/systemd/system"), Path("/lib/systemd/system"))


def analyze(*arguments: str) -> str:
    """Run `systemd-analyze`, which needs no running systemd; return what it prints if it fails or warns."""
    program = require("systemd-analyze", "`apt-get install systemd`")
    done = subprocess.run([program, "--no-pager", *arguments], capture_output=True, text=True, timeout=TIMEOUT_SECONDS)
    return done.stderr if done.returncode == 0 else f"{done.returncode}: {done.stdout}{done.stderr}"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """The root folder of a machine on which the kit is installed."""
    units = tmp_path / "etc" / "systemd" / "system"
    units.mkdir(parents=True)
    for name in UNITS:
        shutil.copy(DEPLOY / "systemd" / name, units)
    for name in PROGRAMS:
        program = tmp_path / name
        program.parent.mkdir(parents=True, exist_ok=True)
        program.touch(mode=0o755)
    known = next((folder for folder in OF_SYSTEMD if folder.is_dir()), None)
    if known:
        shutil.copytree(known, tmp_path / "usr" / "lib" / "systemd" / "system", symlinks=True)
    return tmp_path


def test_verify_finds_nothing_wrong(root: Path) -> None:
    assert analyze("verify", f"--root={root}", "--man=no", *UNITS) == ""


@pytest.mark.parametrize("name", SERVICES)
def test_each_service_is_at_most_as_exposed_as_the_page_says(name: str) -> None:
    (tenths,) = re.findall(r"rates it at most (\d)\.(\d) on a scale", PAGE)
    threshold = f"--threshold={''.join(tenths)}"
    assert analyze("security", "--offline=true", threshold, str(DEPLOY / "systemd" / name)) == ""


def test_the_backup_has_access_to_neither_mark_nor_secret() -> None:
    backup = (DEPLOY / "systemd" / "reviewinvite-backup.service").read_text()
    assert "InaccessiblePaths=-%S/reviewinvite-mark -/etc/reviewinvite/secret" in backup
    assert "LoadCredential" not in backup
