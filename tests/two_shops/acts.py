"""All that can be asked of the service, as acts of one shop (its people, its customers, its operator), or of all shops.

Each case makes an act out of what its shop knows, and of dice. Nothing else: the same act goes to both worlds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import TypeAlias
from urllib.parse import urlencode

import attrs
from tests.two_shops.world import Ask, Run

UNKNOWN = "019cadd4-cbc8-73c1-9e5f-0a94c27d3b86"
EMAILS = ("anna@example.com", "anna@example.com", "bert@example.nl", "gone@example.com", "lost@example.com")
NUMBERS = ("1001", "1002", "1003")
TEXTS = ("Snel geleverd.", "Snel geleverd.", "Nooit meer!\nEcht niet.", "")
ON_JSON = ("Content-Type", "application/json")
ON_FORM = ("Content-Type", "application/x-www-form-urlencoded")


@attrs.define(kw_only=True)
class Side:
    """A shop, and what it has been told so far."""

    site: str
    host: str
    ip: str
    keys: list[str] = attrs.field(factory=list)  # of the first nothing is taken by dice
    key_ids: list[str] = attrs.field(factory=list)
    invitations: list[str] = attrs.field(factory=list)
    reviews: list[str] = attrs.field(factory=list)
    cursors: list[str] = attrs.field(factory=list)
    review_tokens: list[str] = attrs.field(factory=list)
    unsubscribe_tokens: list[str] = attrs.field(factory=list)
    speaks_for_all: bool = False  # whether its customers may opt out of every shop
    signing_keys: list[str] = attrs.field(factory=list)

    def learn(self, said: str) -> None:
        """Remember the ids, keys and places in what was answered to it."""
        for known, pattern in (
            (self.invitations, r'"inviteId": ?"([^"]+)"'),
            (self.reviews, r'"reviewId": ?"([^"]+)"'),
            (self.cursors, r'"cursor": ?"([^"]+)"'),
            (self.cursors, r"[?&]after=([0-9a-f-]+)"),
            (self.key_ids, r'"keyId": ?"(key_[^"]+)"'),
            (self.keys, r'"key": ?"(rvi_[^"]+)"'),
        ):
            known += [each for each in dict.fromkeys(re.findall(pattern, said)) if each not in known]


Case: TypeAlias = Callable[[Side, Side, Random], Ask | Run]


def _mixed(mine: Sequence[str], theirs: Sequence[str], dice: Random) -> str:
    """Mostly one's own, at times the other's, at times nobody's."""
    pool = dice.choices((mine, theirs, [UNKNOWN]), (6, 3, 1))[0] or [UNKNOWN]
    return dice.choice(pool)


def _own(mine: Sequence[str], dice: Random) -> str:
    return dice.choice(mine) if mine and dice.random() < 0.95 else UNKNOWN


def _with_key(mine: Side, dice: Random) -> tuple[str, str]:
    return "Authorization", f"Bearer {dice.choice(mine.keys[1:] or ['rvi_none'])}"


def _query(dice: Random, **parameters: str) -> str:
    """Some of these parameters."""
    chosen = {name: value for name, value in parameters.items() if value and dice.random() < 0.5}
    return f"?{urlencode(chosen)}" if chosen else ""


def _an_order(dice: Random) -> dict[str, object]:
    order: dict[str, object] = {"email": dice.choice(EMAILS)}
    if dice.random() < 0.9:
        order["orderNumber"] = dice.choice(NUMBERS)
    return order


# --- HTTP


def report(mine: Side, _: Side, dice: Random) -> Ask:
    order = {**_an_order(dice), "delayDays": dice.choice((0, 0, 1, 5))}
    if dice.random() < 0.1:
        order["phone"] = "0"
    return Ask(
        method="POST", path="/v1/orders", body=json.dumps(order).encode(), headers=(_with_key(mine, dice), ON_JSON)
    )


