"""Jobs that an operator's timers run, and how their last runs ended. ADR-70."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum

import attrs


class Job(StrEnum):
    """What has to be done regularly; `stale_after` is when an operator must look why it was not."""

    BACKUP = "backup"
    PURGE = "purge"

    @property
    def stale_after(self) -> timedelta:
        """A daily job that took two hours longer, or was missed once if it may wait."""
        return timedelta(hours=26) if self is Job.BACKUP else timedelta(hours=50)


@attrs.frozen(kw_only=True)
class JobState:
    """When a job last succeeded and failed, None for never; `reason` is that of the failure.

    `awaited_since` is when a service first waited for it.
    """

    succeeded_at: datetime | None = None
    failed_at: datetime | None = None
    awaited_since: datetime | None = None
    reason: str | None = None

    @property
    def has_failed(self) -> bool:
        """Whether the last run failed."""
        return self.failed_at is not None and (self.succeeded_at is None or self.failed_at > self.succeeded_at)

    def age(self, now: datetime) -> timedelta | None:
        """Return the time since the last success, or else since it is awaited; None if it is not."""
        since = self.succeeded_at or self.awaited_since
        return max(timedelta(0), now - since) if since else None
