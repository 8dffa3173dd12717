"""All that the service can do, as operations of one shop (its staff, customers and operator) or on all shops.

An operation makes a request or a command from what its shop knows and from random numbers, and from nothing else: the
same one goes to both environments.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import TypeAlias
from urllib.parse import urlencode

import attrs
from tests.isolation.environment import Command, Request

UNKNOWN = "019cadd4-cbc8-73c1-9e5f-0a94c27d3b86"
EMAILS = ("anna@example.com", "anna@example.com", "bert@example.nl", "gone@example.com", "lost@example.com")
NUMBERS = ("1001", "1002", "1003")
TEXTS = ("Snel geleverd.", "Snel geleverd.", "Nooit meer!\nEcht niet.", "")
ON_JSON = ("Content-Type", "application/json")
ON_FORM = ("Content-Type", "application/x-www-form-urlencoded")


@attrs.define(kw_only=True)
class Participant:
    """A shop, and what it has learned from answers so far."""

    site: str
    host: str
    ip: str
    keys: list[str] = attrs.field(factory=list)  # random operations leave the first one alone
    key_ids: list[str] = attrs.field(factory=list)
    invitations: list[str] = attrs.field(factory=list)
    reviews: list[str] = attrs.field(factory=list)
    cursors: list[str] = attrs.field(factory=list)
    review_tokens: list[str] = attrs.field(factory=list)
    unsubscribe_tokens: list[str] = attrs.field(factory=list)
    speaks_for_all: bool = False  # whether its customers may opt out of every shop
    signing_keys: list[str] = attrs.field(factory=list)

    def learn(self, said: str) -> None:
        """Remember the ids, keys and cursors in an answer."""
        for known, pattern in (
            (self.invitations, r'"inviteId": ?"([^"]+)"'),
            (self.reviews, r'"reviewId": ?"([^"]+)"'),
            (self.cursors, r'"cursor": ?"([^"]+)"'),
            (self.cursors, r"[?&]after=([0-9a-f-]+)"),
            (self.key_ids, r'"keyId": ?"(key_[^"]+)"'),
            (self.keys, r'"key": ?"(rvi_[^"]+)"'),
        ):
            known += [each for each in dict.fromkeys(re.findall(pattern, said)) if each not in known]


Operation: TypeAlias = Callable[[Participant, Participant, Random], Request | Command]


def _mixed(mine: Sequence[str], theirs: Sequence[str], rng: Random) -> str:
    """Choose mostly one's own, sometimes the other shop's, sometimes an unknown one."""
    pool = rng.choices((mine, theirs, [UNKNOWN]), (6, 3, 1))[0] or [UNKNOWN]
    return rng.choice(pool)


def _own(mine: Sequence[str], rng: Random) -> str:
    return rng.choice(mine) if mine and rng.random() < 0.95 else UNKNOWN


def _with_key(mine: Participant, rng: Random) -> tuple[str, str]:
    return "Authorization", f"Bearer {rng.choice(mine.keys[1:] or ['rvi_none'])}"


def _query(rng: Random, **parameters: str) -> str:
    """Return a query with some of these parameters."""
    chosen = {name: value for name, value in parameters.items() if value and rng.random() < 0.5}
    return f"?{urlencode(chosen)}" if chosen else ""


def _an_order(rng: Random) -> dict[str, object]:
    order: dict[str, object] = {"email": rng.choice(EMAILS)}
    if rng.random() < 0.9:
        order["orderNumber"] = rng.choice(NUMBERS)
    return order


# --- HTTP


def report(mine: Participant, _: Participant, rng: Random) -> Request:
    order = {**_an_order(rng), "delayDays": rng.choice((0, 0, 1, 5))}
    if rng.random() < 0.1:
        order["phone"] = "0"
    return Request(
        method="POST", path="/v1/orders", body=json.dumps(order).encode(), headers=(_with_key(mine, rng), ON_JSON)
    )


def reviews(mine: Participant, theirs: Participant, rng: Random) -> Request:
    cursor = _mixed(mine.cursors, theirs.cursors, rng)
    asked = _query(
        rng,
        cursor=cursor,
        limit=rng.choice(("1", "2", "100")),
        since=rng.choice(("2026-03-02", "2026-03-04")),
        rating=rng.choice("15"),
        state=rng.choice(("published", "hidden")),
    )
    return Request(method="GET", path=f"/v1/reviews{asked}", headers=(_with_key(mine, rng),))


def review(mine: Participant, theirs: Participant, rng: Random) -> Request:
    path = f"/v1/reviews/{_mixed(mine.reviews, theirs.reviews, rng)}"
    return Request(method="GET", path=path, headers=(_with_key(mine, rng),))


def reply(mine: Participant, theirs: Participant, rng: Random) -> Request:
    body = json.dumps({"text": rng.choice(("Dank u!", "Dank u!", ""))}).encode()
    path = f"/v1/reviews/{_mixed(mine.reviews, theirs.reviews, rng)}/reply"
    return Request(method="POST", path=path, body=body, headers=(_with_key(mine, rng), ON_JSON))


def invitations(mine: Participant, theirs: Participant, rng: Random) -> Request:
    cursor = _mixed(mine.cursors, theirs.cursors, rng)
    asked = _query(
        rng,
        cursor=cursor,
        limit=rng.choice(("1", "2", "100")),
        orderNumber=rng.choice(NUMBERS),
        state=rng.choice(("scheduled", "sent", "suppressed", "cancelled")),
    )
    return Request(method="GET", path=f"/v1/invitations{asked}", headers=(_with_key(mine, rng),))


def invitation(mine: Participant, theirs: Participant, rng: Random) -> Request:
    path = f"/v1/invitations/{_mixed(mine.invitations, theirs.invitations, rng)}"
    return Request(method="GET", path=path, headers=(_with_key(mine, rng),))


def cancel(mine: Participant, theirs: Participant, rng: Random) -> Request:
    path = f"/v1/invitations/{_mixed(mine.invitations, theirs.invitations, rng)}/cancel"
    return Request(method="POST", path=path, headers=(_with_key(mine, rng),))


def as_merchant(method: str, path: str, *bodies: Mapping[str, object]) -> Operation:
    """Ask for something of the shop itself; `{host}` is one of its hosts, since a host belongs to one shop only."""

    def operation(mine: Participant, _: Participant, rng: Random) -> Request:
        headers = [_with_key(mine, rng)]
        host = rng.choice((mine.host, f"shop.{mine.host}"))
        text = json.dumps(rng.choice(bodies)).replace("{host}", host) if bodies else ""
        return Request(
            method=method,
            path=path.replace("{host}", host),
            body=text.encode(),
            headers=[*headers, ON_JSON] if bodies else headers,
        )

    return operation


def snippet(mine: Participant, theirs: Participant, rng: Random) -> Request:
    """Report from one's own page for one's own shop; if either is the other shop's, that is refused."""
    site, host = rng.choices(((mine.site, mine.host), (theirs.site, mine.host), (mine.site, theirs.host)), (8, 1, 1))[0]
    body = json.dumps({"siteId": site, **_an_order(rng)}).encode()
    headers = (("Origin", f"https://{host}"), ON_JSON)
    return Request(method="POST", path="/v1/orders/snippet", body=body, headers=headers, ip=mine.ip)


