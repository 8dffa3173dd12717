"""Who has opened a shop's dashboard as a member (ADR-67): whoever was a member before has not, until the next visit."""

STATEMENTS = (
    "ALTER TABLE memberships ADD COLUMN opened_as {blob}",
    "CREATE INDEX memberships_opened ON memberships (shop, opened_as) WHERE opened_as IS NOT NULL",
)
