"""Carry decisions made after a backup over to the database restored from it. ADR-21.

Opt-outs, erasures, revocations and removed domains are in the database being replaced, but not in the backup. The
statements here find rows that the two have in common and that differ; the rules are in the domain.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import attrs

from reviewinvite_core.adapters.sql import api_keys, domains, invitation_rows, review_rows, shops, signing_keys
from reviewinvite_core.adapters.sql.invitations import SqlInvitations
from reviewinvite_core.adapters.sql.reviews import SqlReviews
from reviewinvite_core.adapters.sql.sqlite import file as sqlite_file
from reviewinvite_core.adapters.sql.sqlite.damage import first_damage
from reviewinvite_core.adapters.sql.suppressions import SqlSuppressions, suppression_from
from reviewinvite_core.domain import carry_over
from reviewinvite_core.domain.invitations import (
    Invitation,
)
from reviewinvite_core.domain.reviews import Act, Review
from reviewinvite_core.domain.sealing import name_of

_RING = "SELECT sealed FROM key_ring"
_SAME_SHOPS = (
    "SELECT backed_up.number FROM main.shops AS backed_up JOIN replaced.shops AS since USING (number, site_id)"
)
_DIFFERENT = """
SELECT {backed_up}, {since} FROM main.{table} AS backed_up JOIN replaced.{table} AS since USING ({key})
WHERE ({backed_up}) IS NOT ({since})
"""
_OF_SHOP = f" AND backed_up.shop IN ({_SAME_SHOPS})"
_DOMAINS_LET_GO = f"""
SELECT {domains.COLUMNS} FROM main.domains AS backed_up
WHERE shop IN ({_SAME_SHOPS})
    AND NOT EXISTS (
        SELECT 1 FROM replaced.domains AS since WHERE since.shop = backed_up.shop AND since.host = backed_up.host
    )
"""
_SUPPRESSIONS = f"""
SELECT shop, address_hash, origin, suppressed_at, NULL FROM replaced.suppressions WHERE shop IN ({_SAME_SHOPS})
UNION ALL SELECT 0, address_hash, origin, suppressed_at, expires_at FROM replaced.suppressions_everywhere
"""
_CHANGES_OF_INVITATION = """
INSERT INTO main.changes SELECT * FROM replaced.changes
WHERE shop = :shop AND invite_id = :invite_id
    AND seq > (SELECT MAX(seq) FROM main.changes WHERE shop = :shop AND invite_id = :invite_id)
    AND seq < (SELECT MAX(seq) FROM replaced.changes WHERE shop = :shop AND invite_id = :invite_id)
