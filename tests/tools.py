"""Programs beside Python that tests use: a test without its program is skipped, or fails where it must be there."""

from __future__ import annotations

import os
import shutil
from typing import NoReturn

import pytest

INSTALLED_IN_CI = frozenset({"node", "php", "curl", "pgbouncer"})  # by .ci/run


def require(tool: str, reason: str) -> str:
    """Return the path of a program; skip the test, or fail it, if it is not in PATH."""
    return shutil.which(tool) or unavailable(tool, reason)


def unavailable(tool: str, reason: str) -> NoReturn:
    """Fail the test if `REQUIRE_TOOLS=1` and `.ci/run` installs the tool; skip the test otherwise."""
    message = f"{tool} is not available: {reason}"
    if os.environ.get("REQUIRE_TOOLS") == "1" and tool in INSTALLED_IN_CI:
        pytest.fail(message)
    pytest.skip(message)
