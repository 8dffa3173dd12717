"""What the pages say about the states of reviews, and about what happened to them."""

from __future__ import annotations

from collections.abc import Mapping

from reviewinvite_core import ReviewState
from reviewinvite_core.texts import gettext_noop
from reviewinvite_core.values import Act, HideReason, Party

STATES: Mapping[ReviewState, str] = {
    ReviewState.PUBLISHED: gettext_noop("Published"),
    ReviewState.HIDDEN: gettext_noop("Hidden"),
    ReviewState.WITHDRAWN: gettext_noop("Withdrawn"),
}

ACTS: Mapping[Act, str] = {
    Act.WRITTEN: gettext_noop("Wrote the review"),
    Act.CHANGED: gettext_noop("Changed the review"),
    Act.WITHDRAWN: gettext_noop("Withdrew the review"),
    Act.WRITTEN_AGAIN: gettext_noop("Wrote the review again"),
    Act.HIDDEN: gettext_noop("Hid the review"),
    Act.SHOWN_AGAIN: gettext_noop("Made the review visible again"),
    Act.REPLIED: gettext_noop("Replied"),
    Act.REPLY_REMOVED: gettext_noop("Removed the reply"),
    Act.NAME_REMOVED: gettext_noop("Had the name removed"),
    Act.ERASED: gettext_noop("Had the review erased"),
}

PARTIES: Mapping[Party, str] = {Party.CUSTOMER: gettext_noop("Customer"), Party.SHOP: gettext_noop("Your shop")}

HIDDEN_FOR: Mapping[HideReason, str] = {
    HideReason.UNLAWFUL: gettext_noop("It is against the law."),
    HideReason.PERSONAL_DATA: gettext_noop("It contains personal data."),
    HideReason.INSULT: gettext_noop("It insults someone."),
    HideReason.SPAM: gettext_noop("It is advertising."),
    HideReason.NOT_A_CUSTOMER: gettext_noop("It was not written by a customer."),
    HideReason.OTHER: gettext_noop("It does not follow the rules of this service."),
}
