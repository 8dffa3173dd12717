"""`verify`: a stranger checks a statement, from the web or from a file; it ends with 0 for a valid `trusted` only."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.cli.command import COMMAND, AsProcess
from tests.cli.harness import Ended, Installation
from tests.core.domain.signing_kit import KEYS, a_statement, document_of, jws_of, signed_claims
from tests.http.service import http_request

from reviewinvite_cli import fetching
from reviewinvite_cli.errors import flaw_in_words
from reviewinvite_cli.fetching import NotFetched, fetch
from reviewinvite_core import Settings, build
from reviewinvite_core.bootstrap.adapter_factory import machine_time
from reviewinvite_core.domain.scores import NO_REVIEWS
from reviewinvite_core.testing.builders import a_shop
from reviewinvite_core.values import Flaw, Status
from reviewinvite_http import server

SECRET = "only for tests, and long enough"


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A service with the shops molen, which has the trust mark, and kaas, which has none."""
    app = build(Settings(database_url="memory:", mail_url="recording:"))
    for site_id in ("molen", "kaas"):
        app.shops.add(a_shop(site_id))
    app.trust_marks.grant("molen")
    with server.running(app, worker=False) as address:
        yield address
    app.close()


def verdict(empty: Installation, *arguments: str) -> tuple[int, str]:
    """How `verify` ends, and what it says is wrong."""
    ended = empty.run("verify", *arguments)
    assert not list(empty.folder.glob("reviewinvite.db*")), "it asked for a database"
    return ended.code, " ".join(ended.err.split())


def test_a_statement_from_the_web_is_verified_with_the_keys_of_its_origin(empty: Installation, address: str) -> None:
    ended = empty.run("verify", f"{address}/v1/verify/molen")
    assert (ended.code, ended.err) == (0, "")
    assert "Status   trusted" in ended.out
    told = empty.json("verify", f"{address}/v1/verify/molen")
    assert (told["valid"], told["reason"], told["statement"]["siteId"]) == (True, None, "molen")


def test_a_valid_statement_that_is_not_trusted_ends_with_1(empty: Installation, address: str) -> None:
    code, said = verdict(empty, f"{address}/v1/verify/kaas")
    assert code == 1
    assert "says `unverified`, not `trusted`" in said


def test_the_shop_is_that_of_the_url_or_the_one_that_is_named(empty: Installation, address: str) -> None:
    code, said = verdict(empty, f"{address}/v1/verify/molen", "--site", "kaas")
    assert (code, said) == (1, "Error: Not valid: it is about another shop.")
    statement = empty.folder / "statement.json"
    statement.write_bytes(document_of(a_statement(now=machine_time())))
    with small_server(lambda _: (200, {}, statement.read_bytes())) as elsewhere:
        keys = empty.folder / "keys.json"
        keys.write_bytes(KEYS)
        assert verdict(empty, f"{elsewhere}/v1/verify/molen", "--keys", str(keys))[0] == 0
        for path in ("/v1/verify/kaas", "/v1/verify/kaas/", "/v1/verify/%6baas?x=/v1/verify/molen"):
            assert verdict(empty, elsewhere + path, "--keys", str(keys)) == (code, said)


def test_a_shop_that_is_named_by_nothing_is_another_shop(empty: Installation) -> None:
    (empty.folder / "keys.json").write_bytes(KEYS)
    (empty.folder / "statement.json").write_bytes(document_of(a_statement(now=machine_time())))
    code, said = verdict(
        empty, "statement.json", "--keys", "keys.json", "--site", ""
    )  # as from a variable that is not set
    assert (code, said) == (1, "Error: Not valid: it is about another shop.")


def test_a_file_of_either_form_is_verified_with_the_keys_that_are_named(empty: Installation, address: str) -> None:
    for name, accept in (("statement.json", "application/json"), ("statement.jws", "application/jose")):
        (empty.folder / name).write_bytes(http_request(address, "GET", "/v1/verify/molen", Accept=accept).body)
        assert verdict(empty, name, "--keys", f"{address}/v1/badge/public-keys", "--site", "molen") == (0, "")
    code, said = verdict(empty, "statement.json")
    assert code == 2
    assert "a file needs --keys" in said


def test_a_statement_may_come_from_standard_input(empty: Installation, as_process: AsProcess) -> None:
    (empty.folder / "keys.json").write_bytes(KEYS)
    command = [*COMMAND, "verify", "-", "--keys", "keys.json"]
    ended = as_process(empty).run_program(command, stdin=jws_of(a_statement(now=machine_time())))
    assert (ended.code, ended.err) == (0, "")
    assert verdict(empty, "-", "--keys", "-")[0] == 2


@pytest.fixture
def of_files(empty: Installation) -> Callable[..., Ended]:
    """Verifies a document from a file, with the kit's keys."""

    def run(document: bytes, *options: str) -> Ended:
        (empty.folder / "statement.json").write_bytes(document)
        (empty.folder / "keys.json").write_bytes(KEYS)
        return empty.run("verify", "statement.json", "--keys", "keys.json", *options)

    return run


def test_what_is_wrong_is_said_in_one_line(of_files: Callable[..., Ended]) -> None:
    good = a_statement(now=machine_time())
    old = a_statement()
    changed = document_of(good).replace(b"Bakkerij", b"Slagerij")
    for document, words in (
        (document_of(old), "it has expired, according to this machine's clock"),
        (changed, "its signature does not match its key: it was changed or forged"),
        (signed_claims({"type": "another"}), "the signed content is not a statement about a shop"),
        (b"nonsense", "it is not a statement in the service's format"),
    ):
        ended = of_files(document)
        assert (ended.code, ended.out, ended.err) == (1, "", f"Error: Not valid: {words}.\n")
    told = of_files(document_of(old), "--json")
    assert (told.code, json.loads(told.out)) == (1, {"valid": False, "reason": "expired", "statement": None})


