"""Letters into messages: text and HTML, Dutch and English. Spec: §6.

Nothing that a merchant or customer wrote reaches a header unencoded: the header block is written here, line by
line, in ASCII; only the MIME parts are the email package's, and they travel quoted-printable.
"""

from __future__ import annotations

from base64 import b64encode
from email import policy
from email.message import EmailMessage
from email.utils import format_datetime, quote

from jinja2 import Environment, PackageLoader, StrictUndefined, TemplateError, select_autoescape

from reviewinvite_core.ports import Letter, Message, NotRenderable

_MIME = policy.SMTP.clone(max_line_length=998)
_WORD_BYTES = 42  # an encoded word is at most 75 characters long
_PLAIN_LINE = 900


class TemplateRenderer:
    """Renders the templates in `adapters/mail/templates`, in the shop's name, from the service's own address."""

    def __init__(self, sender: str) -> None:
        """Write from the address `sender`, in whose domain the message ids are."""
        self._sender = sender
        self._domain = sender.rpartition("@")[2]
        self._templates = Environment(
            loader=PackageLoader("reviewinvite_core", "adapters/mail/templates"),
            undefined=StrictUndefined,
            autoescape=select_autoescape(enabled_extensions=("html",), default_for_string=False),
            trim_blocks=True,
            lstrip_blocks=True,
        )

    def render(self, letter: Letter) -> Message:
        """See `ports.Renderer`."""
        try:
            subject, text, html = (
                self._templates.get_template(f"invitation/{letter.language}/{part}").render(letter=letter)
                for part in ("subject.txt", "body.txt", "body.html")
            )
            body = EmailMessage(policy=_MIME)
            body.set_content(text, cte="quoted-printable")
            body.add_alternative(html, subtype="html", cte="quoted-printable")
            message_id = f"<{letter.invite_id}@{self._domain}>"
            headers = (
                ("From", f"{_display_name(letter.shop_name)} <{self._sender}>"),
                ("To", letter.recipient),
                ("Subject", _unstructured(subject.strip())),
                ("Date", format_datetime(letter.written_at)),
                ("Message-ID", message_id),
                ("Auto-Submitted", "auto-generated"),
            )
            head = "".join(f"{name}: {value}\r\n" for name, value in headers).encode("ascii")
            content = head + body.as_bytes()
        except (TemplateError, UnicodeError, ValueError) as error:
            raise NotRenderable(str(error)) from error
        return Message(message_id=message_id, sender=self._sender, recipient=letter.recipient, content=content)


def _unstructured(text: str) -> str:
    """`text` as the value of an unstructured header: as it is where that is safe, else in encoded words."""
    return text if _is_plain(text) else _encoded(text)


def _display_name(text: str) -> str:
    """`text` as the name before an address: a quoted string where that is safe, else encoded words."""
    return f'"{quote(text)}"' if _is_plain(text) else _encoded(text)


def _is_plain(text: str) -> bool:
    return text.isascii() and text.isprintable() and "=?" not in text and len(text) < _PLAIN_LINE


def _encoded(text: str) -> str:
    """RFC 2047 encoded words, a line each, and each of whole characters.

    The email package's own `Header` breaks the text at whatever Unicode calls the end of a line, and loses it.
    """
    words, word = [], b""
    for character in text:
        encoded = character.encode()
        if len(word) + len(encoded) > _WORD_BYTES:
            words.append(word)
            word = b""
        word += encoded
    return "\r\n ".join(f"=?utf-8?b?{b64encode(word).decode('ascii')}?=" for word in [*words, word])
