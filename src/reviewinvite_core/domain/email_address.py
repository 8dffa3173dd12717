"""E-mail addresses of customers, shops and the service itself; the library email-validator decides what is valid."""

from __future__ import annotations

import re
from functools import cache

import attrs

from reviewinvite_core.domain.errors import Invalid, Problem

_BLANKS = " \t"
_LONGEST_LOCAL_PART = 64
_LONGEST_ADDRESS = 254
_TRIAL_DOMAIN = "localhost"
_STAND_IN_DOMAIN = "example.com"

# The form of nearly all addresses, checked in a fraction of the library's time with the same result (ADR-38).
_ORDINARY = re.compile(
    r"[a-z0-9_]+(?:[.+-][a-z0-9_]+)*@(?:[a-z0-9](?:[a-z0-9]|-(?=[a-z0-9])){0,61}\.)+([a-z]{2,62})", re.ASCII
)


@cache
def _special_use() -> frozenset[str]:
    """Return the top-level domains that contain names which the library refuses.

    The library is imported with the first address: importing it takes a fifth of the core's import time.
    """
    from email_validator import SPECIAL_USE_DOMAIN_NAMES

    return frozenset(name.rpartition(".")[2] for name in SPECIAL_USE_DOMAIN_NAMES)


def _is_ordinary(text: str) -> bool:
    """Return whether the library certainly accepts `text` unchanged; a property test compares the two."""
    match = _ORDINARY.fullmatch(text) if len(text) <= _LONGEST_ADDRESS else None
    return match is not None and text.index("@") <= _LONGEST_LOCAL_PART and match[1] not in _special_use()


@attrs.frozen(repr=False)
class EmailAddress:
    """An address that SMTP can carry without SMTPUTF8; its `repr` and `str` never show it.

    `text` is the address mail goes to: the local part as the customer typed it, the domain as lower-case A-labels.
    Spec: §2.
    """

    text: str

    @classmethod
    def parse(cls, value: str) -> EmailAddress:
        """Parse an address, ignoring blanks around it.

        Raises: `Invalid` unless it is a plain `local@domain` that can receive mail from anywhere; comments, quoted
        local parts, address literals and line breaks are refused.
        """
        if not isinstance(value, str):
            raise Invalid(Problem.WRONG_TYPE, "email")
        text = value.strip(_BLANKS)
        if _is_ordinary(text):
            return cls(text)
        from email_validator import EmailNotValidError, validate_email

        try:
            valid = validate_email(text, check_deliverability=False, allow_smtputf8=False, strict=True)
        except (EmailNotValidError, UnicodeError) as error:
            raise Invalid(Problem.INVALID_ADDRESS, "email") from error
        return cls(f"{valid.local_part}@{valid.ascii_domain}")

    @property
    def identity(self) -> str:
        """Key of the customer: the address in ASCII lower case, without dot- or plus-folding (ADR-4)."""
        return self.text.lower()

    @property
    def untagged(self) -> EmailAddress:
        """The address of the person, as far as can be told: without what follows a `+` in the local part (ADR-67)."""
        person, plus, _ = self.text.partition("+")
        return EmailAddress(f"{person}@{self.text.rpartition('@')[2]}") if plus and person else self

    def __repr__(self) -> str:
        return "EmailAddress(...)"

    __str__ = __repr__


def to_email_address(value: str | EmailAddress) -> EmailAddress:
    """Return `value` itself, or the address in this text.

    Raises: `Invalid`.
    """
    return value if isinstance(value, EmailAddress) else EmailAddress.parse(value)


@attrs.frozen
class SenderAddress:
    """An address that the service sends from: an `EmailAddress`, or for trials an address at `localhost`.

    `text` is the form that mail servers and recipients see.
    """

    text: str

    @classmethod
    def parse(cls, value: str) -> SenderAddress:
        """Parse an address, ignoring blanks around it.

        Raises: `Invalid` if it is neither an `EmailAddress` nor an address at `localhost`.
        """
        local_part, _, domain = value.strip(_BLANKS).rpartition("@")
        if domain.lower() != _TRIAL_DOMAIN:
            return cls(EmailAddress.parse(value).text)
        # The library refuses this domain under any options, so it checks the local part only.
        stand_in = EmailAddress.parse(f"{local_part}@{_STAND_IN_DOMAIN}")
        return cls(stand_in.text.removesuffix(_STAND_IN_DOMAIN) + _TRIAL_DOMAIN)

    @property
    def domain(self) -> str:
        """The part after the @."""
        return self.text.rpartition("@")[2]