def reviews(mine: Side, theirs: Side, dice: Random) -> Ask:
    cursor = _mixed(mine.cursors, theirs.cursors, dice)
    asked = _query(
        dice, cursor=cursor, limit=dice.choice(("1", "2", "100")), since=dice.choice(("2026-03-02", "2026-03-04"))
    )
    return Ask(method="GET", path=f"/v1/reviews{asked}", headers=(_with_key(mine, dice),))


def reply(mine: Side, theirs: Side, dice: Random) -> Ask:
    body = json.dumps({"text": dice.choice(("Dank u!", "Dank u!", ""))}).encode()
    path = f"/v1/reviews/{_mixed(mine.reviews, theirs.reviews, dice)}/reply"
    return Ask(method="POST", path=path, body=body, headers=(_with_key(mine, dice), ON_JSON))


def invitations(mine: Side, theirs: Side, dice: Random) -> Ask:
    cursor = _mixed(mine.cursors, theirs.cursors, dice)
    asked = _query(dice, cursor=cursor, limit=dice.choice(("1", "2", "100")), orderNumber=dice.choice(NUMBERS))
    return Ask(method="GET", path=f"/v1/invitations{asked}", headers=(_with_key(mine, dice),))


def invitation(mine: Side, theirs: Side, dice: Random) -> Ask:
    path = f"/v1/invitations/{_mixed(mine.invitations, theirs.invitations, dice)}"
    return Ask(method="GET", path=path, headers=(_with_key(mine, dice),))


def cancel(mine: Side, theirs: Side, dice: Random) -> Ask:
    path = f"/v1/invitations/{_mixed(mine.invitations, theirs.invitations, dice)}/cancel"
    return Ask(method="POST", path=path, headers=(_with_key(mine, dice),))


def snippet(mine: Side, theirs: Side, dice: Random) -> Ask:
    """From one's own page about one's own shop, or one of the two is the other's: that is refused."""
    site, host = dice.choices(((mine.site, mine.host), (theirs.site, mine.host), (mine.site, theirs.host)), (8, 1, 1))[
        0
    ]
    body = json.dumps({"siteId": site, **_an_order(dice)}).encode()
    headers = (("Origin", f"https://{host}"), ON_JSON)
    return Ask(method="POST", path="/v1/orders/snippet", body=body, headers=headers, ip=mine.ip)


def review_page(mine: Side, _: Side, dice: Random) -> Ask:
    token = _own([*mine.review_tokens, *mine.unsubscribe_tokens[:1]], dice)
    return Ask(method="GET", path=f"/r/{token}{_query(dice, language=dice.choice(('nl', 'en')))}")


def write_review(mine: Side, _: Side, dice: Random) -> Ask:
    form = {"rating": dice.choice("12345"), "text": dice.choice(TEXTS), "author": dice.choice(("", "Anna"))}
    if dice.random() < 0.15:
        form["action"] = "withdraw"
    body = urlencode(form).encode()
    return Ask(method="POST", path=f"/r/{_own(mine.review_tokens, dice)}", body=body, headers=(ON_FORM,))


def unsubscribe_page(mine: Side, _: Side, dice: Random) -> Ask:
    return Ask(method="GET", path=f"/u/{_own(mine.unsubscribe_tokens, dice)}")


def unsubscribe(mine: Side, _: Side, dice: Random) -> Ask:
    everywhere = mine.speaks_for_all and dice.random() < 0.2
    body = b"everywhere=yes" if everywhere else b"List-Unsubscribe=One-Click"
    return Ask(method="POST", path=f"/u/{_own(mine.unsubscribe_tokens, dice)}", body=body, headers=(ON_FORM,))


def verify(mine: Side, _: Side, dice: Random) -> Ask:
    headers = (("Accept", dice.choice(("application/json", "application/jose"))),)
    return Ask(method="GET", path=f"/v1/verify/{mine.site}", headers=headers)