def review_page(mine: Participant, _: Participant, rng: Random) -> Request:
    token = _own([*mine.review_tokens, *mine.unsubscribe_tokens[:1]], rng)
    return Request(method="GET", path=f"/r/{token}{_query(rng, language=rng.choice(('nl', 'en')))}")


def write_review(mine: Participant, _: Participant, rng: Random) -> Request:
    form = {"rating": rng.choice("12345"), "text": rng.choice(TEXTS), "author": rng.choice(("", "Anna"))}
    if rng.random() < 0.15:
        form["action"] = "withdraw"
    body = urlencode(form).encode()
    return Request(method="POST", path=f"/r/{_own(mine.review_tokens, rng)}", body=body, headers=(ON_FORM,))


def unsubscribe_page(mine: Participant, _: Participant, rng: Random) -> Request:
    return Request(method="GET", path=f"/u/{_own(mine.unsubscribe_tokens, rng)}")


def unsubscribe(mine: Participant, _: Participant, rng: Random) -> Request:
    everywhere = mine.speaks_for_all and rng.random() < 0.2
    body = b"everywhere=yes" if everywhere else b"List-Unsubscribe=One-Click"
    return Request(method="POST", path=f"/u/{_own(mine.unsubscribe_tokens, rng)}", body=body, headers=(ON_FORM,))


