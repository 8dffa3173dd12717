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

from reviewinvite_core.adapters.sql import api_keys, domains, invitation_rows, members, review_rows, shops, signing_keys
from reviewinvite_core.adapters.sql.invitation_figures import SqlInvitationFigures
from reviewinvite_core.adapters.sql.invitations import SqlInvitations
from reviewinvite_core.adapters.sql.members import SqlMembers
from reviewinvite_core.adapters.sql.reviews import SqlReviews
from reviewinvite_core.adapters.sql.sqlite import file as sqlite_file
from reviewinvite_core.adapters.sql.sqlite.damage import first_damage
from reviewinvite_core.adapters.sql.suppressions import SqlSuppressions, suppression_from
from reviewinvite_core.domain import carry_over as rules
from reviewinvite_core.domain.invitations import Invitation
from reviewinvite_core.domain.reviews import Act, Review
from reviewinvite_core.domain.sealing import name_of

_RING = "SELECT sealed FROM key_ring"
_VOID = frozenset({"messages", "sessions", "sign_in_links", "workers"})
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
_MEMBERS_REMOVED = f"""
SELECT shop, member_id FROM main.memberships AS backed_up
WHERE shop IN ({_SAME_SHOPS})
    AND NOT EXISTS (
        SELECT 1 FROM replaced.memberships AS since
        WHERE since.shop = backed_up.shop AND since.member_id = backed_up.member_id
    )
"""
_FORMER = f"SELECT {members.COLUMNS} FROM replaced.members AS members WHERE member_id = :member_id"
_FORGOTTEN = """
SELECT member_id FROM main.members AS backed_up
WHERE NOT EXISTS (SELECT 1 FROM replaced.members AS since WHERE since.member_id = backed_up.member_id)
    AND NOT EXISTS (SELECT 1 FROM main.memberships AS held WHERE held.member_id = backed_up.member_id)
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
    snippets_kept: int
    marks_revoked: int
    signing_keys_withdrawn: int
    domains_unverified: int
    members_removed: int
    roles_lowered: int
    reviews: int


@contextmanager
def staged_copy(room: Path, copy: Callable[[sqlite3.Connection], None]) -> Iterator[sqlite3.Connection]:
    """Yield a database for `copy` to fill, to be changed before it replaces another one.

    It is in the file `room`, which has already been unlinked when the block begins, so that a kill leaves nothing
    behind but an unfinished copy.
    """
    sqlite_file.make_private_file(room)
    try:
        staged = sqlite3.connect(f"{room.absolute().as_uri()}?mode=rw", uri=True, isolation_level=None)
        staged.execute("PRAGMA synchronous = OFF")
        copy(staged)
        staged.execute("PRAGMA journal_mode = MEMORY")  # of a backup made by hand, it may be a log beside the file
        staged.execute("PRAGMA secure_delete = ON")
    finally:
        room.unlink()
    with closing(staged):
        yield staged


def delete_void(staged: sqlite3.Connection) -> None:
    """Delete all sessions and sign-in links, which could open a door again, and messages, which may have been sent."""
    tables = {name for (name,) in staged.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    for table in _VOID & tables:  # an older release's backup has none
        staged.execute(f"DELETE FROM {table}")


def carry_over(staged: sqlite3.Connection, replaced: Path) -> Decisions | str:
    """Carry the decisions in `replaced` over to the staged backup; return their numbers, or why there are none."""
    return _cannot(staged, replaced) or _carry_over(staged, replaced)


def _cannot(staged: sqlite3.Connection, replaced: Path) -> str | None:
    """Return why nothing can be carried over, in words, or None."""
    try:
        with closing(sqlite3.connect(_address(replaced), uri=True)) as gone:
            if first_damage(gone):
                return "the replaced database is damaged"
            if sorted(sqlite_file.applied(gone)) != sorted(sqlite_file.applied(staged)):
                return "the replaced database is from another release"
            rings = [[name_of(row[0]) for row in connection.execute(_RING)] for connection in (staged, gone)]
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
    shops_deactivated, frequencies_tightened, snippets_kept, marks_revoked = both.shops()
    withdrawn, erased = both.invitations()
    members_removed, roles_lowered = both.members()
    decisions = Decisions(
        suppressions=both.suppressions(),
        withdrawn=withdrawn,
        erased=erased,
        keys_revoked=keys_revoked,
        shops_deactivated=shops_deactivated,
        frequencies_tightened=frequencies_tightened,
        snippets_kept=snippets_kept,
        marks_revoked=marks_revoked,
        signing_keys_withdrawn=both.signing_keys(),
        domains_unverified=both.domains(),
        members_removed=members_removed,
        roles_lowered=roles_lowered,
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
            if carried := rules.carried_suppression(known.get(since.shop_number), since):
                stored.add(carried)
                count += 1
        return count

    def shops(self) -> tuple[int, int, int, int]:
        deactivated = tightened = snippets = revoked = 0
        for backed_up, since in self._pairs("shops", shops.FIELDS, "number, site_id"):
            backup = shops.shop_from(backed_up)
            if carried := rules.carried_shop(backup, shops.shop_from(since)):
                shops.SqlShops(self._staged).change(carried)
                deactivated += carried.active != backup.active
                tightened += carried.frequency_days != backup.frequency_days
                snippets += (carried.snippet, carried.snippet_secrets) != (backup.snippet, backup.snippet_secrets)
                revoked += carried.trust_mark != backup.trust_mark
        return deactivated, tightened, snippets, revoked

    def api_keys(self) -> int:
        count = 0
        for backed_up, since in self._pairs("api_keys", api_keys.FIELDS, "key_id"):
            carried = rules.carried_api_key(api_keys.key_from(backed_up), api_keys.key_from(since))
            if carried and carried.revoked_at:
                api_keys.SqlApiKeys(self._staged).revoke(carried.key_id, carried.revoked_at)
                count += 1
        return count

    def signing_keys(self) -> int:
        count = 0
        for backed_up, since in self._pairs("signing_keys", signing_keys.FIELDS, "key_id"):
            backup = signing_keys.key_from(backed_up)
            if carried := rules.carried_signing_key(backup, signing_keys.key_from(since)):
                count += signing_keys.SqlSigningKeys(self._staged).change(backup, carried)
        return count

    def invitations(self) -> tuple[int, int]:
        withdrawn = erased = 0
        figures = SqlInvitationFigures(self._staged)
        stored = SqlInvitations(self._staged, skip_locked="", figures=figures)
        for backed_up, since in self._pairs("invitations", invitation_rows.FIELDS, "shop, invite_id", _OF_SHOP):
            backup = invitation_rows.invitation_from(backed_up)
            carried = rules.carried_invitation(backup, invitation_rows.invitation_from(since))
            if carried and carried.state is not backup.state:
                self._change_invitation(stored, backup, carried)
                withdrawn += 1
            if carried and carried.sealed_address != backup.sealed_address:
                erased += stored.forget_address(backup)
            if carried and carried.provenance != backup.provenance:
                stored.settle(backup, carried.provenance.confirmation)
        figures.flush()
        return withdrawn, erased

    def domains(self) -> int:
        stored = domains.SqlDomains(self._staged)
        count = 0
        for row in self._staged.execute(_DOMAINS_LET_GO).fetchall():
            backup = domains.domain_from(row)
            if rules.is_let_go(backup):
                stored.remove(backup.shop_number, backup.host.text)
                count += 1
        for backed_up, since in self._pairs("domains", domains.FIELDS, "shop, host", _OF_SHOP):
            if carried := rules.carried_domain(domains.domain_from(backed_up), domains.domain_from(since)):
                stored.remove(carried.shop_number, carried.host.text)
                stored.add(carried)
                count += 1
        return count

    def members(self) -> tuple[int, int]:
        """Remove those who were removed since, and lower the roles that were lowered."""
        stored, lowered = SqlMembers(self._staged), 0
        removed = self._staged.execute(_MEMBERS_REMOVED).fetchall()
        for shop, member_id in removed:
            stored.leave(shop, member_id)
            former = self._staged.execute(_FORMER, {"member_id": member_id}).fetchone()
            if former and not stored.shops_of(member_id):
                stored.change(members.member_from(former))
        for backed_up, since in self._pairs("memberships", members.MEMBERSHIP_FIELDS, "shop, member_id", _OF_SHOP):
            backup, latest = members.membership_from(backed_up), members.membership_from(since)
            if latest.opened_as:
                stored.open(backup.shop_number, backup.member_id, latest.opened_as)
            if role := rules.carried_role(backup.role, latest.role):
                stored.join(attrs.evolve(backup, role=role))
                lowered += 1
        for (member_id,) in self._staged.execute(_FORGOTTEN).fetchall():
            stored.remove(member_id)
        return len(removed), lowered

    def reviews(self) -> int:
        stored = SqlReviews(self._staged)
        count = 0
        for backed_up, since in self._pairs("reviews", review_rows.FIELDS, "shop, review_id", _OF_SHOP):
            backup, latest = review_rows.review_from(backed_up), review_rows.review_from(since)
            if carried := rules.carried_review(backup, latest, self._acts(backup)):
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