@pytest.mark.parametrize("status", [status for status in Status if status is not Status.TRUSTED])
def test_a_valid_statement_that_says_otherwise_is_shown_and_ends_with_1(
    of_files: Callable[..., Ended], status: Status
) -> None:
    ended = of_files(document_of(a_statement(now=machine_time(), status=status, score=NO_REVIEWS)))
    assert ended.code == 1
    assert f"Status   {status}" in ended.out
    assert f"says `{status}`" in ended.err


def test_a_name_cannot_move_the_terminal_s_cursor(of_files: Callable[..., Ended]) -> None:
    ended = of_files(document_of(a_statement(now=machine_time(), name="a\x1b[2Jb\u202ec\u2028d\U0001f389")))
    assert ended.code == 0
    assert "a\\x1b[2Jb\\u202ec\\u2028d\U0001f389" in ended.out


def test_every_flaw_has_words_of_its_own() -> None:
    words = [flaw_in_words(flaw) for flaw in Flaw]
    assert len(set(words)) == len(Flaw)
    assert not any(said == flaw.replace("_", " ") for said, flaw in zip(words, Flaw, strict=True))


def test_it_needs_no_web_server(empty: Installation, as_process: AsProcess) -> None:
    packages = ("litestar", "uvicorn", "httptools", "uvloop")
    ended = as_process(empty).run_without(packages, "verify", "missing", "--keys", "missing")
    assert ended == (1, "", "Error: Cannot read missing: No such file or directory.\n")


# Fetching


@contextmanager
def small_server(answer: Callable[[str], tuple[int, dict[str, str], bytes]]) -> Iterator[str]:
    """Run a web server on this machine that answers each path with `answer(path)`, and 412 to who accepts a cache."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            past_caches = self.headers["Cache-Control"] == "no-cache"
            status, headers, body = answer(self.path) if past_caches else (412, {}, b"")
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Keep quiet."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as running:
        threading.Thread(target=running.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{running.server_port}"
        finally:
            running.shutdown()


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com/v1/verify/molen",
        "http://127.0.0.1.example.com/",
        "http://localhost.example.com/",
        "http://192.168.1.1/",
        "http://[::2]/",
        "https://user:password@example.com/",
        "https:///nothing",
        "https://example.com:port/",
        "http://",
    ],
)
def test_what_is_not_safe_to_ask_is_not_asked(url: str) -> None:
    with pytest.raises(NotFetched, match=r"(is not https|is not a URL)"):
        fetch(url)


@pytest.mark.parametrize("url", ["https://[broken/v1/verify/molen", "https://example.com:port/v1/verify/molen"])
def test_what_only_begins_like_a_url_is_refused_in_one_line(empty: Installation, url: str) -> None:
    (empty.folder / "keys.json").write_bytes(KEYS)
    for options in ((), ("--keys", "keys.json"), ("--site", "molen")):
        assert verdict(empty, url, *options) == (1, f"Error: {url} is not a URL that can be fetched.")


def test_a_redirect_is_followed_on_the_same_origin_only() -> None:
    with small_server(lambda _: (200, {}, b"elsewhere")) as other:

        def answer(path: str) -> tuple[int, dict[str, str], bytes]:
            if path == "/away":
                return 302, {"Location": f"{other}/"}, b""
            if path == "/around":
                return 302, {"Location": "/around"}, b""
            return (302, {"Location": "/there"}, b"") if path == "/here" else (200, {}, b"there")

        with small_server(answer) as origin:
            assert fetch(f"{origin}/here") == b"there"
            with pytest.raises(NotFetched, match="redirects to another origin"):
                fetch(f"{origin}/away")
            with pytest.raises(NotFetched):
                fetch(f"{origin}/around")


def test_an_answer_that_is_no_success_or_too_large_is_told() -> None:
    large = b"x" * (fetching.LARGEST + 1)
    with small_server(lambda path: (404, {}, b"") if path == "/404" else (200, {}, large)) as origin:
        with pytest.raises(NotFetched, match="answered with status 404"):
            fetch(f"{origin}/404")
        with pytest.raises(NotFetched, match="larger than 256 KiB"):
            fetch(f"{origin}/large")


def test_a_file_that_is_too_large_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "large").write_bytes(b"x" * (fetching.LARGEST + 1))
    with pytest.raises(NotFetched, match="larger than 256 KiB"):
        fetch(str(tmp_path / "large"))


def test_a_server_that_sends_a_byte_now_and_then_is_not_waited_for() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        ended = threading.Event()

        def drip() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
                while not ended.wait(0.05):
                    try:
                        connection.sendall(b"x")
                    except OSError:
                        return

        threading.Thread(target=drip, daemon=True).start()
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/"
        with pytest.raises(NotFetched, match="no complete answer within"):
            fetching._within(0.5, lambda: fetching._fetch(url))
        ended.set()


def test_nobody_there_is_told(empty: Installation) -> None:
    with socket.socket() as taken:  # and nobody listens
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
        code, said = verdict(empty, f"http://127.0.0.1:{port}/v1/verify/molen")
    assert code == 1
    assert said.startswith(f"Error: Cannot fetch http://127.0.0.1:{port}/v1/verify/molen: ")
