"""Mail a sign-in link to whoever asks for one, if that person is a member. Spec: §10.2.

Neither the answer nor the work tells whether the address is a member's. A link and a message are stored in any case;
those to nobody have expired already.
"""

from __future__ import annotations

from reviewinvite_core.domain.client_address import ClientAddress
from reviewinvite_core.domain.email_address import EmailAddress
from reviewinvite_core.domain.locks import LockKind, lock_id
from reviewinvite_core.domain.orders import address_hash
from reviewinvite_core.domain.sign_in import LINKS_PER_ADDRESS, LINKS_PER_CLIENT, LinkKind
from reviewinvite_core.execution import write
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.sign_in.links import make_link
from reviewinvite_core.usecases.sign_in.mail import mail_link


def request_locks(email: EmailAddress, client: ClientAddress) -> frozenset[int]:
    """Return the locks of the two limits: of the address, and of the client."""
    return frozenset({lock_id(LockKind.MEMBER, email.identity), client.lock})


@write(locks=request_locks)
def request_link(ctx: UnitContext, email: EmailAddress, client: ClientAddress) -> None:
    """Mail a link to a member with this address, unless it or the client has asked for too many within an hour.

    Links that were mailed before stay valid, so that nobody can lock a member out by asking for more.
    """
    links, client_hash = ctx.store.sign_in_links, client.hash(ctx.ring.address)
    window = {"after": ctx.now - LINKS_PER_CLIENT.window, "until": ctx.now + LINKS_PER_CLIENT.window}
    if links.count_of_client(client_hash, **window) >= LINKS_PER_CLIENT.count:
        return
    member = ctx.store.members.by_address(address_hash(ctx.ring.address, email))
    count = links.count_of_member(member.member_id if member else None, **window)
    is_mailed = member is not None and member.left_at is None and count < LINKS_PER_ADDRESS.count
    recipient = member if is_mailed else None
    mail_link(ctx, recipient, make_link(ctx, recipient, LinkKind.REQUESTED, client_hash=client_hash))
