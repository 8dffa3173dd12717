"""List, show, cancel and resolve invitations."""

from reviewinvite_core.usecases.invitations.cancel import cancel_invitation as cancel_invitation
from reviewinvite_core.usecases.invitations.list import list_invitations as list_invitations
from reviewinvite_core.usecases.invitations.recount import (
    miscounted_invitations as miscounted_invitations,
    recount_invitations as recount_invitations,
)
from reviewinvite_core.usecases.invitations.resolve_as_sent import resolve_as_sent as resolve_as_sent
from reviewinvite_core.usecases.invitations.resolve_by_resending import resolve_by_resending as resolve_by_resending
from reviewinvite_core.usecases.invitations.resolve_many import (
    list_uncertain as list_uncertain,
    resolve_batch as resolve_batch,
)
from reviewinvite_core.usecases.invitations.send_now import send_invitation_now as send_invitation_now
from reviewinvite_core.usecases.invitations.show import show_invitation as show_invitation
