"""The shop that a message is about: whoever is removed from the shop gets none of them any more (ADR-57).

Messages from before have none. They expire within three days.
"""

STATEMENTS = ("ALTER TABLE messages ADD COLUMN shop BIGINT",)
