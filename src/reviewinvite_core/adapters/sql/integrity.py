"""Checks of `db check` on every engine: missing parts of the schema, and rows without their owner."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

import attrs

# The common schema declares no references to invitations and reviews (ADR-14), and a restore that failed half-way or
# ran without triggers may break declared ones. A review's shop is its invitation's. A sign-in link of nobody has no
# member, and some messages are about no shop.
_WITHOUT_OWNER = """
SELECT COUNT(*) FROM {table}
WHERE {table}.{column} IS NOT NULL AND NOT EXISTS (SELECT 1 FROM {owner} WHERE {same})
"""
_IN_SHOP = "shops.number = {table}.shop"
_IN_INVITATION = "invitations.shop = {table}.shop AND invitations.invite_id = {table}.invite_id"
_IN_REVIEW = "reviews.shop = {table}.shop AND reviews.review_id = {table}.review_id"
_IN_MEMBER = "members.member_id = {table}.member_id"
_OF_SAME_ADDRESS = f"{_IN_INVITATION} AND invitations.address_hash = {{table}}.address_hash"
_OWNERS = (
    ("api_keys", "shops", _IN_SHOP, "row of api_keys refers", "rows of api_keys refer"),
    ("domains", "shops", _IN_SHOP, "row of domains refers", "rows of domains refer"),
    ("orders", "invitations", _OF_SAME_ADDRESS, "order refers", "orders refer"),
    ("invitations", "shops", _IN_SHOP, "invitation belongs", "invitations belong"),
    ("changes", "invitations", _IN_INVITATION, "change belongs", "changes belong"),
    ("reviews", "invitations", _IN_INVITATION, "review belongs", "reviews belong"),
    ("review_changes", "reviews", _IN_REVIEW, "change of a review belongs", "changes of reviews belong"),
    ("memberships", "shops", _IN_SHOP, "membership refers", "memberships refer"),
    ("memberships", "members", _IN_MEMBER, "membership refers", "memberships refer"),
    ("sessions", "members", _IN_MEMBER, "session belongs", "sessions belong"),
    ("sign_in_links", "members", _IN_MEMBER, "sign-in link belongs", "sign-in links belong"),
    ("activity", "shops", _IN_SHOP, "entry of an activity log belongs", "entries of activity logs belong"),
    ("messages", "shops", _IN_SHOP, "message refers", "messages refer"),
    ("review_figures", "shops", _IN_SHOP, "row of review_figures refers", "rows of review_figures refer"),
    ("invitation_figures", "shops", _IN_SHOP, "row of invitation_figures refers", "rows of invitation_figures refer"),
)
# Each order has an invitation of its own, so fewer orders than invitations mean invitations without one.
_WITHOUT_ORDER = "SELECT (SELECT COUNT(*) FROM invitations) - (SELECT COUNT(*) FROM orders)"


@attrs.frozen(kw_only=True)
class TableSchema:
    """Schema of a table, by name: its columns, its explicit indexes, and its columns that reference other tables."""

    columns: frozenset[str]
    indexes: frozenset[str]
    references: frozenset[tuple[str, str]]


Schema: TypeAlias = Mapping[str, TableSchema]


@attrs.frozen(kw_only=True)
class DatabaseStatistics:
    """Size of a database: rows by table, bytes, and the bytes that a purge would free, if that is known."""

    engine: str
    rows: Mapping[str, int]
    bytes: int
    free_bytes: int | None = None


def missing(expected: Schema, found: Schema) -> Iterator[str]:
    """Yield, in words, the parts of `expected` that `found` lacks; extra parts belong to other programs."""
    for name, table in expected.items():
        if name not in found:
            yield f"the table {name} is missing"
            continue
        there = found[name]
        yield from (f"the column {name}.{column} is missing" for column in sorted(table.columns - there.columns))
        yield from (f"the index {index} of {name} is missing" for index in sorted(table.indexes - there.indexes))
        for column, owner in sorted(table.references - there.references):
            yield f"{name}.{column} no longer references {owner}"


def without_owner(count: Callable[[str], int]) -> Iterator[str]:
    """Yield, in words, how many rows refer to a missing row or lack their order; `count` runs a counting statement."""
    for table, owner, same, one, many in _OWNERS:
        column = "member_id" if owner == "members" else "shop"
        number = count(_WITHOUT_OWNER.format(table=table, column=column, owner=owner, same=same.format(table=table)))
        if number:
            yield f"{number} {one if number == 1 else many} to a missing {owner.removesuffix('s')}"
    number = count(_WITHOUT_ORDER)
    if number > 0:
        one = "invitation has no order, so its address does not find it"
        many = "invitations have no order, so their address does not find them"
        yield f"{number} {one if number == 1 else many}"
