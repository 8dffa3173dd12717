"""How copy, backup, check, rotation, erasure and export deal with each table. Whoever adds a table says so here.

`test_tables` compares this with the migrated schema, and shows each claim by what the commands do. The copy has a list
of its own, `migrations/tables.py`, which has to name the same tables.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum, auto
from typing import TypeAlias

import attrs

from reviewinvite_core.values import HeldAddress


class Copied(Enum):
    """What `db copy` does with a table."""

    ROWS = auto()  # all rows are copied, and compared
    NOTHING = auto()  # no row is copied: they are of use in one place only


class BackedUp(Enum):
    """What `db backup` and then `db restore` do with a table."""

    ROWS = auto()  # all rows are in the backup, and in what is restored
    NOTHING = auto()  # no row is there after a restore: they would open a door that was closed since


@attrs.frozen
class Unseen:
    """Why `db check` cannot see that a row is not as it was."""

    why: str


@attrs.frozen
class Checked:
    """Damage to the table that `db check` reports, or why it can report none; for PostgreSQL the same if none is given.

    Whatever the table, damage to the pages of a SQLite file is reported; of PostgreSQL's pages its server takes care.
    """

    sqlite: str | Unseen
    postgres: str | Unseen = attrs.field(default=attrs.Factory(lambda self: self.sqlite, takes_self=True))


class Rotated(Enum):
    """What `secret rotate` does with a table."""

    RESEALED = auto()  # it holds what is sealed under the secret itself
    UNTOUCHED = auto()  # what is sealed in it is sealed with the ring, which stays


@attrs.frozen(kw_only=True)
class Erased:
    """The columns that `privacy erase` empties for an address, and those that keep a keyed hash of it (ADR-16)."""

    emptied: frozenset[str] = frozenset()
    keeps_hash: frozenset[str] = frozenset()


@attrs.frozen
class Exported:
    """`privacy export` contains the rows about an address; `count` returns their number."""

    count: Callable[[HeldAddress], int]


@attrs.frozen
class Withheld:
    """Why `privacy export` leaves out rows about an address."""

    why: str


class Impersonal(Enum):
    """A table that holds nothing about any address, so that there is nothing to export."""

    NOTHING = auto()


Export: TypeAlias = Exported | Withheld | Impersonal


@attrs.frozen(kw_only=True)
class Handling:
    """What each command does with a table; none may be left unsaid."""

    copy: Copied
    backup: BackedUp
    check: Checked
    rotate: Rotated
    erase: Erased
    export: Export


def kept(check: Checked, *, erase: Erased, export: Export) -> Handling:
    """Return what is done with rows that are copied and backed up, and untouched by a rotation."""
    return Handling(
        copy=Copied.ROWS, backup=BackedUp.ROWS, check=check, rotate=Rotated.UNTOUCHED, erase=erase, export=export
    )


def impersonal(check: Checked) -> Handling:
    """Return what is done with kept rows that hold nothing about any address."""
    return kept(check, erase=Erased(), export=Impersonal.NOTHING)


BOOKKEEPING = frozenset({"_sqlite_migrations", "reviewinvite_migrations"})
"""The tables that say which migrations were applied: each engine has its own, and no command but `db migrate` writes
them."""

_LONE = Unseen("no row refers to it, and it refers to none")


HANDLING: Mapping[str, Handling] = {
    "key_ring": Handling(
        copy=Copied.ROWS,
        backup=BackedUp.ROWS,
        check=Checked(
            sqlite="UPDATE key_ring SET sealed = zeroblob(185)",
            postgres="UPDATE key_ring SET sealed = decode(repeat('00', 185), 'hex')",
        ),
        rotate=Rotated.RESEALED,
        erase=Erased(),
        export=Impersonal.NOTHING,
    ),
    "shops": impersonal(Checked("DELETE FROM shops WHERE number = 1")),
    "api_keys": impersonal(Checked("UPDATE api_keys SET shop = 99")),
    "admissions": impersonal(Checked(_LONE)),
    "orders": kept(
        Checked("UPDATE orders SET shop = shop + 98"),
        erase=Erased(keeps_hash=frozenset({"address_hash", "dedup_hash"})),
        export=Withheld("an order is exported as its invitation, which has its number and the instant of its report"),
    ),
    "invitations": kept(
        Checked("UPDATE invitations SET shop = 99 WHERE shop = 1"),
        erase=Erased(emptied=frozenset({"sealed_address"}), keeps_hash=frozenset({"address_hash"})),
        export=Exported(lambda held: len(held.invitations)),
    ),
    "changes": kept(
        Checked("UPDATE changes SET shop = shop + 98"),
        erase=Erased(),
        # the first entry of a history, the report, is made of the invitation's own row
        export=Exported(lambda held: sum(len(each.history) - 1 for each in held.invitations)),
    ),
    "suppressions": kept(
        Checked(_LONE),
        erase=Erased(keeps_hash=frozenset({"address_hash"})),
        export=Exported(lambda held: sum(each.shop is not None for each in held.suppressions)),
    ),
    "suppressions_everywhere": kept(
        Checked(_LONE),
        erase=Erased(keeps_hash=frozenset({"address_hash"})),
        export=Exported(lambda held: sum(each.shop is None for each in held.suppressions)),
    ),
    "hosts": impersonal(Checked("UPDATE hosts SET fence = 0")),
    "domains": impersonal(Checked("UPDATE domains SET shop = 99")),
    "day_tallies": impersonal(Checked(_LONE)),
    "snippet_reports": kept(
        Checked(_LONE),
        erase=Erased(keeps_hash=frozenset({"person_hash"})),  # for 24 hours, which is how long any of it is kept
        export=Withheld("it only says how often browsers reported orders in the last 24 hours, which are exported"),
    ),
    "signing_keys": impersonal(Checked(_LONE)),
    "reviews": kept(
        Checked("UPDATE reviews SET shop = 99 WHERE shop = 1"),
        erase=Erased(emptied=frozenset({"text", "author", "reply"})),
        export=Exported(lambda held: len(held.reviews)),
    ),
    "review_changes": kept(
        Checked("UPDATE review_changes SET shop = shop + 98"),
        erase=Erased(),
        export=Exported(lambda held: sum(len(each.history) for each in held.reviews)),
    ),
    "review_figures": impersonal(Checked("UPDATE review_figures SET fives = fives + 1")),
    "invitation_figures": impersonal(Checked("UPDATE invitation_figures SET counted = counted + 1")),
    "members": kept(
        Checked("DELETE FROM members"),
        erase=Erased(keeps_hash=frozenset({"address_hash"})),
        export=Exported(lambda held: int(held.member is not None)),
    ),
    "memberships": kept(
        Checked("UPDATE memberships SET shop = 99"),
        erase=Erased(keeps_hash=frozenset({"opened_as"})),  # of a member, whom an erasure leaves
        export=Exported(lambda held: len(held.member.roles) if held.member else 0),
    ),
    "sign_in_links": Handling(
        copy=Copied.ROWS,
        backup=BackedUp.NOTHING,
        check=Checked("UPDATE sign_in_links SET member_id = 'mem_none'"),
        rotate=Rotated.UNTOUCHED,
        erase=Erased(),
        export=Impersonal.NOTHING,
    ),
    "sessions": Handling(
        copy=Copied.ROWS,
        backup=BackedUp.NOTHING,
        check=Checked("UPDATE sessions SET member_id = 'mem_none'"),
        rotate=Rotated.UNTOUCHED,
        erase=Erased(),
        export=Impersonal.NOTHING,
    ),
    "activity": impersonal(Checked("UPDATE activity SET shop = 99")),
    "messages": Handling(
        copy=Copied.ROWS,
        backup=BackedUp.NOTHING,
        check=Checked("UPDATE messages SET shop = 99"),
        rotate=Rotated.UNTOUCHED,
        erase=Erased(emptied=frozenset({"sealed"}), keeps_hash=frozenset({"address_hash"})),
        export=Exported(lambda held: len(held.notices)),
    ),
    "relay": impersonal(Checked(_LONE)),
    "refused_mail": impersonal(Checked(_LONE)),
    "workers": Handling(
        copy=Copied.ROWS,
        backup=BackedUp.NOTHING,
        check=Checked(_LONE),
        rotate=Rotated.UNTOUCHED,
        erase=Erased(),
        export=Impersonal.NOTHING,
    ),
}