def verify(mine: Participant, _: Participant, rng: Random) -> Request:
    headers = (("Accept", rng.choice(("application/json", "application/jose"))),)
    return Request(method="GET", path=f"/v1/verify/{mine.site}", headers=headers)


def shop_page(mine: Participant, theirs: Participant, rng: Random) -> Request:
    asked = _query(rng, language="en", after=_mixed(mine.cursors, theirs.cursors, rng))
    return Request(method="GET", path=f"/shops/{mine.site}{asked}")


def widget(mine: Participant, theirs: Participant, rng: Random) -> Request:
    page = rng.choice((f"https://www.{mine.host}/", f"https://{theirs.host}/", None))
    return Request(method="GET", path=f"/w/{mine.site}.js", headers=(("Referer", page),) if page else ())


def snippet_script(mine: Participant, theirs: Participant, rng: Random) -> Request:
    return Request(method="GET", path=f"/s/{rng.choice((mine.site, theirs.site))}.js")


def get(path: str) -> Operation:
    return lambda *_: Request(method="GET", path=path)


ENDPOINTS: Mapping[tuple[str, str], Operation] = {
    ("POST", "/v1/orders"): report,
    ("GET", "/v1/reviews"): reviews,
    ("POST", "/v1/reviews/{review_id}/reply"): reply,
    ("GET", "/v1/invitations"): invitations,
    ("GET", "/v1/invitations/{invite_id}"): invitation,
    ("POST", "/v1/invitations/{invite_id}/cancel"): cancel,
    ("GET", "/v1/reviews/{review_id}"): review,
    ("GET", "/v1/shop"): as_merchant("GET", "/v1/shop"),
    ("PATCH", "/v1/shop"): as_merchant(
        "PATCH",
        "/v1/shop",
        {"language": "en"},
        {"delayDays": 2, "language": "nl"},
        {"frequencyDays": 3},
        {"snippet": "off"},
        {"name": "x"},
    ),
    ("GET", "/v1/badge"): as_merchant("GET", "/v1/badge"),
    ("PUT", "/v1/badge"): as_merchant("PUT", "/v1/badge", {"theme": "dark", "size": "small"}, {"size": "large"}),
    ("GET", "/v1/domains"): as_merchant("GET", "/v1/domains"),
    ("POST", "/v1/domains"): as_merchant("POST", "/v1/domains", {"host": "{host}"}),
    ("POST", "/v1/domains/{host}/check"): as_merchant("POST", "/v1/domains/{host}/check"),
    ("POST", "/v1/orders/snippet"): snippet,
    ("GET", "/s/{name}"): snippet_script,
    ("GET", "/r/{token}"): review_page,
    ("POST", "/r/{token}"): write_review,
    ("GET", "/u/{token}"): unsubscribe_page,
    ("POST", "/u/{token}"): unsubscribe,
    ("GET", "/v1/verify/{site_id}"): verify,
    ("GET", "/v1/badge/public-keys"): get("/v1/badge/public-keys"),
    ("GET", "/shops/{site_id}"): shop_page,
    ("GET", "/w/{name}"): widget,
    ("GET", "/"): get("/"),
    ("GET", "/favicon.ico"): get("/favicon.ico"),
    ("GET", "/robots.txt"): get("/robots.txt"),
    ("GET", "/.well-known/security.txt"): get("/.well-known/security.txt"),
    ("GET", "/healthz"): get("/healthz"),
    ("GET", "/readyz"): get("/readyz"),
    ("GET", "/v1/errors"): get("/v1/errors"),
    ("GET", "/v1/openapi.json"): get("/v1/openapi.json"),
}


def with_method(method: str, operation: Operation) -> Operation:
    """Send the same request with another method: HEAD, which each GET has, or OPTIONS, which each path has."""

    def changed(mine: Participant, theirs: Participant, rng: Random) -> Request:
        request = operation(mine, theirs, rng)
        assert isinstance(request, Request)
        return attrs.evolve(request, method=method, body=b"")

    return changed


