"""E-mail addresses: of customers and shops, and the one that the service writes from. email-validator decides."""

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

# What nearly all addresses look like: a small part of the time that the library takes for the same result (ADR-38).
_ORDINARY = re.compile(
    r"[a-z0-9_]+(?:[.+-][a-z0-9_]+)*@(?:[a-z0-9](?:[a-z0-9]|-(?=[a-z0-9])){0,61}\.)+([a-z]{2,62})", re.ASCII
)


@cache
def _special_use() -> frozenset[str]:
    """The top-level domains under which there are names that the library refuses.

    The library is imported with the first address, since that takes a fifth of the time that the core takes.
    """
    from email_validator import SPECIAL_USE_DOMAIN_NAMES

    return frozenset(name.rpartition(".")[2] for name in SPECIAL_USE_DOMAIN_NAMES)


def _is_ordinary(text: str) -> bool:
    """Whether it is plainly an address that the library takes as it is; a property test holds the two together."""
    match = _ORDINARY.fullmatch(text) if len(text) <= _LONGEST_ADDRESS else None
    return match is not None and text.index("@") <= _LONGEST_LOCAL_PART and match[1] not in _special_use()


@attrs.frozen(repr=False)
class EmailAddress:
    """An address that SMTP can carry without SMTPUTF8; its `repr` and `str` never show it.

    `text` is what is written to: the local part as the customer typed it, the domain as lower-case A-labels.
    Spec: §2.
    """

    text: str

    @classmethod
    def parse(cls, value: str) -> EmailAddress:
        """The address in `value`, blanks around it aside.

        Raises: `Invalid` if it is not a plain `local@domain` that can receive mail from anywhere; comments,
        quoted local parts, address literals and line breaks are refused.
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
        """What makes two addresses the same customer: lower-cased in ASCII only, no dot- or plus-folding (ADR-4)."""
        return self.text.lower()

    def __repr__(self) -> str:
        return "EmailAddress(...)"

    __str__ = __repr__


@attrs.frozen
class SenderAddress:
    """An address that the service writes from: an `EmailAddress`, or for trials one at `localhost`.

    `text` is what mail servers and readers get.
    """

    text: str

    @classmethod
    def parse(cls, value: str) -> SenderAddress:
        """Return the address in `value`, blanks around it aside.

        Raises: `Invalid` if it is neither.
        """
        local_part, _, domain = value.strip(_BLANKS).rpartition("@")
        if domain.lower() != _TRIAL_DOMAIN:
            return cls(EmailAddress.parse(value).text)
        # The library refuses this domain whatever its options are, so it is asked about the local part alone.
        stand_in = EmailAddress.parse(f"{local_part}@{_STAND_IN_DOMAIN}")
        return cls(stand_in.text.removesuffix(_STAND_IN_DOMAIN) + _TRIAL_DOMAIN)

    @property
    def domain(self) -> str:
        """The part after the @."""
        return self.text.rpartition("@")[2]
