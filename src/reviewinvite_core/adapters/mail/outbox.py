"""A Maildir that any mail reader opens, for trials and for passing mail to other software."""

from __future__ import annotations

import asyncio
import itertools
import os
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from pathlib import Path

import attrs

from reviewinvite_core.adapters import daemon_threads
from reviewinvite_core.adapters.files import fsync_path
from reviewinvite_core.ports import Accepted, AnswerLost, Clock, Message, RefusedForNow, Rejected, Unreachable

FORGOTTEN_SECONDS = 36 * 3600


class OutboxMailer:
    """Writes each message to a file: staged in `tmp`, handed over by a rename into `new`.

    Implements `ports.Mailer`.
    """

    def __init__(self, directory: Path, clock: Clock) -> None:
        """Use the Maildir at `directory`, which the first message creates.

        Messages that a dead process left staged are removed after Maildir's 36 hours, because they contain an address.
        """
        self._directory = directory
        self._serials = itertools.count()
        self._removals = _Removals()
        _remove_forgotten(directory / "tmp", clock.now().timestamp())

    async def stage(self, message: Message) -> _StagedFile | RefusedForNow | Rejected | Unreachable:
        """Write the complete file to disk under `tmp`, where no reader looks."""
        return await daemon_threads.call(partial(self._stage, message))

    def _stage(self, message: Message) -> _StagedFile | Unreachable:
        name = message.message_id.strip("<>").replace("@", ".").replace("/", "_") + ".eml"
        staged = self._directory / "tmp" / f"{os.getpid()}.{next(self._serials)}.{name}"
        try:
            for folder in ("tmp", "new", "cur"):
                (self._directory / folder).mkdir(mode=0o700, parents=True, exist_ok=True)
            with os.fdopen(os.open(staged, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600), "wb") as file:
                file.write(message.content)
                file.flush()
                os.fsync(file.fileno())
        except OSError as error:
            _remove(staged)
            return Unreachable(type(error).__name__)
        return _StagedFile(staged, self._directory / "new" / name, self._removals)

    async def close(self) -> None:
        """Wait until all abandoned messages are removed."""
        await self._removals.done()


class _Removals:
    """Files that are being removed on threads, so that a slow disk does not hold up the event loop."""

    def __init__(self) -> None:
        self._unfinished: set[Future[None]] = set()

    def begin(self, file: Path) -> None:
        removal: Future[None] = Future()
        removal.set_running_or_notify_cancel()  # nobody who waits for it can cancel it
        self._unfinished.add(removal)
        removal.add_done_callback(self._unfinished.discard)

        def remove() -> None:
            _remove(file)
            removal.set_result(None)

        try:
            daemon_threads.start(remove)
        except RuntimeError:  # no thread can be started
            remove()

    async def done(self) -> None:
        """Return when all removals that have begun are done."""
        for removal in tuple(self._unfinished):
            await asyncio.wrap_future(removal)


@attrs.frozen
class _StagedFile:
    _staged: Path
    _delivered: Path
    _removals: _Removals

    async def commit(self) -> Accepted | RefusedForNow | Rejected | AnswerLost:
        try:
            return await daemon_threads.call(self._commit)
        except RuntimeError:  # no thread can be started, so nothing was renamed
            self.abandon()
            return RefusedForNow()

    def _commit(self) -> Accepted | RefusedForNow | AnswerLost:
        try:
            self._staged.rename(self._delivered)
        except OSError:
            _remove(self._staged)
            return RefusedForNow()  # a rename is atomic
        try:
            fsync_path(self._delivered.parent)
        except OSError:
            return AnswerLost()
        return Accepted()

    def abandon(self) -> None:
        self._removals.begin(self._staged)


def _remove(file: Path) -> None:
    with suppress(OSError):
        file.unlink()


def _remove_forgotten(folder: Path, now: float) -> None:
    """Remove files that nobody can still be writing."""
    with suppress(OSError):
        for file in folder.iterdir():
            with suppress(OSError):
                if now - file.stat().st_mtime > FORGOTTEN_SECONDS:
                    file.unlink()
