"""The mails of the demo's outbox, as the inbox of everybody who got one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import parsedate_to_datetime
from functools import cache
from pathlib import Path
from typing import Self

import attrs

_NAME = re.compile(r"[A-Za-z0-9._-]+\.eml", re.ASCII)
_MOST_LISTED = 40
_LINK_OPENS_A_TAB = '<base target="_blank">'


@attrs.frozen(kw_only=True)
class Mail:
    """A message as its recipient sees it; `name` is that of its file."""

    name: str
    sender: str
    recipient: str
    subject: str
    sent_at: datetime
    text: str
    html: str

    @classmethod
    def read(cls, file: Path) -> Self:
        """Read a file of the outbox."""
        message: EmailMessage = message_from_bytes(file.read_bytes(), policy=policy.default)
        return cls(
            name=file.name,
            sender=str(message["From"]),
            recipient=str(message["To"]),
            subject=str(message["Subject"]),
            sent_at=parsedate_to_datetime(str(message["Date"])),
            text=_part(message, "plain"),
            html=_part(message, "html"),
        )

    @property
    def framed(self) -> str:
        """The HTML part, whose links open tabs of their own, as those of a mail program do."""
        return self.html.replace("<head>", f"<head>{_LINK_OPENS_A_TAB}", 1)

    def token(self, kind: str) -> str:
        """Return the token in the message's link to a page of this kind: `r` to review, `u` to unsubscribe."""
        found = re.search(rf"/{kind}/([\w-]+)", self.text)
        return found[1] if found else ""


@cache
def _read(file: Path) -> Mail:
    """Read a file, once: the worker adds files and changes none."""
    return Mail.read(file)


@attrs.frozen
class Inbox:
    """All mails in an outbox."""

    _outbox: Path

    def mails(self) -> Sequence[Mail]:
        """Return the newest mails, newest first."""
        files = sorted(self._files("*.eml"), key=lambda file: (file.stat().st_mtime_ns, file.name), reverse=True)
        return list(map(_read, files[:_MOST_LISTED]))

    def mail(self, name: str) -> Mail | None:
        """Return the mail in the file with this name, or None if there is none."""
        file = self._outbox / "new" / name
        return _read(file) if _NAME.fullmatch(name) and file.is_file() else None

    def about(self, order_number: str) -> Mail | None:
        """Return the newest mail that names an order, or None if there is none yet."""
        return next((mail for mail in self.mails() if order_number in mail.text), None)

    def of_invitation(self, invite_id: str) -> Mail | None:
        """Return the mail that an invitation became, whose file has its id in front; None if it was not sent."""
        return next(map(_read, self._files(f"{invite_id}.*")), None)

    def _files(self, pattern: str) -> Sequence[Path]:
        return list((self._outbox / "new").glob(pattern))


def _part(message: EmailMessage, kind: str) -> str:
    part = message.get_body((kind,))
    content = part.get_content() if part else ""
    return content if isinstance(content, str) else ""