"""
_ACTS_SINCE = """
SELECT act FROM replaced.review_changes WHERE shop = :shop AND review_id = :review_id AND seq > :backed_up
"""
_CHANGES_OF_REVIEW = """
INSERT INTO main.review_changes SELECT * FROM replaced.review_changes
WHERE shop = :shop AND review_id = :review_id AND seq > :backed_up AND seq < :revision
"""


@attrs.frozen(kw_only=True)
class Decisions:
    """Number of decisions of each kind that were carried over, because the backup lacks them."""

    suppressions: int
    withdrawn: int
    erased: int
    keys_revoked: int
    shops_deactivated: int
    frequencies_tightened: int
    marks_revoked: int
    signing_keys_withdrawn: int
    domains_unverified: int
    reviews: int


@contextmanager
def with_decisions(
    source: sqlite3.Connection, replaced: Path, room: Path, copy: Callable[[sqlite3.Connection], None]
) -> Iterator[tuple[sqlite3.Connection, Decisions | str]]:
    """Yield a database with all of `source` and the decisions in `replaced`; and their numbers, or why there are none.

    It is built in the file `room`, which has already been unlinked when the block begins, so that a kill leaves nothing
    behind. If nothing can be carried over, it is `source` itself.
    """
    why = _cannot(source, replaced)
    if why:
        yield source, why
        return
    sqlite_file.make_private_file(room)
    try:
        staged = sqlite3.connect(f"{room.absolute().as_uri()}?mode=rw", uri=True, isolation_level=None)
        staged.execute("PRAGMA journal_mode = MEMORY")
        staged.execute("PRAGMA synchronous = OFF")
        staged.execute("PRAGMA secure_delete = ON")
    finally:
        room.unlink()
    with closing(staged):
        copy(staged)
        yield staged, _carry_over(staged, replaced)


def _cannot(source: sqlite3.Connection, replaced: Path) -> str | None:
    """Return why nothing can be carried over, in words, or None."""
    try:
        with closing(sqlite3.connect(_address(replaced), uri=True)) as gone:
            if first_damage(gone):
                return "the replaced database is damaged"
            if sorted(sqlite_file.applied(gone)) != sorted(sqlite_file.applied(source)):
                return "the replaced database is from another release"
            rings = [[name_of(row[0]) for row in connection.execute(_RING)] for connection in (source, gone)]
            if rings[0] != rings[1]:
                return "the replaced database has other keys"
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & 0xFF not in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}:
            raise
        return "the replaced database is damaged"
    return None


def _carry_over(staged: sqlite3.Connection, replaced: Path) -> Decisions:
    staged.execute("ATTACH :file AS replaced", {"file": _address(replaced)})
    staged.execute("BEGIN")
    both = _CarryOver(staged)
    keys_revoked = both.api_keys()
    shops_deactivated, frequencies_tightened, marks_revoked = both.shops()
    withdrawn, erased = both.invitations()
    decisions = Decisions(
        suppressions=both.suppressions(),
        withdrawn=withdrawn,
        erased=erased,
        keys_revoked=keys_revoked,
        shops_deactivated=shops_deactivated,
        frequencies_tightened=frequencies_tightened,
        marks_revoked=marks_revoked,
        signing_keys_withdrawn=both.signing_keys(),
        domains_unverified=both.domains(),
        reviews=both.reviews(),
    )
    staged.execute("COMMIT")
    staged.execute("DETACH replaced")
    return decisions


@attrs.frozen
class _CarryOver:
    """Connection with the backup (`main`) and the replaced database; methods return numbers of decisions."""

    _staged: sqlite3.Connection

    def suppressions(self) -> int:
        stored = SqlSuppressions(self._staged)
        count = 0
        for row in self._staged.execute(_SUPPRESSIONS).fetchall():
            since = suppression_from(row)
            known = {each.shop_number: each for each in stored.of_address(since.address_hash)}
            if carried := carry_over.carried_suppression(known.get(since.shop_number), since):
                stored.add(carried)
                count += 1
        return count

    def shops(self) -> tuple[int, int, int]:
        deactivated = tightened = revoked = 0
        for backed_up, since in self._pairs("shops", shops.FIELDS, "number, site_id"):
            backup = shops.shop_from(backed_up)
            if carried := carry_over.carried_shop(backup, shops.shop_from(since)):
                shops.SqlShops(self._staged).change(carried)
                deactivated += carried.active != backup.active
                tightened += carried.frequency_days != backup.frequency_days
                revoked += carried.trust_mark != backup.trust_mark
        return deactivated, tightened, revoked

    def api_keys(self) -> int:
        count = 0
        for backed_up, since in self._pairs("api_keys", api_keys.FIELDS, "key_id"):
            carried = carry_over.carried_api_key(api_keys.key_from(backed_up), api_keys.key_from(since))
            if carried and carried.revoked_at:
                api_keys.SqlApiKeys(self._staged).revoke(carried.key_id, carried.revoked_at)
                count += 1
        return count

    def signing_keys(self) -> int:
        count = 0
        for backed_up, since in self._pairs("signing_keys", signing_keys.FIELDS, "key_id"):
            backup = signing_keys.key_from(backed_up)
            if carried := carry_over.carried_signing_key(backup, signing_keys.key_from(since)):
                count += signing_keys.SqlSigningKeys(self._staged).change(backup, carried)
        return count

    def invitations(self) -> tuple[int, int]:
        withdrawn = erased = 0
        stored = SqlInvitations(self._staged, skip_locked="")
        for backed_up, since in self._pairs("invitations", invitation_rows.FIELDS, "shop, invite_id", _OF_SHOP):
            backup = invitation_rows.invitation_from(backed_up)
            carried = carry_over.carried_invitation(backup, invitation_rows.invitation_from(since))
            if carried and carried.state is not backup.state:
                self._change_invitation(stored, backup, carried)
                withdrawn += 1
            if carried and carried.sealed_address != backup.sealed_address:
                erased += stored.forget_address(backup)
        return withdrawn, erased

    def domains(self) -> int:
        stored = domains.SqlDomains(self._staged)
        count = 0
        for row in self._staged.execute(_DOMAINS_LET_GO).fetchall():
            backup = domains.domain_from(row)
            if carry_over.is_let_go(backup):
                stored.remove(backup.shop_number, backup.host.text)
                count += 1
        for backed_up, since in self._pairs("domains", domains.FIELDS, "shop, host", _OF_SHOP):
            if carried := carry_over.carried_domain(domains.domain_from(backed_up), domains.domain_from(since)):
                stored.remove(carried.shop_number, carried.host.text)
                stored.add(carried)
                count += 1
        return count

    def reviews(self) -> int:
        stored = SqlReviews(self._staged)
        count = 0
        for backed_up, since in self._pairs("reviews", review_rows.FIELDS, "shop, review_id", _OF_SHOP):
            backup, latest = review_rows.review_from(backed_up), review_rows.review_from(since)
            if carried := carry_over.carried_review(backup, latest, self._acts(backup)):
                where = {**review_rows.parameters_of(carried), "backed_up": backup.revision}
                self._staged.execute(_CHANGES_OF_REVIEW, where)
                count += stored.change(backup, carried)
        return count

    def _pairs(self, table: str, fields: Sequence[str], key: str, where: str = "") -> Iterator[tuple[Any, Any]]:
        """Yield each row that is in both and differs: the backup's version and the later one."""
        backed_up, since = (", ".join(f"{name}.{field}" for field in fields) for name in ("backed_up", "since"))
        statement = _DIFFERENT.format(backed_up=backed_up, since=since, table=table, key=key) + where
        for row in self._staged.execute(statement).fetchall():
            yield row[: len(fields)], row[len(fields) :]

    def _change_invitation(self, stored: SqlInvitations, backup: Invitation, carried: Invitation) -> None:
        self._staged.execute(_CHANGES_OF_INVITATION, invitation_rows.parameters_of(carried))
        stored.change(backup, carried)

    def _acts(self, backup: Review) -> Sequence[Act]:
        where = {**review_rows.parameters_of(backup), "backed_up": backup.revision}
        return [Act(act) for (act,) in self._staged.execute(_ACTS_SINCE, where).fetchall()]


def _address(file: Path) -> str:
    """Return the URI of a file that nobody writes to, opened without side files."""
    return f"{file.absolute().as_uri()}?mode=ro&immutable=1"