# --- commands on one shop, or on one thing of a shop


def shop_command(name: str, *options: str) -> Operation:
    """Run a command on the shop; `{site}` and `{host}` are its own."""

    def operation(mine: Participant, _: Participant, rng: Random) -> Command:
        return Command(name, _perhaps_json(rng, *(each.format(site=mine.site, host=mine.host) for each in options)))

    return operation


def on_one_of(name: str, of: str, *options: str) -> Operation:
    """Run a command on one of the shop's `invitations`, `reviews` or `key_ids`."""

    def operation(mine: Participant, _: Participant, rng: Random) -> Command:
        own = getattr(mine, of)[1:] if of == "key_ids" else getattr(mine, of)
        return Command(name, _perhaps_json(rng, _own(own, rng), *options))

    return operation


def _perhaps_json(rng: Random, *options: str) -> Sequence[str]:
    return (*options, "--json") if rng.random() < 0.6 else options


def one_of(*operations: Operation) -> Operation:
    return lambda mine, theirs, rng: rng.choice(operations)(mine, theirs, rng)


def order_report(mine: Participant, _: Participant, rng: Random) -> Command:
    options = [mine.site, rng.choice(EMAILS), "--delay-days", rng.choice(("0", "0", "2"))]
    options += ["--order-number", rng.choice(NUMBERS)] if rng.random() < 0.9 else []
    return Command("order report", _perhaps_json(rng, *options))


def order_import(mine: Participant, _: Participant, rng: Random) -> Command:
    lines = [f"{rng.choice(EMAILS)},{rng.choice(NUMBERS)},0" for _ in range(3)]
    text = "\n".join(["email,orderNumber,delayDays", *lines, "nobody,1,0", ""])
    return Command("order import", (mine.site, "{orders}", "--verbose", "--json"), files={"orders": text})


def verify_file(mine: Participant, theirs: Participant, rng: Random) -> Command:
    statement = verify(mine, theirs, rng)
    keys = Request(method="GET", path="/v1/badge/public-keys")
    options = ("{statement}", "--keys", "{keys}", "--site", mine.site)
    return Command("verify", _perhaps_json(rng, *options), files={"statement": statement, "keys": keys})


def suppression_at(name: str) -> Operation:
    def operation(mine: Participant, _: Participant, rng: Random) -> Command:
        asked = ("--customer-asked",) if name.endswith("remove") else ()
        return Command(name, _perhaps_json(rng, rng.choice(EMAILS), "--site", mine.site, *asked))

    return operation


def badge_set(mine: Participant, _: Participant, rng: Random) -> Command:
    look = ("--theme", rng.choice(("dark", "light")), "--size", rng.choice(("small", "large")))
    return Command("badge set", _perhaps_json(rng, mine.site, *look))


