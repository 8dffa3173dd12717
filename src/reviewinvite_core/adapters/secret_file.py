"""The operator's secret, kept in a file beside the database. ADR-6."""

from __future__ import annotations

import base64
import os
from pathlib import Path

from reviewinvite_core.domain.errors import ConfigurationError
from reviewinvite_core.domain.sealing import Secret


def read_secret(path: Path) -> Secret | None:
    """The secret in the file, or None where there is no file.

    Raises: `ConfigurationError` where it cannot be read, or holds no secret.
    """
    try:
        return Secret.parse(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
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
        with os.fdopen(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "w") as file:
            file.write(base64.urlsafe_b64encode(entropy).decode("ascii").rstrip("=") + "\n")
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
        _sync_directory(path.parent)
    except OSError as error:
        message = f"the secret file {path} cannot be made: {_cause(error)}"
        raise ConfigurationError(message) from error
    secret = read_secret(path)
    if secret is None:
        message = f"the secret file {path} has gone again"
        raise ConfigurationError(message)
    return secret


def _cause(error: OSError) -> str:
    """Why, in plain words, without the number: `is a directory`."""
    return (error.strerror or type(error).__name__).lower()


def _sync_directory(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