def shop_page(mine: Side, theirs: Side, dice: Random) -> Ask:
    asked = _query(dice, language="en", after=_mixed(mine.cursors, theirs.cursors, dice))
    return Ask(method="GET", path=f"/shops/{mine.site}{asked}")


def widget(mine: Side, theirs: Side, dice: Random) -> Ask:
    page = dice.choice((f"https://www.{mine.host}/", f"https://{theirs.host}/", None))
    return Ask(method="GET", path=f"/w/{mine.site}.js", headers=(("Referer", page),) if page else ())


def snippet_script(mine: Side, theirs: Side, dice: Random) -> Ask:
    return Ask(method="GET", path=f"/s/{dice.choice((mine.site, theirs.site))}.js")


def plain(path: str) -> Case:
    return lambda *_: Ask(method="GET", path=path)


ENDPOINTS: Mapping[tuple[str, str], Case] = {
    ("POST", "/v1/orders"): report,
    ("GET", "/v1/reviews"): reviews,
    ("POST", "/v1/reviews/{review_id}/reply"): reply,
    ("GET", "/v1/invitations"): invitations,
    ("GET", "/v1/invitations/{invite_id}"): invitation,
    ("POST", "/v1/invitations/{invite_id}/cancel"): cancel,
    ("POST", "/v1/orders/snippet"): snippet,
    ("GET", "/s/{name}"): snippet_script,
    ("GET", "/r/{token}"): review_page,
    ("POST", "/r/{token}"): write_review,
    ("GET", "/u/{token}"): unsubscribe_page,
    ("POST", "/u/{token}"): unsubscribe,
    ("GET", "/v1/verify/{name}"): verify,
    ("GET", "/v1/badge/public-keys"): plain("/v1/badge/public-keys"),
    ("GET", "/shops/{site_id}"): shop_page,
    ("GET", "/w/{name}"): widget,
    ("GET", "/healthz"): plain("/healthz"),
    ("GET", "/readyz"): plain("/readyz"),
    ("GET", "/v1/openapi.json"): plain("/v1/openapi.json"),
}


def otherwise(method: str, case: Case) -> Case:
    """The same request by HEAD or OPTIONS, which go with every address that has a GET, or anything."""
    return lambda mine, theirs, dice: attrs.evolve(case(mine, theirs, dice), method=method, body=b"")


# --- commands that name a shop, or one thing of a shop's


def command(name: str, *options: str) -> Case:
    """The command about the shop; `{site}` and `{host}` are its own."""

    def case(mine: Side, _: Side, dice: Random) -> Run:
        return Run(name, _perhaps_json(dice, *(each.format(site=mine.site, host=mine.host) for each in options)))

    return case


def about(name: str, of: str, *options: str) -> Case:
    """The command about one of the shop's `invitations`, `reviews` or `key_ids`."""

    def case(mine: Side, _: Side, dice: Random) -> Run:
        own = getattr(mine, of)[1:] if of == "key_ids" else getattr(mine, of)
        return Run(name, _perhaps_json(dice, _own(own, dice), *options))

    return case


def _perhaps_json(dice: Random, *options: str) -> Sequence[str]:
    return (*options, "--json") if dice.random() < 0.6 else options


def either(*cases: Case) -> Case:
    return lambda mine, theirs, dice: dice.choice(cases)(mine, theirs, dice)


def order_report(mine: Side, _: Side, dice: Random) -> Run:
    options = [mine.site, dice.choice(EMAILS), "--delay-days", dice.choice(("0", "0", "2"))]
    options += ["--order-number", dice.choice(NUMBERS)] if dice.random() < 0.9 else []
    return Run("order report", _perhaps_json(dice, *options))


def order_import(mine: Side, _: Side, dice: Random) -> Run:
    lines = [f"{dice.choice(EMAILS)},{dice.choice(NUMBERS)},0" for _ in range(3)]
    text = "\n".join(["email,orderNumber,delayDays", *lines, "nobody,1,0", ""])
    return Run("order import", (mine.site, "{orders}", "--verbose", "--json"), files={"orders": text})


