"""The files in which backups and purges report how they ended, outside the database, which may be away. ADR-70."""

from __future__ import annotations

import json
import os
from datetime import datetime
from pathlib import Path

import attrs

from reviewinvite_core.adapters.files import fsync_path, os_error_text
from reviewinvite_core.domain.errors import ConfigurationError
from reviewinvite_core.domain.jobs import Job, JobState
from reviewinvite_core.domain.timing import iso_milliseconds
from reviewinvite_core.ports import Clock

LONGEST_REASON = 300
_INSTANTS = ("succeeded_at", "failed_at", "awaited_since")


@attrs.frozen
class JobLog:
    """One file for each job, named after `base`; with no `base`, for storage in memory, there is none."""

    base: Path | None
    _clock: Clock

    def file(self, job: Job) -> Path | None:
        """Return the file of a job, which may not exist."""
        return self.base.with_name(f"{self.base.name}.{job}") if self.base else None

    def state(self, job: Job) -> JobState:
        """Return how the job's last runs ended.

        Raises: `ConfigurationError` if the file cannot be read, or is damaged.
        """
        file = self.file(job)
        try:
            content = json.loads(file.read_bytes()) if file else {}
            at = {key: datetime.fromisoformat(content[key]) for key in _INSTANTS if key in content}
            return JobState(**at, reason=content.get("reason"))
        except FileNotFoundError:
            return JobState()
        except (OSError, ValueError, TypeError, AttributeError) as error:
            cause = os_error_text(error) if isinstance(error, OSError) else "it is damaged"
            message = f"the state of the last {job} cannot be read in {file}: {cause}"
            raise ConfigurationError(message) from error

    def await_first(self, job: Job) -> None:
        """Note that the job is awaited from now on, unless it has succeeded or is awaited already.

        Raises: `ConfigurationError` if the file cannot be read or written.
        """
        if self.base and (state := self.state(job)).age(now := self._clock.now()) is None:
            self._note(job, attrs.evolve(state, awaited_since=now))

    def succeeded(self, job: Job) -> None:
        """Note that the job has just succeeded.

        Raises: `ConfigurationError` if the file cannot be written.
        """
        self._note(job, JobState(succeeded_at=self._clock.now()))

    def failed(self, job: Job, reason: str) -> None:
        """Note that the job has just failed; the last success stays known.

        Raises: `ConfigurationError` if the file cannot be written.
        """
        try:
            before = self.state(job)
        except ConfigurationError:  # what is damaged is replaced
            before = JobState()
        reason = " ".join(reason.split())[:LONGEST_REASON]
        self._note(job, attrs.evolve(before, failed_at=self._clock.now(), reason=reason))

    def _note(self, job: Job, state: JobState) -> None:
        """Replace the file at once: a reader sees the old state or the new one. Everybody may read it."""
        file = self.file(job)
        if file is None:
            return
        at = ((key, getattr(state, key)) for key in _INSTANTS)
        content: dict[str, str] = {key: iso_milliseconds(instant) for key, instant in at if instant}
        if state.reason:
            content["reason"] = state.reason
        draft = file.with_name(f"{file.name}.{os.getpid()}.tmp")
        try:
            with draft.open("w", encoding="utf-8") as out:
                os.fchmod(out.fileno(), 0o644)
                json.dump(content, out)
                out.flush()
                os.fsync(out.fileno())
            draft.replace(file)
            fsync_path(file.parent)
        except OSError as error:
            draft.unlink(missing_ok=True)
            message = f"the state of the {job} cannot be written to {file}: {os_error_text(error)}"
            raise ConfigurationError(message) from error
