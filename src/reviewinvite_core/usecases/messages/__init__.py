"""Notices: mail that is not an invitation, delivered through the same fence and sessions as invitations. ADR-57.

They are queued in the unit of work that causes them. `usecases.delivery` claims them before invitations; here is what
differs from an invitation: how one is claimed, passes the fence, and takes the mail server's answer.
"""

from reviewinvite_core.usecases.messages.queue import queue_notice as queue_notice
