"""A customer's e-mail address: one that mail can be sent to, compared as mail is delivered."""

from __future__ import annotations

import attrs
from email_validator import EmailNotValidError, validate_email

from reviewinvite_core.domain.errors import Invalid, Problem


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

        Raises: `Invalid` where it is not a plain `local@domain` that can receive mail from anywhere; comments,
        quoted local parts, address literals and line breaks are refused.
        """
        if not isinstance(value, str):
            raise Invalid(Problem.WRONG_TYPE, "email")
        try:
            valid = validate_email(value.strip(" \t"), check_deliverability=False, allow_smtputf8=False, strict=True)
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
