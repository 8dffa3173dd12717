"""Jobs that an operator's timers run, and how their last runs ended. ADR-70."""

from __future__ import annotations

from datetime import datetime, timedelta
from enum import StrEnum

import attrs

from reviewinvite_core.domain.policy import BACKUP_STALE_AFTER, PURGE_STALE_AFTER


class Job(StrEnum):
    """What has to be done regularly; `stale_after` is when an operator must look why it was not."""

    BACKUP = "backup"
    PURGE = "purge"

    @property
    def stale_after(self) -> timedelta:
        """How long after its last success."""
        return BACKUP_STALE_AFTER if self is Job.BACKUP else PURGE_STALE_AFTER


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
