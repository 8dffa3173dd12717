"""Where access tokens come from: a command that prints one, or a file that somebody else renews."""

from __future__ import annotations

import os
import re
import selectors
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import attrs

from reviewinvite_core.adapters.mail.tokens import READ_SECONDS, Token, TokenTimeout, TokenUnavailable

LIFETIME_SECONDS = 600.0  # tokens live for about an hour; a server that refuses one earlier has it renewed
PAUSE_SECONDS = 60.0
MOST_BYTES = 1 << 16  # kept of each output
POLL_SECONDS = 0.05
LONGEST_REMARK = 200
_LONG_WORD = re.compile(r"\S{16,}")  # shorter than any token, longer than most words


class TokenCommandFailed(TokenUnavailable):
    """The command could not be started, or ended with another exit code than 0."""


class TokenFileUnreadable(TokenUnavailable):
    """The file cannot be read."""


@attrs.frozen
class TokenCommand:
    """A command whose first line of output is a token. It runs without a shell, and gets no input.

    Implements `TokenSource`.
    """

    _words: Sequence[str] = attrs.field(repr=False)
    _environment: Mapping[str, str] = attrs.field(repr=False)
    _seconds: float = READ_SECONDS
    lifetime: float = LIFETIME_SECONDS
    pause: float = PAUSE_SECONDS

    def read(self) -> Token:
        code, output, errors = _run(self._words, self._environment, time.monotonic() + self._seconds)
        if code != 0:
            raise TokenCommandFailed(f"exit code {code}{_remark(errors)}")
        return Token.parse(output)


@attrs.frozen
class TokenFile:
    """A file whose first line is a token. It is read for each login, so a renewed token is used at once.

    Implements `TokenSource`.
    """

    _file: Path
    lifetime: float = 0.0
    pause: float = 0.0

    def read(self) -> Token:
        try:
            with self._file.open("rb") as file:
                content = file.read(MOST_BYTES)
        except (OSError, ValueError) as error:  # ValueError: no file system can have the path
            why = (isinstance(error, OSError) and error.strerror) or type(error).__name__
        else:
            return Token.parse(content)
        raise TokenFileUnreadable(why)


def _run(words: Sequence[str], environment: Mapping[str, str], deadline: float) -> tuple[int, bytes, bytes]:
    """Run a command; return its exit code and the beginning of both outputs.

    Raises: `TokenCommandFailed` if it cannot be started; `TokenTimeout` at the deadline, when all of it is killed.
    """
    process = None
    why = ""
    try:
        process = subprocess.Popen(  # noqa: S603 - the operator's own command
            words,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        why = (isinstance(error, OSError) and error.strerror) or type(error).__name__
    if process is None:  # outside the handler: what it handled names the command, which may hold a secret
        raise TokenCommandFailed(why)
    with process:
        outputs = _outputs(process, deadline)
        if outputs is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            raise TokenTimeout
        return process.wait(), *outputs


def _outputs(process: subprocess.Popen[bytes], deadline: float) -> tuple[bytes, bytes] | None:
    """Return the beginning of both outputs once the process has ended, or None at the deadline.

    Something that it leaves running, such as an agent, may keep the outputs open: that is not waited for.
    """
    streams = [stream for stream in (process.stdout, process.stderr) if stream]
    kept = {stream.fileno(): bytearray() for stream in streams}
    with selectors.DefaultSelector() as selector:
        for each in kept:
            selector.register(each, selectors.EVENT_READ)
        has_ended = False
        while time.monotonic() < deadline:
            ready = selector.select(POLL_SECONDS) if selector.get_map() else []
            for key, _ in ready:
                data = os.read(key.fd, MOST_BYTES)
                kept[key.fd] += data[: MOST_BYTES - len(kept[key.fd])]
                if not data:
                    selector.unregister(key.fd)
            if has_ended and not ready:
                output, errors = kept.values()
                return bytes(output), bytes(errors)
            has_ended = process.poll() is not None
            if not has_ended and not selector.get_map():
                with suppress(subprocess.TimeoutExpired):
                    process.wait(POLL_SECONDS)
    return None


def _remark(errors: bytes) -> str:
    """Return the end of what a command wrote about its failure, for a log; what could be a token is left out."""
    last = errors.decode("ascii", "replace").strip().rpartition("\n")[2]
    remark = _LONG_WORD.sub("[...]", last)[:LONGEST_REMARK].strip()
    return f": {remark}" if remark else ""
