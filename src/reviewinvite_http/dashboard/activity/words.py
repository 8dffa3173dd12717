"""What the entries of an activity log say."""

from __future__ import annotations

from collections.abc import Mapping

from reviewinvite_core import Action, ActorKind
from reviewinvite_core.texts import gettext_noop

DONE: Mapping[Action, str] = {
    Action.SHOP_RENAMED: gettext_noop("Changed the shop’s name"),
    Action.SHOP_SETTINGS_CHANGED: gettext_noop("Changed the settings"),
    Action.SHOP_ACTIVATED: gettext_noop("Activated the shop"),
    Action.SHOP_DEACTIVATED: gettext_noop("Deactivated the shop"),
    Action.NAME_REQUESTED: gettext_noop("Requested a new name"),
    Action.NAME_APPROVED: gettext_noop("Approved the new name"),
    Action.KEY_CREATED: gettext_noop("Created an API key"),
    Action.KEY_REVOKED: gettext_noop("Revoked an API key"),
    Action.DOMAIN_ADDED: gettext_noop("Added a domain"),
    Action.DOMAIN_VERIFIED: gettext_noop("Verified a domain"),
    Action.DOMAIN_REMOVED: gettext_noop("Removed a domain"),
    Action.BADGE_CHANGED: gettext_noop("Changed the badge"),
    Action.MEMBER_ADDED: gettext_noop("Added a member"),
    Action.MEMBER_REMOVED: gettext_noop("Removed a member"),
    Action.MEMBER_ROLE_CHANGED: gettext_noop("Changed a member’s role"),
    Action.REVIEW_REPLIED: gettext_noop("Replied to a review"),
    Action.REVIEW_HIDDEN: gettext_noop("Hid a review"),
    Action.REVIEW_SHOWN: gettext_noop("Made a hidden review visible again"),
    Action.INVITATION_CANCELLED: gettext_noop("Cancelled an invitation"),
    Action.INVITATION_SENT_NOW: gettext_noop("Sent an invitation early"),
    Action.TRUST_MARK_GRANTED: gettext_noop("Granted the trust mark"),
    Action.TRUST_MARK_REVOKED: gettext_noop("Revoked the trust mark"),
}

FORMER_MEMBER = gettext_noop("A former member")

WHO: Mapping[ActorKind, str] = {
    ActorKind.OPERATOR: gettext_noop("The operator"),
    ActorKind.API_KEY: gettext_noop("An API key"),
    ActorKind.MEMBER: FORMER_MEMBER,
}
"""Who acted, if there is no name to show."""
