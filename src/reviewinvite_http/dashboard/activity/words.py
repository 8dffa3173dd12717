"""What the entries of an activity log say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reviewinvite_core import Language
from reviewinvite_core.domain.activity import SettingChange, settings_changed
from reviewinvite_core.texts import Texts, gettext_noop, texts_in
from reviewinvite_core.values import Action, ActorKind, SnippetMode
from reviewinvite_http.dashboard.integrations.page import SIZES, SNIPPET, SNIPPETS, THEMES
from reviewinvite_http.dashboard.settings.form import LABELS

DONE: Mapping[Action, str] = {
    Action.SHOP_RENAMED: gettext_noop("Changed the shop’s name"),
    Action.SHOP_SETTINGS_CHANGED: gettext_noop("Changed the settings"),
    Action.SHOP_ACTIVATED: gettext_noop("Activated the shop"),
    Action.SHOP_DEACTIVATED: gettext_noop("Deactivated the shop"),
    Action.NAME_REQUESTED: gettext_noop("Requested a new name"),
    Action.NAME_APPROVED: gettext_noop("Approved the new name"),
    Action.NAME_WITHDRAWN: gettext_noop("Withdrew the new name"),
    Action.KEY_CREATED: gettext_noop("Created an API key"),
    Action.KEY_REVOKED: gettext_noop("Revoked an API key"),
    Action.DOMAIN_ADDED: gettext_noop("Added a domain"),
    Action.DOMAIN_VERIFIED: gettext_noop("Verified a domain"),
    Action.DOMAIN_REMOVED: gettext_noop("Removed a domain"),
    Action.BADGE_CHANGED: gettext_noop("Changed the badge"),
    Action.SNIPPET_SECRET_MADE: gettext_noop("Created a secret for signed orders"),
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
    ActorKind.OPERATOR: "%(operator)s",
    ActorKind.API_KEY: gettext_noop("An API key"),
    ActorKind.MEMBER: FORMER_MEMBER,
}
"""Who acted, if there is no name to show."""

_FIELDS = {"language": "language", "delayDays": "delay_days", "frequencyDays": "frequency_days", "replyTo": "reply_to"}
"""Field of the settings page for each setting, as the log calls it."""


def settings_in_words(subject: str, texts: Texts) -> Sequence[str]:
    """Return what was changed of the settings, with the labels of the settings page."""
    return [_setting_in_words(each, texts) for each in settings_changed(subject)]


def _setting_in_words(change: SettingChange, texts: Texts) -> str:
    labels = {name: LABELS[field] for name, field in _FIELDS.items()} | {"snippet": SNIPPET}
    label = texts.gettext(labels[change.name]) if change.name in labels else change.name
    if change.before is None or change.after is None:
        return label
    values = {"before": _value(change.before, texts), "after": _value(change.after, texts)}
    return texts.gettext("%(setting)s: from %(before)s to %(after)s", setting=label, **values)


def _value(value: str, texts: Texts) -> str:
    if value in set(Language):
        return texts_in(Language(value)).own_name
    if value in set(SnippetMode):
        return texts.gettext(SNIPPETS[SnippetMode(value)])
    return texts.decimal(value) if "." in value else value


def badge_in_words(subject: str, texts: Texts) -> Sequence[str]:
    """Return how a badge looks since an entry: its colours, its size, and its language if it has one of its own."""
    return [", ".join(_look_in_words(each, texts) for each in subject.split())]


def _look_in_words(value: str, texts: Texts) -> str:
    names = {str(each): name for each, name in (*THEMES.items(), *SIZES.items())}
    return texts.gettext(names[value]) if value in names else _value(value, texts)