SHOP_COMMANDS: Mapping[str, Operation] = {
    "shop add": shop_command("shop add", "{site}", "--name", "Bakkerij"),
    "shop show": shop_command("shop show", "{site}"),
    "shop set": one_of(
        shop_command("shop set", "{site}", "--language", "en"),
        shop_command("shop set", "{site}", "--name", "Bakkerij De Zon", "--language", "nl"),
        shop_command("shop set", "{site}", "--delay-days", "3", "--reply-to", "shop@example.com"),
    ),
    "shop deactivate": shop_command("shop deactivate", "{site}"),
    "shop activate": shop_command("shop activate", "{site}"),
    "key create": shop_command("key create", "{site}", "--label", "web shop"),
    "key list": shop_command("key list", "{site}"),
    "key revoke": on_one_of("key revoke", "key_ids", "--yes"),
    "shop approve": shop_command("shop approve", "{site}"),
    "member add": one_of(
        shop_command("member add", "{site}", "owner@{host}", "--role", "owner"),
        shop_command("member add", "{site}", "staff@{host}"),
    ),
    "member list": shop_command("member list", "{site}"),
    "member link": shop_command("member link", "{site}", "owner@{host}"),
    "member remove": one_of(
        shop_command("member remove", "{site}", "staff@{host}", "--yes"),
        shop_command("member remove", "{site}", "owner@{host}", "--yes"),
    ),
    "domain add": one_of(
        shop_command("domain add", "{site}", "{host}", "--assume-verified"),
        shop_command("domain add", "{site}", "shop.{host}"),
    ),
    "domain check": one_of(
        shop_command("domain check", "{site}", "{host}"), shop_command("domain check", "{site}", "shop.{host}")
    ),
    "domain list": shop_command("domain list", "{site}"),
    "domain remove": one_of(
        shop_command("domain remove", "{site}", "{host}", "--yes"),
        shop_command("domain remove", "{site}", "shop.{host}", "--yes"),
    ),
    "trustmark grant": shop_command("trustmark grant", "{site}"),
    "trustmark revoke": shop_command("trustmark revoke", "{site}"),
    "order report": order_report,
    "order import": order_import,
    "snippet embed": shop_command("snippet embed", "{site}"),
    "snippet secret": one_of(
        shop_command("snippet secret", "{site}"), shop_command("snippet secret", "{site}", "--rotate")
    ),
    "badge show": shop_command("badge show", "{site}"),
    "badge set": badge_set,
    "badge embed": shop_command("badge embed", "{site}"),
    "invitation list": one_of(
        shop_command("invitation list", "--site", "{site}"),
        shop_command("invitation list", "--site", "{site}", "--limit", "2"),
        shop_command("invitation list", "--site", "{site}", "--state", "uncertain"),
        shop_command("invitation list", "--site", "{site}", "--state", "sent"),
    ),
    "invitation show": on_one_of("invitation show", "invitations"),
    "invitation cancel": on_one_of("invitation cancel", "invitations"),
    "invitation send-now": on_one_of("invitation send-now", "invitations"),
    "invitation resolve": one_of(
        on_one_of("invitation resolve", "invitations", "--sent"),
        on_one_of("invitation resolve", "invitations", "--resend", "--yes"),
    ),
    "invitation retry": on_one_of("invitation retry", "invitations", "--yes"),
    "review list": one_of(
        shop_command("review list", "--site", "{site}"),
        shop_command("review list", "--site", "{site}", "--limit", "1"),
        shop_command("review list", "--site", "{site}", "--state", "published"),
    ),
    "review show": on_one_of("review show", "reviews"),
    "review hide": on_one_of("review hide", "reviews", "--reason", "spam"),
    "review show-again": on_one_of("review show-again", "reviews"),
    "review reply": on_one_of("review reply", "reviews", "Dank u wel!"),
    "suppression add": suppression_at("suppression add"),
    "verify": verify_file,
}


# --- commands on all shops: both environments run them, and each shop's part of the answer must be the same


@attrs.frozen
class GlobalCommand:
    """A command on all shops: why it is, how it is run, and the part of its answer that no other shop can change."""

    why: str
    operation: Operation
    visible: Callable[[str, Participant], str] = lambda said, _: said


def code_alone(said: str, _: Participant) -> str:
    """Return how it ended; the rest are figures of all shops."""
    return said.partition("\n")[0]


def own_objects(said: str, mine: Participant) -> str:
    """Return the JSON objects that are the shop's, or no shop's."""
    first, _, rest = said.partition("\n")
    text = rest.partition("\n-- ")[0]
    return first + json.dumps(_own_of(json.loads(text), mine.site)) if text.startswith(("[", "{")) else said


def _own_of(value: object, site: str) -> object:
    if isinstance(value, dict):
        return {name: _own_of(each, site) for name, each in value.items() if name != "invitationsSuppressed"}
    if isinstance(value, list):
        return [
            _own_of(each, site)
            for each in value
            if not isinstance(each, dict) or each.get("siteId", site) in (site, None)
        ]
    return value


def without_hint(said: str, _: Participant) -> str:
    return said.split(" It is suppressed elsewhere:")[0].strip()


def own_lines(said: str, mine: Participant) -> str:
    """Return the lines of a log about the shop's invitations."""
    return "\n".join(line for line in said.split("\n") if any(each in line for each in mine.invitations))


