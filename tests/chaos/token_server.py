"""Dovecot's submission server, to which clients log in with access tokens, and what issues the tokens."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.chaos.programs import Program, fill_in, let_others_pass
from tests.ports import free_port
from tests.tools import require, unavailable

TEMPLATES = Path(__file__).parent / "dovecot"
SUBMISSION = Path("/usr/lib/dovecot/submission")
USER = "shop@example.com"
_KEY = b"a key that only this test and its Dovecot know"


def access_token(user: str = USER, *, valid_for: float = 3600.0, **claims: object) -> str:
    """Return a token of Dovecot's issuer; one that is valid for less than 0 seconds has expired."""
    now = int(time.time())
    header = _base64(json.dumps({"alg": "HS256", "typ": "JWT"}).encode())
    content = {"sub": user, "email": user, "iat": now - 7200, "exp": int(now + valid_for), **claims}
    signed = f"{header}.{_base64(json.dumps(content).encode())}"
    return f"{signed}.{_base64(hmac.digest(_KEY, signed.encode(), hashlib.sha256))}"


def _base64(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


@contextmanager
def dovecot(folder: Path, certificate: Path, relay_port: int) -> Iterator[int]:
    """Run Dovecot 2.3 of `apt-get install dovecot-submissiond`, in front of a relay; yield its port."""
    program = require("dovecot", "`apt-get install dovecot-submissiond`")
    if not SUBMISSION.exists():
        unavailable("dovecot", "`apt-get install dovecot-submissiond`")
    version = subprocess.run([program, "--version"], capture_output=True, text=True, check=True).stdout
    if not version.startswith("2.3."):
        pytest.skip(f"not possible here: the configuration is for Dovecot 2.3, not {version.strip()}")
    if os.geteuid() != 0:
        pytest.skip("not possible here: Dovecot runs its parts as another user, so it starts as root only")
    port = free_port()
    key = folder / "keys" / "default" / "HS256" / "default"
    key.parent.mkdir(parents=True)
    key.write_bytes(base64.b64encode(_KEY))
    (folder / "mail").mkdir()
    for name in ("dovecot.conf", "oauth2.conf"):
        fill_in(
            TEMPLATES / name, folder / name, folder=folder, certificate=certificate, port=port, relay_port=relay_port
        )
    for path in folder.rglob("*"):
        shutil.chown(path, "nobody")
    let_others_pass(folder)
    running = Program([program, "-F", "-c", folder / "dovecot.conf"], folder / "output")
    try:
        running.wait_for_port(port)
        yield port
    finally:
        running.kill()
