"""The e-mail that `mail test` sends: to an operator, so in English only."""

from __future__ import annotations

from datetime import datetime
from html import escape

from reviewinvite_core.adapters.mail.headers import (
    AUTO_SUBMITTED,
    content_of,
    date_text,
    display_name,
    header,
    plain_address,
    subject_header,
)
from reviewinvite_core.adapters.mail.message_pattern import quoted_printable
from reviewinvite_core.domain.email_address import SenderAddress
from reviewinvite_core.ports import Message

_SUBJECT = "Test e-mail of reviewinvite"
_TEXT = (
    "This is a test e-mail. The service at {base_url} can send.",
    "Look at its headers: the mail server that received it writes there whether SPF, DKIM and DMARC passed.",
    "If it arrived among the spam, `reviewinvite doctor` says what is missing.",
)


def trial_message(*, sender: str, recipient: str, base_url: str, operator: str, test_id: str, at: datetime) -> Message:
    """Return the e-mail, in the name of `operator`.

    Raises: `ValueError` if an address is not valid.
    """
    address = SenderAddress.parse(sender)
    to, message_id = plain_address(recipient), f"<{test_id}@{address.domain}>"
    head = (
        header("From", f"{display_name(operator)} <{address.text}>"),
        header("To", to),
        subject_header(_SUBJECT),
        header("Date", date_text(at)),
        header("Message-ID", message_id),
        AUTO_SUBMITTED,
    )
    paragraphs = [sentence.format(base_url=base_url) for sentence in _TEXT]
    html = "".join(f"<p>{escape(each)}</p>\n" for each in paragraphs)
    bodies = quoted_printable("\n\n".join(paragraphs) + "\n"), quoted_printable(html)
    return Message(message_id=message_id, sender=address.text, recipient=to, content=content_of(head, test_id, *bodies))
