"""What the section says about domains and their checks."""

from __future__ import annotations

from collections.abc import Mapping

from reviewinvite_core.texts import gettext_noop
from reviewinvite_core.values import FailureReason, ProofWay, VerificationStatus

STATUS: Mapping[VerificationStatus, tuple[str, str]] = {
    VerificationStatus.UNPROVED: ("warn", gettext_noop("not verified")),
    VerificationStatus.VERIFIED: ("ok", gettext_noop("verified")),
    VerificationStatus.VOUCHED: ("ok", gettext_noop("verified by %(operator)s")),
    VerificationStatus.MISSING: ("warn", gettext_noop("proof missing")),
    VerificationStatus.LOST: ("bad", gettext_noop("verification lost")),
}
"""The colour and the word for each status."""

_IN_DNS: Mapping[FailureReason, str] = {
    FailureReason.NO_RECORD: gettext_noop("DNS has no such record."),
    FailureReason.OTHER_TOKEN: gettext_noop("The record in DNS has another value."),
    FailureReason.NO_ANSWER: gettext_noop("No name server answered."),
}
_AT_HOST: Mapping[FailureReason, str] = {
    FailureReason.NO_RECORD: gettext_noop("The site has no such file, or the file does not contain the line."),
    FailureReason.OTHER_TOKEN: gettext_noop("The file contains another value."),
    FailureReason.NO_ANSWER: gettext_noop("The site did not answer."),
    FailureReason.NOT_PUBLIC: gettext_noop("The site’s address is not public, so we did not connect to it."),
    FailureReason.NO_HOST: gettext_noop("The site has no address."),
    FailureReason.REFUSED: gettext_noop("The site did not serve the file; we do not follow redirects."),
    FailureReason.TOO_LARGE: gettext_noop("The site sent more than 1 KiB."),
    FailureReason.NOT_TRUSTED: gettext_noop("The site has no trusted certificate for its name."),
}

PUBLIC_SUFFIX = gettext_noop("Many shops have names below this domain. Enter your own, such as www.example.co.uk.")

FOUND = gettext_noop("Proof found: this domain is verified.")
TAKEN = gettext_noop("Another shop has verified this domain, and must remove it first.")

SENTENCES = (*(word for _, word in STATUS.values()), *_IN_DNS.values(), *_AT_HOST.values(), PUBLIC_SUFFIX, FOUND, TAKEN)
"""All of them."""


def absence(way: ProofWay, reason: FailureReason) -> str:
    """Return why one way of proving a host found no proof."""
    return (_IN_DNS if way is ProofWay.DNS else _AT_HOST)[reason]
