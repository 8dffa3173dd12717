"""All tables of the migrations, each after those it references. Add every new table here as well."""

from __future__ import annotations

import attrs


@attrs.frozen
class Table:
    """A table's name and the columns of its primary key."""

    name: str
    key: tuple[str, ...]


TABLES: tuple[Table, ...] = (
    Table("key_ring", ("id",)),
    Table("shops", ("number",)),
    Table("api_keys", ("key_id",)),
    Table("admissions", ("shop", "subject", "seq")),
    Table("orders", ("shop", "address_hash", "dedup_hash")),
    Table("invitations", ("shop", "invite_id")),
    Table("changes", ("shop", "invite_id", "seq")),
    Table("suppressions", ("shop", "address_hash")),
    Table("suppressions_everywhere", ("address_hash",)),
    Table("hosts", ("host",)),
    Table("domains", ("shop", "host")),
    Table("day_tallies", ("shop", "subject", "day")),
    Table("snippet_reports", ("person_hash", "reported_at", "shop")),
    Table("signing_keys", ("key_id",)),
    Table("reviews", ("shop", "review_id")),
    Table("review_changes", ("shop", "review_id", "seq")),
    Table("review_figures", ("shop", "span", "first_day")),
    Table("members", ("member_id",)),
    Table("memberships", ("shop", "member_id")),
    Table("sign_in_links", ("hash",)),
    Table("sessions", ("hash",)),
    Table("activity", ("shop", "activity_id")),
    Table("messages", ("message_id",)),
    Table("invitation_figures", ("shop", "week", "state")),
    Table("relay", ("id",)),
    Table("refused_mail", ("shop", "domain_hash")),
    Table("workers", ("worker",)),
)
