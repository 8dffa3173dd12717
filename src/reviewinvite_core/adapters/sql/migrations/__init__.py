"""The one ordered list of migrations, run on every engine. Never change one that was released; add another."""

from __future__ import annotations

from reviewinvite_core.adapters.sql.migrations import m0001_orders, m0002_delivery
from reviewinvite_core.adapters.sql.migrations.migration import Migration

MIGRATIONS: tuple[Migration, ...] = (
    Migration("m0001_orders", m0001_orders.STATEMENTS),
    Migration("m0002_delivery", m0002_delivery.STATEMENTS),
)
