"""The ordered list of migrations for every engine. Never change a released one; add another."""

from __future__ import annotations

from reviewinvite_core.adapters.sql.migrations import (
    m0001_orders,
    m0002_delivery,
    m0003_snippet,
    m0004_trust_mark,
    m0005_reviews,
    m0006_named,
    m0007_frequency,
    m0008_orders_by_address,
    m0009_runs_of_admissions,
    m0010_members,
    m0011_messages,
    m0012_overview,
    m0013_filters,
    m0014_review_lists,
    m0015_shop_of_message,
    m0016_provenance,
    m0017_snippet_modes,
    m0018_integrity,
    m0019_sign_in,
    m0020_outage,
    m0021_workers,
)
from reviewinvite_core.adapters.sql.migrations.migration import Migration

MIGRATIONS: tuple[Migration, ...] = (
    Migration("m0001_orders", m0001_orders.STATEMENTS),
    Migration("m0002_delivery", m0002_delivery.STATEMENTS),
    Migration("m0003_snippet", m0003_snippet.STATEMENTS),
    Migration("m0004_trust_mark", m0004_trust_mark.STATEMENTS),
    Migration("m0005_reviews", m0005_reviews.STATEMENTS, m0005_reviews.ON_POSTGRES),
    Migration("m0006_named", m0006_named.STATEMENTS),
    Migration("m0007_frequency", m0007_frequency.STATEMENTS),
    Migration("m0008_orders_by_address", m0008_orders_by_address.STATEMENTS, m0008_orders_by_address.ON_POSTGRES),
    Migration("m0009_runs_of_admissions", m0009_runs_of_admissions.STATEMENTS),
    Migration("m0010_members", m0010_members.STATEMENTS),
    Migration("m0011_messages", m0011_messages.STATEMENTS),
    Migration("m0012_overview", m0012_overview.STATEMENTS),
    Migration("m0013_filters", m0013_filters.STATEMENTS),
    Migration("m0014_review_lists", m0014_review_lists.STATEMENTS),
    Migration("m0015_shop_of_message", m0015_shop_of_message.STATEMENTS),
    Migration("m0016_provenance", m0016_provenance.STATEMENTS),
    Migration("m0017_snippet_modes", m0017_snippet_modes.STATEMENTS),
    Migration("m0018_integrity", m0018_integrity.STATEMENTS),
    Migration("m0019_sign_in", m0019_sign_in.STATEMENTS),
    Migration("m0020_outage", m0020_outage.STATEMENTS),
    Migration("m0021_workers", m0021_workers.STATEMENTS),
)
