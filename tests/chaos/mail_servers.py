"""Real mail servers, Postfix and Exim: submission by STARTTLS and AUTH, delivery to a Maildir, all in one folder."""

from __future__ import annotations

import os
import pwd
import shutil
import stat
import subprocess
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest
from tests.chaos.programs import Program, fill_in, let_others_pass
from tests.ports import free_port
from tests.tools import require
from tests.waiting import TIMEOUT_SECONDS

TEMPLATES = Path(__file__).parent
USER, PASSWORD = "shop", "geheim"


class MailServer(ABC):
    """A mail server that can be stopped, killed and suspended; it accepts mail for every address.

    `certificate.pem` in its folder has its key and certificate. It takes at least a second to answer the end of a
    message, so that most open sessions are there at any moment.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.certificate = folder / "certificate.pem"
        self.port = free_port()
        self.mailbox = folder / "mail"
        self._values: dict[str, Any] = {
            "folder": folder,
            "port": self.port,
            "certificate": self.certificate,
            "user": USER,
            "password": PASSWORD,
        }
        self._configure()
        self.start()

    @property
    def url(self) -> str:
        """The `MAIL_URL` by which invitations are submitted."""
        return f"smtp://{USER}:{PASSWORD}@localhost:{self.port}?starttls=required"

    def start(self) -> None:
        self._program = self._started()
        self._program.wait_for_port(self.port)

    def kill(self) -> None:
        self._program.kill()

    @abstractmethod
    def stop(self) -> None:
        """End it as its administrator does."""

    def suspended(self) -> AbstractContextManager[None]:
        """Suspend all its processes for the block."""
        return self._program.suspended()

    @abstractmethod
    def _configure(self) -> None:
        """Write its configuration and make its folders."""

    @abstractmethod
    def _started(self) -> Program: ...

    @abstractmethod
    def is_queue_empty(self) -> bool:
        """Return whether all accepted messages are in the mailbox."""

    def _fill_in(self, template: Path, target: Path) -> None:
        fill_in(template, target, **self._values)


class Postfix(MailServer):
    """Postfix of `apt-get install postfix sasl2-bin`; it needs root, since its parts run as different users."""

    def _configure(self) -> None:
        self._command = require("postfix", "`apt-get install postfix`")
        save_password = require("saslpasswd2", "`apt-get install sasl2-bin`")
        if os.geteuid() != 0:
            pytest.skip("not possible here: Postfix starts as root only")
        owner, recipient = pwd.getpwnam("postfix"), pwd.getpwnam("nobody")
        self._values |= {"uid": recipient.pw_uid, "gid": recipient.pw_gid}
        for name in ("etc", "etc/sasl", "queue", "data", "mail"):
            (self.folder / name).mkdir()
        for name in ("main.cf", "master.cf"):
            self._fill_in(TEMPLATES / "postfix" / name, self.folder / "etc" / name)
        self._fill_in(TEMPLATES / "postfix" / "smtpd.conf", self.folder / "etc" / "sasl" / "smtpd.conf")
        passwords = self.folder / "sasldb"
        subprocess.run(
            [save_password, "-p", "-c", "-f", passwords, "-u", "localhost", USER], input=PASSWORD.encode(), check=True
        )
        shutil.chown(passwords, owner.pw_uid)
        shutil.chown(self.folder / "data", owner.pw_uid)
        shutil.chown(self.mailbox, recipient.pw_uid, recipient.pw_gid)
        let_others_pass(self.folder)

    def _started(self) -> Program:
        return Program([self._command, "-c", self.folder / "etc", "start-fg"], self.folder / "output")

    def stop(self) -> None:
        subprocess.run([self._command, "-c", self.folder / "etc", "stop"], check=True, timeout=TIMEOUT_SECONDS)
        self._program.kill()

    def is_queue_empty(self) -> bool:
        names = ("maildrop", "incoming", "active", "deferred", "corrupt")
        # a file without the permission to be executed is not yet, or never, a whole message
        return not any(mode & 0o100 for name in names for mode in _modes_of_files(self.folder / "queue" / name))


def _modes_of_files(folder: Path) -> Iterator[int]:
    for file in folder.rglob("*"):
        with suppress(FileNotFoundError):  # it has moved on
            mode = file.stat().st_mode
            if stat.S_ISREG(mode):
                yield mode


class Exim(MailServer):
    """Exim of the package `exim4-daemon-light`, run by a user without privileges.

    The package may be unpacked rather than installed, since Debian installs one mail server only.
    """

    def _configure(self) -> None:
        self._command = require("exim4", "`apt-get install exim4-daemon-light`, or unpack that package")
        nobody = pwd.getpwnam("nobody")
        self._uid, self._gid = (nobody.pw_uid, nobody.pw_gid) if os.geteuid() == 0 else (os.getuid(), os.getgid())
        self._values |= {"exim": self._command, "uid": self._uid, "gid": self._gid}
        (self.folder / "passwd").write_text(f"root:x:0:0::/:\nDebian-exim:x:{self._uid}:{self._gid}::/:\n")
        (self.folder / "group").write_text(f"root:x:0:\nDebian-exim:x:{self._gid}:\n")
        self._fill_in(TEMPLATES / "exim" / "exim.conf", self.folder / "exim.conf")
        for name in ("spool", "mail", "mail/new", "mail/cur", "mail/tmp"):
            (self.folder / name).mkdir()
        for path in (self.folder, *self.folder.rglob("*")):
            os.chown(path, self._uid, self._gid)
        let_others_pass(self.folder.parent)

    def _started(self) -> Program:
        # Exim does not start unless its user exists, which installing the package would have made
        users = {
            "LD_PRELOAD": "libnss_wrapper.so",
            "NSS_WRAPPER_PASSWD": str(self.folder / "passwd"),
            "NSS_WRAPPER_GROUP": str(self.folder / "group"),
        }
        command: list[str | Path] = [self._command, "-C", self.folder / "exim.conf", "-bdf", "-q1s"]
        return Program(command, self.folder / "output", env=users, user=self._uid, group=self._gid)

    def stop(self) -> None:
        self._program.terminate()

    def is_queue_empty(self) -> bool:
        return not any((self.folder / "spool" / "input").glob("*-H"))


@contextmanager
def running(kind: type[MailServer], folder: Path) -> Iterator[MailServer]:
    """Run a mail server until the block ends."""
    server = kind(folder)
    try:
        yield server
    finally:
        server.kill()
