"""No body is a server error, and whatever the body of an opt-out looks like, it opts out. RFC 8058, Spec: §6."""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterator
from contextlib import closing

import pytest
from litestar.routes import HTTPRoute
from tests.budgets import in_full, in_soak
from tests.http.dashboard import OWN, signed_in
from tests.http.page_parser import FORM
from tests.http.service import SITE, Service, an_order, connect, report, send_request
from tests.links import token_of
from tests.shop_with_reviews import written

from reviewinvite_core import Role
from reviewinvite_core.domain.links import Purpose
from reviewinvite_http.app import create_app

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
ENCODINGS = ("gzip", "deflate", "br", "zstd", "identity", "gzip, gzip", "foo", "")
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


def bodies(count: int) -> Iterator[tuple[dict[str, str], bytes]]:
    """Yield header fields and bodies made of parts that mean something to some parser."""
    drawn = random.Random(SEED)  # noqa: S311 - not a secret
    for _ in range(count):
        charset = drawn.choice(CHARSETS)
        body = b"".join(drawn.choice(PARTS) for _ in range(drawn.randrange(12)))
        body = re.sub(b"%s", lambda _: drawn.choice(CHARSETS).encode("latin-1"), body)
        if drawn.random() < 0.2:
            body += drawn.randbytes(drawn.randrange(64))
        fields = {"Content_Type": drawn.choice(TYPES).replace("%s", charset)}
        if drawn.random() < 0.2:
            fields["Content_Encoding"] = drawn.choice(ENCODINGS)
        yield fields, body


def paths_with_bodies(service: Service) -> Iterator[tuple[str, str]]:
    """Yield the method and the address of every handler that takes a body."""
    for route in create_app(service.app).routes:
        if isinstance(route, HTTPRoute):
            methods = {method for handler in route.route_handlers for method in handler.http_methods}
            yield from ((method, route.path) for method in sorted(methods & {"POST", "PUT", "PATCH"}))


@pytest.mark.parametrize("count", [40, in_full(1_000), in_soak(10_000)])
def test_no_body_is_a_server_error_and_none_loses_an_opt_out(service: Service, key: str, count: int) -> None:
    app = service.app
    invite_id = str(report(service.address, key, an_order(f"bodies-{count}@example.com")).json["inviteId"])
    opt_out, review = (token_of(app, invite_id, purpose) for purpose in (Purpose.UNSUBSCRIBE, Purpose.REVIEW))
    owner = signed_in(service, SITE, f"bodies-owner-{count}@example.com", Role.OWNER)
    own = {**OWN, "Cookie": "; ".join(f"{name}={value}" for name, value in owner.cookies.items())}
    token = f"csrf_token={owner.token}&".encode()
    ids = {"site_id": SITE, "invite_id": invite_id, "review_id": written(app, SITE).review_id}

    def headers_of(path: str) -> dict[str, str]:
        if not path.startswith("/dashboard"):
            return {"Authorization": f"Bearer {key}"}
        return OWN if path == "/dashboard/sign-out" else own  # the session is still needed

    def path_of(path: str) -> str:
        others = {"token": review if path.startswith("/r/") else "A" * 43}
        return re.sub(r"{(\w+):str}", lambda found: {**ids, **others}.get(found[1], "unknown"), path)

    places = [(method, path_of(path), headers_of(path)) for method, path in paths_with_bodies(service)]
    assert {f"/u/{'A' * 43}", f"/r/{review}", "/v1/orders", f"/dashboard/{SITE}/settings"} < {
        each[1] for each in places
    }
    flaws = [({"Content_Type": content_type}, body) for content_type, body in FLAWS]
    sent = itertools.chain(itertools.product(flaws, places), zip(bodies(count), itertools.cycle(places), strict=False))
    with closing(connect(service.address)) as connection:

        def status(method: str, path: str, body: bytes, headers: dict[str, str]) -> int:
            return send_request(connection, method, path, body, **headers).status

        for (fields, body), (method, path, headers) in sent:
            assert status("POST", f"/u/{opt_out}", body, fields) == 200, (fields, body)
            subscription = app.privacy.show_subscription(opt_out)
            assert subscription
            assert subscription.stopped, (fields, body)
            app.privacy.resubscribe(opt_out)
            form = token + body if headers is own else body
            assert status(method, path, form, {**fields, **headers}) < 500, (method, path, fields, form)
    assert owner.get("/dashboard/sessions").status == 200
