"""No body is a server error, and whatever the body of an opt-out looks like, it opts out. RFC 8058, Spec: §6."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from contextlib import closing
from itertools import cycle

import pytest
from tests.budgets import in_full, in_soak
from tests.http.dashboard import OWN, a_new_link, signed_in
from tests.http.page_parser import FORM
from tests.http.service import SITE, Service, an_order, connect, report, send_request
from tests.links import token_of

from reviewinvite_core import Role
from reviewinvite_core.domain.links import Purpose

SEED = 29
CHARSETS = (
    "utf-8",
    "foo",
    "zlib",
    "hex",
    "base64",
    "rot13",
    "idna",
    "utf-16",
    "utf-7",
    "undefined",
    "",
    "\xff",
    "a" * 999,
)
TYPES = (
    FORM,
    f"{FORM}; charset=%s",
    "multipart/form-data",
    "multipart/form-data; boundary=x",
    "multipart/form-data; boundary=x; charset=%s",
    'multipart/form-data; boundary="',
    "multipart/form-data; boundary=",
    "multipart/form-data; boundary=\xff\xfe",
    "Multipart/Form-Data; Boundary=x",
    "multipart/mixed; boundary=x",
    "application/json",
    "text/plain; charset=%s",
    "%s",
    ";;;===",
)
PARTS = (
    b"--x\r\n",
    b"--x--\r\n",
    b"--x",
    b"\r\n",
    b"\r\n\r\n",
    b'Content-Disposition: form-data; name="List-Unsubscribe"\r\n',
    b'Content-Disposition: form-data; name="%s"; filename="%s"\r\n',
    b"Content-Disposition: form-data; name*=%s''%%ff\r\n",
    b"Content-Disposition: %s\r\n",
    b"Content-Type: text/plain; charset=%s\r\n",
    b"Content-Transfer-Encoding: %s\r\n",
    b": \r\n",
    b"List-Unsubscribe=One-Click",
    b"everywhere=yes&",
    b"email=%s&csrf_token=%s&version=%s",
    b"rating=5&text=%s&author=%ff&action=write",
    b"=&&%zz%00%ed%a0%80",
    b"\xff\xfe\x00\xed\xa0\x80",
    b"One-Click",
)
FORMS = (
    *("settings", "settings/name", "settings/reply-to", "members", "members/mem_1/role", "members/mem_1/remove"),
    *("integrations/keys", "integrations/keys/key_1/revoke", "integrations/domains", "integrations/badge"),
    *("reviews/x/reply", "invitations/x/cancel"),
)
FLAWS = (
    ("multipart/form-data; boundary=x", b'--x\r\nContent-Disposition: form-data; name="a"\r\n\r\n\xff\r\n--x--\r\n'),
    *(
        (
            "multipart/form-data; boundary=x",
            b'--x\r\nContent-Disposition: form-data; name="a"\r\n' + line + b"--x--\r\n",
        )
        for line in (
            b"Content-Type: text/plain; charset=foo\r\n\r\na\r\n",
            b"Content-Type: text/plain; charset=zlib\r\n\r\na\r\n",
        )
    ),
    (FORM, b"x" * 16_385),
    ("multipart/form-data; boundary=x", b"--x\r\n" * 13_000),
)


def bodies(count: int) -> Iterator[tuple[str, bytes]]:
    """Yield what has been a fault, then types and bodies made of parts that mean something to some parser."""
    yield from FLAWS
    drawn = random.Random(SEED)  # noqa: S311 - not a secret
    for _ in range(count):
        charset = drawn.choice(CHARSETS)
        body = b"".join(drawn.choice(PARTS) for _ in range(drawn.randrange(12)))
        body = re.sub(b"%s", lambda _: drawn.choice(CHARSETS).encode("latin-1"), body)
        if drawn.random() < 0.2:
            body += drawn.randbytes(drawn.randrange(64))
        yield drawn.choice(TYPES).replace("%s", charset), body


@pytest.mark.parametrize("count", [40, in_full(1_000), in_soak(10_000)])
def test_no_body_is_a_server_error_and_none_loses_an_opt_out(service: Service, key: str, count: int) -> None:
    app = service.app
    invite_id = str(report(service.address, key, an_order("bodies@example.com")).json["inviteId"])
    opt_out, review = (token_of(app, invite_id, purpose) for purpose in (Purpose.UNSUBSCRIBE, Purpose.REVIEW))
    owner = signed_in(service, SITE, "bodies-owner@example.com", Role.OWNER)
    own = {**OWN, "Cookie": "; ".join(f"{name}={value}" for name, value in owner.cookies.items())}
    token = f"csrf_token={owner.token}&".encode()
    link = a_new_link(service, SITE, "bodies-owner@example.com")
    others = [
        *((each, {}) for each in (f"/r/{review}", "/u/unknown", "/r/unknown")),
        *((each, OWN) for each in ("/dashboard/sign-in", f"{link}A", "/dashboard/sign-out")),
        *((f"/dashboard{each}", own) for each in ("/sessions", "/sessions/others", "/sign-in")),
        *((f"/dashboard/{SITE}/{each}", own) for each in FORMS),
    ]
    with closing(connect(service.address)) as connection:

        def post(path: str, content_type: str, body: bytes, headers: dict[str, str]) -> int:
            return send_request(connection, "POST", path, body, Content_Type=content_type, **headers).status

        for (content_type, body), (path, headers) in zip(bodies(count), cycle(others), strict=False):
            assert post(f"/u/{opt_out}", content_type, body, {}) == 200, (content_type, body)
            subscription = app.privacy.show_subscription(opt_out)
            assert subscription
            assert subscription.stopped, (content_type, body)
            app.privacy.resubscribe(opt_out)
            sent = token + body if headers is own else body
            assert post(path, content_type, sent, headers) < 500, (path, content_type, sent)
