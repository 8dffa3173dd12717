"""The repositories over the connection of one open transaction."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from reviewinvite_core.adapters.sql.activity import SqlActivityLog
from reviewinvite_core.adapters.sql.api_keys import SqlApiKeys
from reviewinvite_core.adapters.sql.connection import Connection
from reviewinvite_core.adapters.sql.daily_counters import SqlDailyCounters
from reviewinvite_core.adapters.sql.domains import SqlDomains
from reviewinvite_core.adapters.sql.hosts import SqlHosts
from reviewinvite_core.adapters.sql.invitation_figures import SqlInvitationFigures
from reviewinvite_core.adapters.sql.invitations import JointChange, SqlInvitations
from reviewinvite_core.adapters.sql.members import SqlMembers
from reviewinvite_core.adapters.sql.notices import SqlNotices
from reviewinvite_core.adapters.sql.rate_limit_log import SqlRateLimitLog
from reviewinvite_core.adapters.sql.relay import SqlRelay
from reviewinvite_core.adapters.sql.reviews import SqlReviews
from reviewinvite_core.adapters.sql.shops import SqlShops
from reviewinvite_core.adapters.sql.sign_in import SqlSessions, SqlSignInLinks
from reviewinvite_core.adapters.sql.signing_keys import SqlSigningKeys
from reviewinvite_core.adapters.sql.snippet_reports import SqlSnippetReports
from reviewinvite_core.adapters.sql.suppressions import SqlSuppressions
from reviewinvite_core.adapters.sql.workers import SqlWorkers
from reviewinvite_core.ports import Store

_KEY_RING = "SELECT sealed FROM key_ring WHERE id = 1"
_KEEP_KEY_RING = """
INSERT INTO key_ring (id, sealed) VALUES (1, :sealed) ON CONFLICT (id) DO UPDATE SET sealed = excluded.sealed
"""
_REPLACE_KEY_RING = "UPDATE key_ring SET sealed = :after WHERE id = 1 AND sealed = :before"
_ADD_TRIAL = "INSERT INTO day_tallies (shop, subject, day, counted) VALUES (0, 'trial', 0, 0)"
_DELETE_TRIAL = "DELETE FROM day_tallies WHERE shop = 0 AND subject = 'trial' AND day = 0"


class SqlStore(Store):
    """Implements `ports.Store`.

    `skip_locked` is the engine's clause for skipping rows that another transaction holds, `joint_change` its way to
    change many invitations at once, `freeze_figures` its statement that keeps others from changing figures. Call
    `invitation_figures.flush` before a commit.
    """

    def __init__(
        self,
        connection: Connection,
        *,
        skip_locked: str = "",
        joint_change: JointChange | None = None,
        freeze_figures: str = "",
        now: Callable[[], datetime | None] = lambda: None,
    ) -> None:
        self._connection = connection
        self.now = now
        self.shops = SqlShops(connection)
        self.api_keys = SqlApiKeys(connection)
        self.members = SqlMembers(connection)
        self.sign_in_links = SqlSignInLinks(connection)
        self.sessions = SqlSessions(connection)
        self.activity = SqlActivityLog(connection)
        self.rate_limit_log = SqlRateLimitLog(connection, skip_locked)
        self.daily_counters = SqlDailyCounters(connection, skip_locked)
        self.snippet_reports = SqlSnippetReports(connection, skip_locked)
        self.domains = SqlDomains(connection, skip_locked)
        self.hosts = SqlHosts(connection)
        self.relay = SqlRelay(connection)
        self.workers = SqlWorkers(connection)
        self.signing_keys = SqlSigningKeys(connection)
        self.suppressions = SqlSuppressions(connection)
        self.invitation_figures = SqlInvitationFigures(connection, freeze_figures)
        self.invitations = SqlInvitations(connection, skip_locked, self.invitation_figures, joint_change)
        self.reviews = SqlReviews(connection)
        self.notices = SqlNotices(connection, skip_locked)

    def sealed_key_ring(self) -> bytes | None:
        row = self._connection.execute(_KEY_RING, {}).fetchone()
        return bytes(row[0]) if row else None

    def keep_key_ring(self, sealed: bytes) -> None:
        self._connection.execute(_KEEP_KEY_RING, {"sealed": sealed})

    def try_writing(self) -> None:
        """Add a row and delete it again. SQLite would not write a row that is replaced by itself."""
        self._connection.execute(_ADD_TRIAL, {})
        self._connection.execute(_DELETE_TRIAL, {})

    def replace_key_ring(self, before: bytes, after: bytes) -> bool:
        return self._connection.execute(_REPLACE_KEY_RING, {"before": before, "after": after}).rowcount == 1
