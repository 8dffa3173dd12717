"""Show whom a sign-in link signs in, and change nothing: mail scanners open links, too. Spec: §10.2."""

from __future__ import annotations

import attrs

from reviewinvite_core.domain.language import Language
from reviewinvite_core.domain.sign_in import SignInSecret
from reviewinvite_core.execution import read
from reviewinvite_core.usecases.context import UnitContext
from reviewinvite_core.usecases.sign_in.links import open_link


@attrs.frozen(kw_only=True)
class SignInOffer:
    """Whom a link signs in."""

    email: str = attrs.field(repr=False)
    language: Language


@read
def show_link(ctx: UnitContext, token: str) -> SignInOffer | None:
    """Return whom the link signs in, or None if it is unknown, used, withdrawn or has expired."""
    secret = SignInSecret.parse(token)
    found = open_link(ctx, secret) if secret else None
    if found is None:
        return None
    _, member = found
    return SignInOffer(email=ctx.ring.open_address(member.sealed_address).text, language=member.language)
