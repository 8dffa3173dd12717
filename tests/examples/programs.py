"""Programs in `examples/`, run as a user runs them: in a process and a folder of their own."""

from __future__ import annotations

import email
import email.policy
import os
import re
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from email.message import EmailMessage
from pathlib import Path

from tests.waiting import TIMEOUT_SECONDS, wait_until

EXAMPLES = Path(__file__).parents[2] / "examples"
BASE_URL = "https://shop.example/reviews"


class Program:
    """A process, and what it has printed."""

    def __init__(self, folder: Path, arguments: Sequence[str], environment: Mapping[str, str]) -> None:
        """Start Python with these arguments in `folder`."""
        self._log = folder / f"{Path(arguments[-1]).name}.{len(list(folder.iterdir()))}.log"
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(
                [sys.executable, *arguments],
                cwd=folder,
                env={**os.environ, "PYTHONUNBUFFERED": "1", "REVIEWINVITE_BASE_URL": BASE_URL, **environment},
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                text=True,
            )

    def printed(self) -> str:
        """Return what it has printed so far."""
        return self._log.read_text(encoding="utf-8")

    def wait_for(self, text: str) -> None:
        """Wait until it prints this; fail if it ends before."""

        def has_printed() -> bool:
            ended = self.process.poll() is not None
            if text in self.printed():
                return True
            assert not ended, self.printed()
            return False

        wait_until(has_printed)

    def ended(self) -> int:
        """Close its input, and return its exit code."""
        self.process.communicate(timeout=TIMEOUT_SECONDS)
        return self.process.returncode

    def terminated(self) -> int:
        """Send SIGTERM, and return its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.ended()

    def kill(self) -> None:
        """End it, whatever it does."""
        self.process.kill()
        self.process.communicate()


def mails(folder: Path) -> Sequence[EmailMessage]:
    """Return the invitations in the outbox of a program that ran in `folder`."""
    files = sorted((folder / "outbox" / "new").glob("*.eml"))
    return [email.message_from_bytes(file.read_bytes(), policy=email.policy.default) for file in files]


def recipients(folder: Path) -> Sequence[str]:
    """Return whom the invitations in the outbox are for."""
    return sorted(str(mail["To"]) for mail in mails(folder))


def review_path(mail: EmailMessage) -> str:
    """Return the path of the review page that an invitation links to, below the address of the mount."""
    body = mail.get_body(("plain",))
    assert body is not None
    found = re.search(re.escape(BASE_URL) + r"(/r/\S+)", body.get_content())
    assert found, body.get_content()
    return found[1]
