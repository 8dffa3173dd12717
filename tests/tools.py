"""Programs beside Python that tests use: a test without its program is skipped, or fails where it must be there."""

from __future__ import annotations

import os
import shutil
from typing import NoReturn

import pytest

# by .ci/run
INSTALLED_IN_CI = frozenset(
    {"node", "php", "curl", "postfix", "saslpasswd2", "exim4", "haproxy", "nginx", "pgbouncer", "faketime", "dovecot"}
    | {"prometheus", "promtool", "caddy", "systemd-analyze", "docker-compose", "buildah", "debootstrap"}
)


def require(tool: str, reason: str) -> str:
    """Return the path of a program; skip the test, or fail it, if it is neither in PATH nor among the daemons."""
    return shutil.which(tool) or shutil.which(tool, path="/usr/sbin") or unavailable(tool, reason)


def unavailable(tool: str, reason: str) -> NoReturn:
    """Fail the test if `REQUIRE_TOOLS=1` and `.ci/run` installs the tool; skip the test otherwise."""
    message = f"{tool} is not available: {reason}"
    if os.environ.get("REQUIRE_TOOLS") == "1" and tool in INSTALLED_IN_CI:
        pytest.fail(message)
    pytest.skip(message)
