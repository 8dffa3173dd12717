"""What `db check` looks for on every engine: what is missing of the schema, and rows without their owner."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeAlias

import attrs

# The common schema refers to invitations and reviews without saying so (ADR-14), and a reference that is declared is
# not kept in a restore that was let fail or had triggers disabled. A review's shop is its invitation's.
_WITHOUT_OWNER = """
SELECT COUNT(*) FROM {table} WHERE NOT EXISTS (SELECT 1 FROM {owner} WHERE {same})
"""
_IN_SHOP = "shops.number = {table}.shop"
_IN_INVITATION = "invitations.shop = {table}.shop AND invitations.invite_id = {table}.invite_id"
_IN_REVIEW = "reviews.shop = {table}.shop AND reviews.review_id = {table}.review_id"
_OWNERS = (
    ("api_keys", "shops", _IN_SHOP, "rows of api_keys refer to one in shops that is not there"),
    ("domains", "shops", _IN_SHOP, "rows of domains refer to one in shops that is not there"),
    ("orders", "invitations", _IN_INVITATION, "orders refer to an invitation that is not there"),
    ("invitations", "shops", _IN_SHOP, "invitations are of a shop that is not there"),
    ("changes", "invitations", _IN_INVITATION, "changes are of an invitation that is not there"),
    ("reviews", "invitations", _IN_INVITATION, "reviews are of an invitation that is not there"),
    ("review_changes", "reviews", _IN_REVIEW, "changes of reviews are of a review that is not there"),
)


@attrs.frozen(kw_only=True)
class TableSchema:
    """What a table has, by name: its columns, the indexes made for it, and its columns that refer to which tables."""

    columns: frozenset[str]
    indexes: frozenset[str]
    references: frozenset[tuple[str, str]]


Schema: TypeAlias = Mapping[str, TableSchema]


@attrs.frozen(kw_only=True)
class DatabaseStatistics:
    """How much a database holds: rows by table, its bytes, and how many of them a purge would free, where known."""

    engine: str
    rows: Mapping[str, int]
    bytes: int
    free_bytes: int | None = None


def missing(expected: Schema, found: Schema) -> Iterator[str]:
    """Yield what `found` lacks of `expected`, in words; anything else in it belongs to others."""
    for name, table in expected.items():
        if name not in found:
            yield f"the table {name} is missing"
            continue
        there = found[name]
        yield from (f"the column {name}.{column} is missing" for column in sorted(table.columns - there.columns))
        yield from (f"the index {index} of {name} is missing" for index in sorted(table.indexes - there.indexes))
        for column, owner in sorted(table.references - there.references):
            yield f"{name}.{column} no longer has to refer to one of {owner}"


def without_owner(count: Callable[[str], int]) -> Iterator[str]:
    """Yield how many rows refer to nothing, in words; `count` runs a statement that counts."""
    for table, owner, same, words in _OWNERS:
        number = count(_WITHOUT_OWNER.format(table=table, owner=owner, same=same.format(table=table)))
        if number:
            yield f"{number} {words}"
