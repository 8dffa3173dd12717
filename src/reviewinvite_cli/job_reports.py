"""Report how a backup or a purge ended, so that an alert tells of one that failed or was left out. ADR-70."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from reviewinvite_cli.errors import fault_in_words, warn

if TYPE_CHECKING:
    from reviewinvite_core import Settings
    from reviewinvite_core.domain.jobs import Job


@contextmanager
def reported(settings: Settings, job: Job) -> Iterator[None]:
    """Note that the job succeeded if the block ends, and why it failed if it raises."""
    from reviewinvite_core import ConfigurationError, StorageUnavailable
    from reviewinvite_core.domain.errors import DatabaseMissing

    try:
        yield
    except DatabaseMissing:  # there is no installation here, and nothing is created
        raise
    except FileExistsError as error:  # a timer that always names the same file makes one backup only
        report(settings, job, failure=f"{error.filename} exists already")
        raise
    except (ConfigurationError, StorageUnavailable) as error:
        report(settings, job, failure=str(error))
        raise
    except OSError as error:
        report(settings, job, failure=fault_in_words(error))
        raise
    except BaseException as error:  # its text may contain anything
        report(settings, job, failure=type(error).__name__)
        raise
    report(settings, job)


def report(settings: Settings, job: Job, *, failure: str | None = None) -> None:
    """Note that the job succeeded, or failed for this reason; warn if that is not possible, as the job itself ended."""
    from reviewinvite_core import ConfigurationError
    from reviewinvite_core.bootstrap.adapter_factory import open_job_log

    try:
        log = open_job_log(settings)
        log.succeeded(job) if failure is None else log.failed(job, failure)
    except ConfigurationError as error:
        warn(f"{error}. Until it can, alerts go by an older state; the setting STATE_FILE says where it is.")
