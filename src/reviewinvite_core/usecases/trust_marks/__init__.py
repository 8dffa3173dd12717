"""Grant, revoke and verify trust marks."""

from reviewinvite_core.usecases.trust_marks.grant import grant_trust_mark as grant_trust_mark
from reviewinvite_core.usecases.trust_marks.revoke import revoke_trust_mark as revoke_trust_mark
from reviewinvite_core.usecases.trust_marks.verify import verify_trust_mark as verify_trust_mark
