"""Which invitations a host has let out that the database does not know of, if its mark names them (ADR-42)."""

STATEMENTS = ("ALTER TABLE hosts ADD COLUMN named {blob}",)
