"""Every number of Spec 8, and every term of the other sections; settings and modules refer to it.

What each of them means in full stands in docs/specification.md. How long a text may be stands with the text itself.
"""

from __future__ import annotations

from datetime import timedelta

# Limits of a shop, of an API key, of a client or of a person: the defaults of the settings with these names. Spec: §8
ORDERS_PER_MINUTE = 120
READS_PER_MINUTE = 120
SNIPPETS_PER_MINUTE = 30
SNIPPETS_PER_DAY = 1_000
SNIPPETS_PER_RECIPIENT = 3
SNIPPETS_PER_PERSON = 10
SNIPPETS_PER_CLIENT_DAY = 200
VIEWS_PER_DAY_FREE = 1_000
VIEWS_PER_DAY_MEMBER = 10_000
VIEWS_PER_CLIENT_PERCENT = 0

# What else limits are made of. Spec: §8
LEAST_SHARE = SNIPPETS_PER_MINUTE
"""A client's share of a day is never below this, so that no honest burst is refused (ADR-43)."""

MOST_CLIENTS = 64
"""Counters that a process keeps for the clients of a shop's day."""

REPORTED_SHARES = (50, 90)
"""Per cent of a day's limit whose use is logged."""

BITS_OF_A_SITE = 64
"""What one IPv6 connection gets at least: any address in it is at its owner's choice."""

BITS_OF_A_CUSTOMER = 56
"""What many providers give to a home: 256 of the above. A client of a day's shares."""

VIEW_CACHED_FOR = timedelta(minutes=5)
"""How long a browser may cache a badge or a statement."""

LARGEST_BODY = 16 * 1024
LARGEST_FORM = 64 * 1024
"""Bytes: a review of 4,000 characters outside the basic plane takes 48,000 in browsers' form encoding."""

# Sign-in links an hour, and what else members may do in one. Spec: §8, §10.2
MAILS_PER_ADDRESS = 20
"""All links to an address, except for those of a browser in which the member was signed in before."""

LINKS_PER_ADDRESS = 5
LINKS_PER_CLIENT = 30
"""Further links to an address that has a valid one, and those that a client asks for."""

LINKS_PER_DEVICE = 5
"""Links that a browser gets in which the member was signed in before, whatever others have asked for."""

ADDITIONS_PER_ADDRESS = 5
NOTICES_PER_SHOP = 20
"""How often members of a shop may do what others are mailed about; who is mailed need not be a willing member."""

# Orders and invitations. Spec: §2, §3, §6
DEFAULT_DELAY_DAYS = 5
LONGEST_DELAY_DAYS = 60
UNNUMBERED_ORDERS_ARE_ONE_FOR = timedelta(days=60)
OVERDUE_AFTER = timedelta(days=60)
DEAD_MAILBOX_LASTS = timedelta(days=180)

FIRST_PAUSE_BEFORE_RETRY = timedelta(minutes=1)
LONGEST_PAUSE_BEFORE_RETRY = timedelta(hours=4)
RETRY_MISSED_AFTER = 2 * LONGEST_PAUSE_BEFORE_RETRY
RETRIES_LAST = timedelta(days=3)
LEASE_SECONDS = 900
"""How long a worker may hold a claimed invitation."""

SHUTDOWN_SECONDS = 20
"""How long a hand-over past the dot may take when the service stops."""

MAIL_CONNECTIONS = 4

# When refusals of our mail server are an outage. Spec: §6, ADR-69
OUTAGE_DOMAINS = 5
OUTAGE_SHOPS = 2
OUTAGE_TRIES = 3
OUTAGE_TIME = timedelta(minutes=10)
PROBE_EVERY = timedelta(seconds=30)

# Reviews, statements and proofs of domains. Spec: §2, §3, §4.5
REVIEW_LINK_DAYS = 90
REVIEW_CHANGEABLE_FOR = timedelta(days=30)
MOST_WRITINGS = 100
"""Maximum number of writes and changes of a review; beyond it a review can still be withdrawn (ADR-34)."""

STATEMENT_VALID_FOR = timedelta(minutes=10)
SIGNING_KEY_RIPE_AFTER = timedelta(hours=24)
DOMAIN_RECHECK_HOURS = 24
DOMAIN_LOST_AFTER = timedelta(days=7)

# Links that sign members in, and their sessions. Spec: §10.2, §10.3
LINK_VALID_FOR = timedelta(minutes=15)
WELCOME_LINK_VALID_FOR = timedelta(hours=72)
STILL_VALID = timedelta(minutes=5)
"""For how long a link must be valid to count as one: whoever looks for it needs the time."""

HAND_OVER_LASTS = timedelta(minutes=1)
"""After that, a link that is being handed over counts as in doubt: its worker may have died."""

SESSION_IDLE_FOR = timedelta(hours=12)
SIGNED_IN_FOR = timedelta(days=30)
RECENT_SIGN_IN = timedelta(minutes=15)
"""How long after a sign-in those steps are open that ask for a recent one."""

SEEN_EVERY = timedelta(minutes=5)
"""How often at most a session in use is noted as seen."""

DEVICE_KNOWN_FOR = timedelta(days=90)
"""How long a session is kept after its sign-in, so that a device is recognised at the next one."""

# Retention, and the operator's timers. Spec: §1, §9, §10.6, ADR-70
RETENTION_DAYS = 90
"""Days from an invitation's due time to the erasure of its address."""

ACTIVITY_KEPT_FOR = timedelta(days=365)
FORMER_MEMBERS_KEPT_FOR = ACTIVITY_KEPT_FOR
"""How long a person is known who is a member of no shop any more: as long as activity logs name them."""

BACKUP_STALE_AFTER = timedelta(hours=26)
PURGE_STALE_AFTER = timedelta(hours=50)
"""A daily job that took two hours longer, or was missed once if it may wait."""