def on_address(name: str, *options: str) -> Operation:
    return lambda _, __, rng: Command(name, (rng.choice(EMAILS), *options))


def _a_signing_key(mine: Participant, _: Participant, rng: Random) -> Command:
    return Command("signing-key compromised", (_own(mine.signing_keys, rng), "--yes", "--json"))


GLOBAL_COMMANDS: Mapping[str, GlobalCommand] = {
    "worker": GlobalCommand(
        "sends what is due, of all shops", lambda *_: Command("worker", ("--once", "--json")), own_lines
    ),
    "shop list": GlobalCommand("lists all shops", lambda *_: Command("shop list", ("--json",)), own_objects),
    "suppression add": GlobalCommand(
        "without --site no shop may write to the person", on_address("suppression add", "--json"), own_objects
    ),
    "suppression remove": GlobalCommand(
        "takes that back; the operator learns that another suppression remains",
        one_of(on_address("suppression remove", "--customer-asked", "--json"), suppression_at("suppression remove")),
        without_hint,
    ),
    "suppression list": GlobalCommand(
        "lists those of all shops", lambda *_: Command("suppression list", ("--json",)), own_objects
    ),
    "privacy erase": GlobalCommand(
        "a person is forgotten by the whole service, on purpose",
        one_of(on_address("privacy erase", "--yes"), on_address("privacy erase", "--yes", "--keep-reviews")),
        code_alone,
    ),
    "privacy export": GlobalCommand(
        "a person gets all that is held", on_address("privacy export", "--json"), own_objects
    ),
    "privacy purge": GlobalCommand(
        "erases what is older than the retention period", lambda *_: Command("privacy purge"), code_alone
    ),
    "signing-key list": GlobalCommand(
        "all statements have the same keys", lambda *_: Command("signing-key list", ("--json",))
    ),
    "signing-key rotate": GlobalCommand(
        "the same", one_of(shop_command("signing-key rotate"), shop_command("signing-key rotate", "--now"))
    ),
    "signing-key compromised": GlobalCommand("the same", _a_signing_key),
    "db migrate": GlobalCommand("the whole database", lambda *_: Command("db migrate", ("--json",))),
    "db check": GlobalCommand(
        "the whole database; it is sound in both environments", lambda *_: Command("db check", ("--json",))
    ),
    "db recount": GlobalCommand(
        "all shops; nothing is wrong in either environment", lambda *_: Command("db recount", ("--json",))
    ),
    "db reconcile": GlobalCommand(
        "the whole database; it is an older copy in neither environment",
        lambda *_: Command("db reconcile", ("--yes", "--json")),
    ),
    "db backup": GlobalCommand(
        "the whole database", lambda *_: Command("db backup", ("{copy}", "--json"), files={"copy": None}), code_alone
    ),
    "db restore": GlobalCommand(
        "the whole database; refused while it is in use",
        lambda *_: Command("db restore", ("{none}", "--yes"), files={"none": None}),
        code_alone,
    ),
    "db copy": GlobalCommand(
        "the whole database",
        lambda *_: Command(
            "db copy", ("sqlite:///{folder}/reviewinvite.db", "sqlite:///{target}"), files={"target": None}
        ),
        code_alone,
    ),
    "db finish-upgrade": GlobalCommand("the host's mark", lambda *_: Command("db finish-upgrade", ("--json",))),
    "db prepare-rollback": GlobalCommand("the host's mark", lambda *_: Command("db prepare-rollback", ("--json",))),
    "backup record": GlobalCommand(
        "the host's backups, by the machine's clock",
        one_of(shop_command("backup record"), shop_command("backup record", "--failed", "full")),
        code_alone,
    ),
}

NOT_RUN: Mapping[str, str] = {
    "serve": "runs until it is stopped; it answers the endpoints above, and sends what `worker` sends",
    "secret rotate": "seals all shops' key ring under another secret; tests/core/secret shows that all else stays",
    "demo": "works on a database of its own in memory, with a shop of its own",
    "prove": "works on databases of its own, with shops of its own",
    "init": "asks, and sets up a database that holds no shop yet",
    "doctor": "examines the installation, and shows nothing of a shop",
    "mail test": "the same",
    "settings show": "the same",
    "help": "the same",
}
