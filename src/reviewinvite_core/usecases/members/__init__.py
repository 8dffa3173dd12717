"""Manage the members of shops, and keep each shop's activity log."""

from reviewinvite_core.usecases.members.add import add_member as add_member
from reviewinvite_core.usecases.members.link import make_member_link as make_member_link
from reviewinvite_core.usecases.members.list import list_members as list_members
from reviewinvite_core.usecases.members.list_activity import list_activity as list_activity
from reviewinvite_core.usecases.members.remove import remove_member as remove_member
from reviewinvite_core.usecases.members.set_role import set_role as set_role
