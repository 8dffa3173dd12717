"""Who may do what at a shop: the one table, to which the dashboard's routes refer. Spec: §4.13, §10.1, §10.6.

The operator, at the command line or with the library, may do all of this for every shop. A member without the role gets
`RoleRefused`, or, if it was lost since the request began, `KeyRefused`, as does a key that may not do it.
"""

from __future__ import annotations

import attrs

from reviewinvite_core.domain.members import Role


@attrs.frozen
class Permission:
    """Who may do one thing: members with this role, if `recent` only after a sign-in within the last 15 minutes.

    `key` is whether an API key may do it, too.
    """

    role: Role
    recent: bool = attrs.field(default=False, kw_only=True)
    key: bool = attrs.field(default=False, kw_only=True)


SEE_OVERVIEW = Permission(Role.STAFF, key=True)

REPORT_ORDERS = Permission(Role.STAFF, key=True)
SEE_INVITATIONS = Permission(Role.STAFF, key=True)
CANCEL_INVITATIONS = Permission(Role.STAFF, key=True)
SEND_INVITATIONS_NOW = Permission(Role.STAFF, key=True)

SEE_REVIEWS = Permission(Role.STAFF, key=True)
REPLY_TO_REVIEWS = Permission(Role.STAFF, key=True)

SEE_KEYS = Permission(Role.OWNER)
MAKE_KEYS = Permission(Role.OWNER)
"""It needs a recent sign-in, too, except for a shop's first key (`SignedIn.may_make_key`)."""
REVOKE_KEYS = Permission(Role.OWNER, recent=True)

SEE_DOMAINS = Permission(Role.OWNER, key=True)
ADD_DOMAINS = Permission(Role.OWNER, key=True)
CHECK_DOMAINS = Permission(Role.OWNER, key=True)
REMOVE_DOMAINS = Permission(Role.OWNER, recent=True)

SET_SNIPPET = Permission(Role.OWNER, key=True)
SEE_SNIPPET_SECRET = Permission(Role.OWNER, recent=True)
SET_BADGE = Permission(Role.OWNER, key=True)

SEE_SETTINGS = Permission(Role.OWNER, key=True)
CHANGE_SETTINGS = Permission(Role.OWNER, key=True)
"""Name and address for replies have their own permissions."""
CHANGE_NAME = Permission(Role.OWNER, recent=True)
CHANGE_REPLY_TO = Permission(Role.OWNER, recent=True)

SEE_MEMBERS = Permission(Role.OWNER)
ADD_STAFF = Permission(Role.OWNER)
ADD_OWNERS = Permission(Role.OWNER, recent=True)
CHANGE_ROLES = Permission(Role.OWNER, recent=True)
REMOVE_STAFF = Permission(Role.OWNER)
REMOVE_OWNERS = Permission(Role.OWNER, recent=True)

SEE_ACTIVITY = Permission(Role.OWNER)
