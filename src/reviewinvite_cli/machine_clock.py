"""Whether a time service keeps this machine's clock right, as systemd knows it."""

from __future__ import annotations

import subprocess

_COMMAND = ("timedatectl", "show", "--property=NTPSynchronized", "--value")
_SECONDS = 20.0


def clock_fault() -> str | None:
    """Return why the clock may be wrong, or None if it is synchronised."""
    try:
        answer = subprocess.run(_COMMAND, capture_output=True, text=True, timeout=_SECONDS, check=False)  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        return "timedatectl does not say whether this machine's clock is synchronised"
    said = answer.stdout.strip()
    return None if said == "yes" else f"this machine's clock is not synchronised (NTPSynchronized={said or 'unknown'})"