def verify_file(mine: Side, theirs: Side, dice: Random) -> Run:
    statement = verify(mine, theirs, dice)
    assert isinstance(statement, Ask)
    keys = Ask(method="GET", path="/v1/badge/public-keys")
    options = ("{statement}", "--keys", "{keys}", "--site", mine.site)
    return Run("verify", _perhaps_json(dice, *options), files={"statement": statement, "keys": keys})


def suppression_at(name: str) -> Case:
    def case(mine: Side, _: Side, dice: Random) -> Run:
        asked = ("--customer-asked",) if name.endswith("remove") else ()
        return Run(name, _perhaps_json(dice, dice.choice(EMAILS), "--site", mine.site, *asked))

    return case


def badge_set(mine: Side, _: Side, dice: Random) -> Run:
    look = ("--theme", dice.choice(("dark", "light")), "--size", dice.choice(("small", "large")))
    return Run("badge set", _perhaps_json(dice, mine.site, *look))


OWN_COMMANDS: Mapping[str, Case] = {
    "shop add": command("shop add", "{site}", "--name", "Bakkerij"),
    "shop show": command("shop show", "{site}"),
    "shop set": either(
        command("shop set", "{site}", "--language", "en"),
        command("shop set", "{site}", "--name", "Bakkerij De Zon", "--language", "nl"),
        command("shop set", "{site}", "--delay-days", "3", "--reply-to", "shop@example.com"),
    ),
    "shop deactivate": command("shop deactivate", "{site}"),
    "shop activate": command("shop activate", "{site}"),
    "key create": command("key create", "{site}", "--label", "web shop"),
    "key list": command("key list", "{site}"),
    "key revoke": about("key revoke", "key_ids"),
    "domain add": either(
        command("domain add", "{site}", "{host}", "--assume-verified"), command("domain add", "{site}", "shop.{host}")
    ),
    "domain check": either(
        command("domain check", "{site}", "{host}"), command("domain check", "{site}", "shop.{host}")
    ),
    "domain list": command("domain list", "{site}"),
    "domain remove": either(
        command("domain remove", "{site}", "{host}"), command("domain remove", "{site}", "shop.{host}")
    ),
    "trustmark grant": command("trustmark grant", "{site}"),
    "trustmark revoke": command("trustmark revoke", "{site}"),
    "order report": order_report,
    "order import": order_import,
    "snippet embed": command("snippet embed", "{site}"),
    "badge set": badge_set,
    "badge embed": command("badge embed", "{site}"),
    "invitation list": either(
        command("invitation list", "--site", "{site}"),
        command("invitation list", "--site", "{site}", "--limit", "2"),
        command("invitation list", "--site", "{site}", "--state", "uncertain"),
        command("invitation list", "--site", "{site}", "--state", "sent"),
    ),
    "invitation show": about("invitation show", "invitations"),
    "invitation cancel": about("invitation cancel", "invitations"),
    "invitation send-now": about("invitation send-now", "invitations"),
    "invitation resolve": either(
        about("invitation resolve", "invitations", "--sent"),
        about("invitation resolve", "invitations", "--resend", "--yes"),
    ),
    "review list": either(
        command("review list", "--site", "{site}"),
        command("review list", "--site", "{site}", "--limit", "1"),
        command("review list", "--site", "{site}", "--state", "published"),
    ),
    "review show": about("review show", "reviews"),
    "review hide": about("review hide", "reviews", "--reason", "spam"),
    "review show-again": about("review show-again", "reviews"),
    "review reply": about("review reply", "reviews", "Dank u wel!"),
    "suppression add": suppression_at("suppression add"),
    "verify": verify_file,
}


# --- commands about all shops, by their nature: both worlds run them, and what of the answer is one shop's is the same


