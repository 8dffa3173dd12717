"""The operator's secret, kept in a file beside the database, and how another takes its place. ADR-6, ADR-31."""

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

from reviewinvite_core.domain.errors import ConfigurationError, SecretBusy, SecretMissing
from reviewinvite_core.domain.sealing import KEY_BYTES, Secret
from reviewinvite_core.ports import Clock, Entropy

_NOT_ALLOWED = {errno.EACCES, errno.EPERM, errno.EROFS}


def read_secret(path: Path) -> Secret | None:
    """The secret in the file, or None where there is no file.

    Raises: `ConfigurationError` where it cannot be read, or holds no secret.
    """
    try:
        return Secret.parse(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except ConfigurationError as error:
        message = str(error).replace("the secret", f"the secret in {path}", 1)
        raise ConfigurationError(message) from None
    except UnicodeError as error:
        message = f"the secret in {path} cannot be read: it is not UTF-8"
        raise ConfigurationError(message) from error
    except OSError as error:
        message = f"the secret in {path} cannot be read: {_cause(error)}"
        raise ConfigurationError(message) from error


def make_secret(path: Path, entropy: bytes) -> Secret:
    """The secret in the file, made from `entropy` and readable by its owner only, if there is none.

    When several processes make it at once, all get the one that was first: the file appears whole or not at all.

    Raises: `ConfigurationError`.
    """
    draft = path.with_name(f"{path.name}.{os.getpid()}-{entropy[:4].hex()}")
    try:
        _write(draft, _text(entropy))
        try:
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
        _sync(path.parent)
    except OSError as error:
        message = f"the secret file {path} cannot be made: {_cause(error)}"
        raise ConfigurationError(message) from error
    secret = read_secret(path)
    if secret is None:
        message = f"the secret file {path} has gone again"
        raise ConfigurationError(message)
    return secret


def waiting_beside(path: Path) -> Path:
    """Where the successor of the secret in this file waits; whoever looks for it there may find none."""
    real = Path(os.path.realpath(path))
    return real.with_name(f"{real.name}.next")


def kept_beside(path: Path) -> list[Path]:
    """The files that `secret rotate` has kept of the secrets that were in this file, the newest first."""
    real = Path(os.path.realpath(path))
    folder = path.parent if path.parent.resolve() == real.parent else real.parent  # as the operator calls it
    return sorted(folder.glob(f"{escape(real.name)}.before-rotate-*"), reverse=True)


class SecretFile:
    """See `ports.SecretPlace`: the secret is in a file of ours, and so is its successor, until it takes its place.

    Who may read the file may read the successor, and nobody else.
    """

    def __init__(self, path: Path, entropy: Entropy, clock: Clock) -> None:
        self.file = path
        self._path = Path(os.path.realpath(path))  # a link stays one
        self._next = waiting_beside(path)
        self._draft = self._next.with_name(f"{self._next.name}.draft")
        self._entropy = entropy
        self._clock = clock

    @contextmanager
    def alone(self) -> Iterator[None]:
        """See `ports.SecretPlace`. The lock is on the file that has the name now, not on one that was replaced."""
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
            self.current()  # it says what is wrong
            raise
        try:
            yield descriptor
        finally:
            os.close(descriptor)

    def current(self) -> Secret:
        """See `ports.SecretPlace`."""
        secret = read_secret(self._path)
        if secret is None:
            raise self._missing()
        return secret

    def successor(self) -> Secret | None:
        """See `ports.SecretPlace`."""
        return read_secret(self._next)

    def prepare(self) -> Secret:
        """See `ports.SecretPlace`. It is made from entropy."""
        try:
            self._remove(self._draft)  # of one that was killed
            _write(self._draft, _text(self._entropy.draw(KEY_BYTES)), like=self._path.stat())
            self._draft.rename(self._next)
            _sync(self._next.parent)
        except OSError as error:
            with suppress(OSError):
                self._remove(self._draft)
            if error.errno not in _NOT_ALLOWED:
                raise OSError(error.errno, error.strerror, str(self._next)) from error
            message = (
                f"the new secret cannot be put beside {self.file}: {_cause(error)}; let this user write there, or "
                "keep it yourself, with --new-secret-file FILE"
            )
            raise ConfigurationError(message) from error
        secret = self.successor()
        if secret is None:
            message = f"{self._next} has gone again"
            raise ConfigurationError(message)
        return secret

    def succeed(self) -> Path | None:
        """See `ports.SecretPlace`. The backups that were made until now need the old one."""
        if not self._kept():
            self._keep()
        [kept, *_] = self._kept()
        _sync(self._path.parent)
        self._next.rename(self._path)
        _sync(self._path.parent)
        return kept

    def withdraw(self) -> bool:
        """See `ports.SecretPlace`."""
        for file in (self._next, self._draft):
            self._remove(file)
        _sync(self._path.parent)
        return True

    def _kept(self) -> list[Path]:
        """Where the secret that is in the file now is kept already."""
        content = self._path.read_bytes()
        return [kept for kept in kept_beside(self.file) if kept.read_bytes() == content]

    def _keep(self) -> None:
        stem = f"{self._path.name}.before-rotate-{self._clock.now():%Y%m%dT%H%M%SZ}"
        for number in count(1):
            kept = self._path.with_name(stem if number == 1 else f"{stem}-{number}")
            with suppress(FileExistsError):
                try:
                    os.link(self._path, kept)
                except FileExistsError:
                    raise
                except OSError:  # a file system that has no hard links
                    _write(kept, self._path.read_text(encoding="utf-8"), like=self._path.stat())
                return

    def _missing(self) -> SecretMissing:
        message = f"there is no secret in {self.file}"
        return SecretMissing(message)

    @staticmethod
    def _remove(file: Path) -> None:
        with suppress(FileNotFoundError):
            file.unlink()


class ExternalSecret:
    """See `ports.SecretPlace`: both secrets are the operator's, the new one in a file that is there or is to be made.

    Nothing of this is ever replaced or taken away.
    """

    def __init__(self, current: Secret, file: Path, entropy: Entropy) -> None:
        self._current = current
        self.file = file
        self._entropy = entropy

    @contextmanager
    def alone(self) -> Iterator[None]:
        """See `ports.SecretPlace`. Nothing is kept here; who was first is seen in storage."""
        yield

    def current(self) -> Secret:
        """See `ports.SecretPlace`."""
        return self._current

    def successor(self) -> Secret | None:
        """See `ports.SecretPlace`."""
        if self.file.exists() and not self.file.is_file():
            message = f"{self.file} is no file: what comes by a pipe would be lost with this command"
            raise ConfigurationError(message)
        secret = read_secret(self.file)
        if secret == self._current:
            message = f"the secret in {self.file} is the one that is in use already"
            raise ConfigurationError(message)
        return secret

    def prepare(self) -> Secret:
        """See `ports.SecretPlace`. What the operator has just written may not be on disk yet."""
        secret = self.successor() or make_secret(self.file, self._entropy.draw(KEY_BYTES))
        with suppress(OSError):  # where it cannot be synced, it is no disk
            _sync(self.file)
            _sync(self.file.parent)
        return secret

    def succeed(self) -> Path | None:
        """See `ports.SecretPlace`."""
        return None

    def withdraw(self) -> bool:
        """See `ports.SecretPlace`."""
        return False


def _text(entropy: bytes) -> str:
    return base64.urlsafe_b64encode(entropy).decode("ascii").rstrip("=") + "\n"


def _write(file: Path, text: str, *, like: os.stat_result | None = None) -> None:
    """Make a new file, durable, for its owner only, or for those who may read one that is `like` it."""
    with os.fdopen(os.open(file, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600), "w") as made:
        made.write(text)
        made.flush()
        if like is not None:
            there = os.fstat(made.fileno())
            if (there.st_uid, there.st_gid) != (like.st_uid, like.st_gid):
                os.fchown(made.fileno(), like.st_uid, like.st_gid)
            os.fchmod(made.fileno(), like.st_mode & 0o777)
        os.fsync(made.fileno())


def _cause(error: OSError) -> str:
    """Why, in plain words, without the number: `is a directory`."""
    return (error.strerror or type(error).__name__).lower()


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
