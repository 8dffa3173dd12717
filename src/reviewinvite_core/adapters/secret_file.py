"""The operator's secret in a file beside the database, and its replacement. ADR-6, ADR-31."""

from __future__ import annotations

import base64
import errno
import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from glob import escape
from itertools import count
from pathlib import Path

from reviewinvite_core.adapters.files import create_exclusively, fsync_path, os_error_text, write_new
from reviewinvite_core.domain.errors import ConfigurationError, SecretBusy, SecretMissing
from reviewinvite_core.domain.sealing import KEY_BYTES, Secret
from reviewinvite_core.ports import Clock, Entropy

_NOT_ALLOWED = {errno.EACCES, errno.EPERM, errno.EROFS}


def read_secret(path: Path) -> Secret | None:
    """Return the secret in the file, or None if there is no file.

    Raises: `ConfigurationError` if it cannot be read, or holds no secret.
    """
    try:
        return Secret.parse(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except ConfigurationError as error:
        message = str(error).replace("the secret", f"the secret in {path}", 1)
        raise ConfigurationError(message) from None
    except UnicodeError as error:
        message = f"the secret in {path} is not UTF-8"
        raise ConfigurationError(message) from error
    except OSError as error:
        message = f"the secret in {path} cannot be read: {os_error_text(error)}"
        raise ConfigurationError(message) from error


def make_secret(path: Path, entropy: bytes) -> Secret:
    """Return the secret in the file; if there is no file, create one from `entropy` that only its owner can read.

    If several processes create it at once, all of them get the first one: the file appears whole or not at all.

    Raises: `ConfigurationError`.
    """
    draft = path.with_name(f"{path.name}.{os.getpid()}-{entropy[:4].hex()}")
    try:
        create_exclusively(path, _text(entropy), draft=draft)
    except OSError as error:
        message = f"the secret file {path} cannot be created: {os_error_text(error)}"
        raise ConfigurationError(message) from error
    secret = read_secret(path)
    if secret is None:
        message = f"the secret file {path} was removed right after it was created"
        raise ConfigurationError(message)
    return secret


def successor_path(path: Path) -> Path:
    """Return where the successor of this file's secret is staged; the file need not exist."""
    real = Path(os.path.realpath(path))
    return real.with_name(f"{real.name}.next")


def earlier_secrets(path: Path) -> list[Path]:
    """Return the files in which `secret rotate` saved earlier secrets of this file, newest first."""
    real = Path(os.path.realpath(path))
    folder = path.parent if path.parent.resolve() == real.parent else real.parent  # the path as the operator gives it
    return sorted(folder.glob(f"{escape(real.name)}.before-rotate-*"), reverse=True)


class SecretFile:
    """Secret in a file that we manage, with its successor next to it. Implements `ports.SecretStore`.

    The successor's file has the same readers as the secret's.
    """

    def __init__(self, path: Path, entropy: Entropy, clock: Clock) -> None:
        self.file = path
        self._path = Path(os.path.realpath(path))  # a symbolic link stays a link
        self._next = successor_path(path)
        self._draft = self._next.with_name(f"{self._next.name}.draft")
        self._entropy = entropy
        self._clock = clock

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Lock the file that has this path now, not one that has been replaced."""
        while True:
            with self._opened() as descriptor:
                try:
                    fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
                except BlockingIOError:
                    raise SecretBusy from None
                if os.path.samestat(os.fstat(descriptor), self._path.stat()):
                    yield
                    return

    @contextmanager
    def _opened(self) -> Iterator[int]:
        try:
            descriptor = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            self.current()  # raises with what is wrong
            raise
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def current(self) -> Secret:
        secret = read_secret(self._path)
        if secret is None:
            message = f"there is no secret in {self.file}"
            raise SecretMissing(message)
        return secret

    def successor(self) -> Secret | None:
        return read_secret(self._next)

    def stage(self) -> Secret:
        """Create the successor from entropy."""
        try:
            self._remove(self._draft)  # left by a process that was killed
            write_new(self._draft, _text(self._entropy.draw(KEY_BYTES)), like=self._path.stat())
            self._draft.rename(self._next)
            fsync_path(self._next.parent)
        except OSError as error:
            with suppress(OSError):
                self._remove(self._draft)
            if error.errno not in _NOT_ALLOWED:
                raise OSError(error.errno, error.strerror, str(self._next)) from error
            message = (
                f"the new secret cannot be put beside {self.file}: {os_error_text(error)}; let this user write there, "
                "or keep it yourself, with --new-secret-file FILE"
            )
            raise ConfigurationError(message) from error
        secret = self.successor()
        if secret is None:
            message = f"{self._next} was removed right after it was created"
            raise ConfigurationError(message)
        return secret

    def promote(self) -> Path | None:
        """Save the old secret, which existing backups need, and put the successor in its place."""
        if not self._copies():
            self._keep_copy()
        [copy, *_] = self._copies()
        fsync_path(self._path.parent)
        self._next.rename(self._path)
        fsync_path(self._path.parent)
        return copy

    def discard(self) -> bool:
        for file in (self._next, self._draft):
            self._remove(file)
        fsync_path(self._path.parent)
        return True

    def _copies(self) -> list[Path]:
        """Return the files in which the current secret is already saved."""
        content = self._path.read_bytes()
        return [copy for copy in earlier_secrets(self.file) if copy.read_bytes() == content]

    def _keep_copy(self) -> None:
        stem = f"{self._path.name}.before-rotate-{self._clock.now():%Y%m%dT%H%M%SZ}"
        for number in count(1):
            copy = self._path.with_name(stem if number == 1 else f"{stem}-{number}")
            with suppress(FileExistsError):
                try:
                    os.link(self._path, copy)
                except FileExistsError:
                    raise
                except OSError:  # the file system has no hard links
                    write_new(copy, self._path.read_bytes(), like=self._path.stat())
                return

    @staticmethod
    def _remove(file: Path) -> None:
        with suppress(FileNotFoundError):
            file.unlink()


class ExternalSecret:
    """Secrets that the operator provides, the new one in a file. Implements `ports.SecretStore`.

    Neither is ever replaced or removed.
    """

    def __init__(self, current: Secret, file: Path, entropy: Entropy) -> None:
        self._current = current
        self.file = file
        self._entropy = entropy

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Do nothing: nothing is stored here, and storage detects concurrent changes."""
        yield

    def current(self) -> Secret:
        return self._current

    def successor(self) -> Secret | None:
        if self.file.exists() and not self.file.is_file():
            message = f"{self.file} is not a regular file: a secret from a pipe would be lost after this command"
            raise ConfigurationError(message)
        secret = read_secret(self.file)
        if secret == self._current:
            message = f"the secret in {self.file} is already in use"
            raise ConfigurationError(message)
        return secret

    def stage(self) -> Secret:
        """Sync the successor, which the operator may have written just now.

        Raises: `ConfigurationError` if it is weak.
        """
        secret = self.successor()
        if secret:
            secret.require_strong(f"the secret in {self.file}")
        else:
            secret = make_secret(self.file, self._entropy.draw(KEY_BYTES))
        with suppress(OSError):  # what cannot be synced is not on a disk
            fsync_path(self.file)
            fsync_path(self.file.parent)
        return secret

    def promote(self) -> Path | None:
        return None

    def discard(self) -> bool:
        return False


def _text(entropy: bytes) -> bytes:
    return base64.urlsafe_b64encode(entropy).rstrip(b"=") + b"\n"