@attrs.frozen
class Everyones:
    """What a command about all shops is for, how it is run, and what of its answer no neighbour can change."""

    why: str
    case: Case
    seen: Callable[[str, Side], str] = lambda said, _: said


def code_alone(said: str, _: Side) -> str:
    """How it ended; the rest are figures of all shops."""
    return said.partition("\n")[0]


def own_objects(said: str, mine: Side) -> str:
    """Of lists of JSON objects those that are the shop's, or no shop's."""
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


def without_hint(said: str, _: Side) -> str:
    return said.split(" It is elsewhere:")[0].strip()


def own_lines(said: str, mine: Side) -> str:
    """Of a log the lines about the shop's invitations."""
    return "\n".join(line for line in said.split("\n") if any(each in line for each in mine.invitations))


def a_person(name: str, *options: str) -> Case:
    return lambda _, __, dice: Run(name, (dice.choice(EMAILS), *options))


def _a_signing_key(mine: Side, _: Side, dice: Random) -> Run:
    return Run("signing-key compromised", (_own(mine.signing_keys, dice), "--json"))


EVERYONES_COMMANDS: Mapping[str, Everyones] = {
    "worker": Everyones("sends what is due, whosever it is", lambda *_: Run("worker", ("--once", "--json")), own_lines),
    "shop list": Everyones("lists all shops", lambda *_: Run("shop list", ("--json",)), own_objects),
    "suppression add": Everyones(
        "without --site a person is not to be written to by anybody", a_person("suppression add", "--json"), own_objects
    ),
    "suppression remove": Everyones(
        "takes that back; where a person is suppressed elsewhere, the operator is told that there is more",
        either(a_person("suppression remove", "--customer-asked", "--json"), suppression_at("suppression remove")),
        without_hint,
    ),
    "suppression list": Everyones(
        "lists those of all shops", lambda *_: Run("suppression list", ("--json",)), own_objects
    ),
    "privacy erase": Everyones(
        "a person is forgotten by the whole service, on purpose",
        either(a_person("privacy erase"), a_person("privacy erase", "--keep-reviews")),
        code_alone,
    ),
    "privacy export": Everyones("a person is told all", a_person("privacy export", "--json"), own_objects),
    "privacy purge": Everyones("forgets all whose time is over", lambda *_: Run("privacy purge"), code_alone),
    "signing-key list": Everyones("all statements have the same keys", lambda *_: Run("signing-key list", ("--json",))),
    "signing-key rotate": Everyones(
        "the same", either(command("signing-key rotate"), command("signing-key rotate", "--now"))
    ),
    "signing-key compromised": Everyones("the same", _a_signing_key),
    "db migrate": Everyones("the whole database", lambda *_: Run("db migrate", ("--json",))),
    "db check": Everyones("the whole database; in both it is sound", lambda *_: Run("db check", ("--json",))),
    "db recount": Everyones("all shops; in both nothing is wrong", lambda *_: Run("db recount", ("--json",))),
    "db reconcile": Everyones(
        "the whole database; in both it is no older copy", lambda *_: Run("db reconcile", ("--json",))
    ),
    "db backup": Everyones(
        "the whole database", lambda *_: Run("db backup", ("{copy}", "--json"), files={"copy": None}), code_alone
    ),
    "db restore": Everyones(
        "the whole database; refused while it is in use",
        lambda *_: Run("db restore", ("{none}",), files={"none": None}),
        code_alone,
    ),
    "db copy": Everyones(
        "the whole database",
        lambda *_: Run("db copy", ("sqlite:///{folder}/reviewinvite.db", "sqlite:///{target}"), files={"target": None}),
        code_alone,
    ),
}

NOT_RUN: Mapping[str, str] = {
    "serve": "runs until it is stopped; all that it answers are the endpoints above, and what it sends is `worker`'s",
    "secret rotate": "seals the one ring of all shops anew; nothing that the ring protects changes (tests/core/secret)",
    "demo": "works on a database of its own in memory, with a shop of its own",
}
