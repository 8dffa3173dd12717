"""What notices say, in each language: the texts of every kind, as the two templates of a notice show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

import attrs

from reviewinvite_core.domain.notices import NoticeKind
from reviewinvite_core.texts.catalogue import Texts


@attrs.frozen(kw_only=True)
class Wording:
    """The texts of one notice; `asides` say why it came, and what if not.

    `action` is the label of its link; without one, no link is shown.
    """

    subject: str
    heading: str
    sentences: Sequence[str]
    action: str
    link: str
    asides: Sequence[str]


def wording_of(kind: NoticeKind, texts: Texts, values: Mapping[str, str], service: str) -> Wording:
    """Return what a notice of this kind says; `service` is the name of the operator, who did what nobody else did.

    Raises: `KeyError` if a value is missing.
    """
    if values.get("by") == "":
        values = {**values, "by": service}
    match kind:
        case NoticeKind.SIGN_IN_LINK:
            return _welcome(texts, values) if values.get("shop") else _sign_in_link(texts, values, service)
        case NoticeKind.NEW_DEVICE:
            return _new_device(texts, values, service)
        case NoticeKind.KEY_CREATED:
            return _key_created(texts, values)
        case NoticeKind.KEY_REVOKED:
            return _key_revoked(texts, values)
        case NoticeKind.MEMBER_ADDED:
            return _member_added(texts, values)
        case NoticeKind.MEMBER_REMOVED:
            return _removed_you(texts, values) if "you" in values else _member_removed(texts, values)
        case NoticeKind.ROLE_CHANGED:
            return _role_changed(texts, values)
        case NoticeKind.REPLY_TO_CHANGED:
            return _reply_to_changed(texts, values)


def _sign_in_link(texts: Texts, values: Mapping[str, str], service: str) -> Wording:
    gettext = texts.gettext
    return Wording(
        subject=gettext("Your sign-in link for %(service)s", service=service),
        heading=gettext("Sign in"),
        sentences=[gettext("Use this link to sign in to the dashboard."), _validity(texts, values)],
        action=gettext("Sign in"),
        link=values["link"],
        asides=[
            gettext(
                "You received this e-mail because someone requested a sign-in link for your address at %(service)s.",
                service=service,
            ),
            gettext("Did you not request this? Ignore this e-mail: nobody can sign in without it."),
        ],
    )


def _welcome(texts: Texts, values: Mapping[str, str]) -> Wording:
    gettext, shop = texts.gettext, values["shop"]
    return Wording(
        subject=gettext("Your access to the dashboard of %(shop)s", shop=shop),
        heading=gettext("Welcome"),
        sentences=[gettext("You now have access to the dashboard of %(shop)s.", shop=shop), _validity(texts, values)],
        action=gettext("Sign in"),
        link=values["link"],
        asides=[
            gettext("You received this e-mail because you were added as a member of %(shop)s.", shop=shop),
            gettext("Not expecting this? Ignore this e-mail."),
        ],
    )


def _validity(texts: Texts, values: Mapping[str, str]) -> str:
    """Return for how long a sign-in link can be used."""
    if "hours" in values:
        hours = int(values["hours"])
        return texts.ngettext(
            "The link works once and expires in %(number)s hour.",
            "The link works once and expires in %(number)s hours.",
            hours,
            number=hours,
        )
    minutes = int(values["minutes"])
    return texts.ngettext(
        "The link works once and expires in %(number)s minute.",
        "The link works once and expires in %(number)s minutes.",
        minutes,
        number=minutes,
    )


def _new_device(texts: Texts, values: Mapping[str, str], service: str) -> Wording:
    gettext = texts.gettext
    return Wording(
        subject=gettext("New sign-in to your account at %(service)s", service=service),
        heading=gettext("New sign-in"),
        sentences=[
            gettext("Someone signed in to your account at %(service)s on a new device.", service=service),
            gettext("Device: %(device)s", device=values["device"]),
            gettext("Time: %(time)s", time=_instant(texts, values["when"])),
        ],
        action=gettext("View your sessions"),
        link=values["sessions_link"],
        asides=[
            gettext("If this was you, there is nothing you need to do."),
            gettext("Not you? End that session now, and check who else can read your e-mail."),
        ],
    )


def _key_created(texts: Texts, values: Mapping[str, str]) -> Wording:
    gettext, shop = texts.gettext, values["shop"]
    return Wording(
        subject=gettext("New API key for %(shop)s", shop=shop),
        heading=gettext("New API key"),
        sentences=[
            gettext("An API key for %(shop)s was created.", shop=shop),
            *_which_key(texts, values),
            *_by_whom_and_when(texts, values),
        ],
        action=gettext("View the API keys"),
        link=values["link"],
        asides=[_to_owners(texts, shop), gettext("Don’t recognise this? Revoke the key now.")],
    )


def _key_revoked(texts: Texts, values: Mapping[str, str]) -> Wording:
    gettext, shop = texts.gettext, values["shop"]
    return Wording(
        subject=gettext("API key of %(shop)s revoked", shop=shop),
        heading=gettext("API key revoked"),
        sentences=[
            gettext(
                "An API key for %(shop)s was revoked. Programs that use it can no longer reach the shop.", shop=shop
            ),
            *_which_key(texts, values),
            *_by_whom_and_when(texts, values),
        ],
        action=gettext("View the API keys"),
        link=values["link"],
        asides=[_to_owners(texts, shop), gettext("Don’t recognise this? Ask who did it, and check the members.")],
    )


def _which_key(texts: Texts, values: Mapping[str, str]) -> Sequence[str]:
    label = [texts.gettext("Label: %(label)s", label=values["label"])] if values["label"] else []
    return [*label, texts.gettext("The key ends in %(last_four)s.", last_four=values["last_four"])]


def _member_removed(texts: Texts, values: Mapping[str, str]) -> Wording:
    gettext, shop = texts.gettext, values["shop"]
    removed = gettext("%(removed)s is no longer a member of %(shop)s.", removed=values["member"], shop=shop)
    return Wording(
        subject=gettext("Member of %(shop)s removed", shop=shop),
        heading=gettext("Member removed"),
        sentences=[removed, *_by_whom_and_when(texts, values)],
        action=gettext("View the members"),
        link=values["link"],
        asides=[_to_owners(texts, shop), gettext("Don’t recognise this? Ask who did it, and check the members.")],
    )


def _removed_you(texts: Texts, values: Mapping[str, str]) -> Wording:
    gettext, shop = texts.gettext, values["shop"]
    return Wording(
        subject=gettext("You are no longer a member of %(shop)s", shop=shop),
        heading=gettext("Your access has ended"),
        sentences=[
            gettext("You no longer have access to the dashboard of %(shop)s.", shop=shop),
            *_by_whom_and_when(texts, values),
        ],
        action="",
        link=values["link"],
        asides=[
            gettext("You received this e-mail because you were a member of %(shop)s.", shop=shop),
            gettext("Not expecting this? Ask an owner of the shop."),
        ],
    )


def _role_changed(texts: Texts, values: Mapping[str, str]) -> Wording:
    gettext, shop, is_you = texts.gettext, values["shop"], "you" in values
    if is_you:
        sentences = {
            "owner": gettext("You are now an owner of %(shop)s.", shop=shop),
            "staff": gettext("You are now a staff member of %(shop)s, and no longer an owner.", shop=shop),
        }
    else:
        sentences = {
            "owner": gettext("%(added)s is now an owner of %(shop)s.", added=values["member"], shop=shop),
            "staff": gettext("%(added)s is now a staff member of %(shop)s.", added=values["member"], shop=shop),
        }
    why = gettext("You received this e-mail because you are a member of %(shop)s.", shop=shop)
    ask = gettext("Not expecting this? Ask an owner of the shop.")
    check = gettext("Don’t recognise this? Ask who did it, and check the members.")
    return Wording(
        subject=gettext("Role changed at %(shop)s", shop=shop),
        heading=gettext("Role changed"),
        sentences=[sentences[values["role"]], *_by_whom_and_when(texts, values)],
        action=gettext("Open the dashboard") if is_you else gettext("View the members"),
        link=values["link"],
        asides=[why, ask] if is_you else [_to_owners(texts, shop), check],
    )


def _member_added(texts: Texts, values: Mapping[str, str]) -> Wording:
    gettext, shop = texts.gettext, values["shop"]
    if values["role"] == "owner":
        added = gettext("%(added)s is now an owner of %(shop)s.", added=values["added"], shop=shop)
    else:
        added = gettext("%(added)s is now a staff member of %(shop)s.", added=values["added"], shop=shop)
    return Wording(
        subject=gettext("New member of %(shop)s", shop=shop),
        heading=gettext("New member"),
        sentences=[added, *_by_whom_and_when(texts, values)],
        action=gettext("View the members"),
        link=values["link"],
        asides=[_to_owners(texts, shop), gettext("Don’t recognise this? Remove the member now.")],
    )


def _reply_to_changed(texts: Texts, values: Mapping[str, str]) -> Wording:
    gettext, shop = texts.gettext, values["shop"]
    changed = gettext("The address that receives replies from customers of %(shop)s was changed.", shop=shop)
    return Wording(
        subject=gettext("The reply address of %(shop)s was changed", shop=shop),
        heading=gettext("Reply address changed"),
        sentences=[changed, *_by_whom_and_when(texts, values)],
        action=gettext("View the settings"),
        link=values["link"],
        asides=[_to_owners(texts, shop), gettext("Don’t recognise this? Check the address now.")],
    )


def _by_whom_and_when(texts: Texts, values: Mapping[str, str]) -> Sequence[str]:
    """Return who did what the notice says, and when; a notice from before an upgrade lacks the time."""
    gettext = texts.gettext
    by = gettext("Done by: %(by)s", by=values["by"])
    return [by, gettext("Time: %(time)s", time=_instant(texts, values["when"]))] if "when" in values else [by]


def _to_owners(texts: Texts, shop: str) -> str:
    return texts.gettext("You received this e-mail because you are an owner of %(shop)s.", shop=shop)


def _instant(texts: Texts, text: str) -> str:
    """Return an ISO 8601 instant as people write it, in UTC; any other text as it is."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return text
    return f"{texts.day(at)}, {at:%H:%M} UTC"
