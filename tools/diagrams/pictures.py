"""The pictures that are laid out by hand: an order's way, the hand-over, key rotation, one and several machines."""

from __future__ import annotations

from tools.diagrams.sequences import Phase, Step, draw_sequence
from tools.diagrams.svg import ACCENT, LINE, Drawing


def order() -> str:
    """Return an order's way, from the report to the badge."""
    shop, service, storage, mail, customer = "shop", "service", "database", "mail server", "customer"
    return draw_sequence(
        "The path of an order",
        [shop, service, storage, mail, customer],
        [
            Phase("the order is completed"),
            Step(shop, service, "POST /v1/orders"),
            Step(service, storage, "check limit, dedup key\nand suppressions; store"),
            Step(storage, service, "committed to disk", answer=True),
            Step(service, shop, "201 inviteId\n(a repeat: 200, same id)", answer=True),
            Phase("days later: the invitation is due"),
            Step(service, storage, "claim, then fence"),
            Step(service, mail, "the e-mail"),
            Step(mail, service, "250", answer=True),
            Step(service, storage, "sent"),
            Step(mail, customer, "invitation with a link"),
            Phase("the customer reviews"),
            Step(customer, service, "open the link, send the form"),
            Step(service, storage, "review and score"),
            Phase("from then on"),
            Step(service, shop, "badge, public page, API", answer=True),
        ],
    )


def hand_over() -> str:
    """Return the two phases of a delivery, with the fence between them."""
    worker, storage, mark, mail = "worker", "database", "mark file", "mail server"
    return draw_sequence(
        "The two-phase hand-over",
        [worker, storage, mark, mail],
        [
            Phase("phase 1: stage (a crash here costs nothing: nothing was sent)"),
            Step(worker, storage, "claimed, with a lease"),
            Step(worker, mail, "MAIL, RCPT, DATA and the message, without its end"),
            Phase("the fence"),
            Step(worker, storage, "handing_over, number n"),
            Step(storage, worker, "committed to disk", answer=True),
            Step(worker, mark, "n, synced to disk"),
            Phase("phase 2: commit (a crash here makes it uncertain, never sent twice)"),
            Step(worker, mail, "the end of the message"),
            Step(mail, worker, "250: accepted", answer=True),
            Step(worker, storage, "sent"),
            Phase("if the answer is lost"),
            Step(storage, storage, "uncertain, once the lease ends:\nan operator decides", alert=True),
        ],
    )


def key_rotation() -> str:
    """Return which key is a standby, signs and is still published, over time."""
    drawing = Drawing("Signing keys over time")
    left, scale, row = 130, 190, 58
    moments = ("first request", "rotate", "rotate", "")
    for number, moment in enumerate(moments[:3]):
        x = left + number * scale
        drawing.path(f"M{x} 34L{x} {60 + 4 * row}", dashed=True)
        drawing.text(x, 26, moment, bold=True, color=ACCENT)
    bars = (
        ("key 1", ((0, 1, "signs"), (1, 1.45, "published"))),
        ("key 2", ((0, 1, "standby, 24 h or more"), (1, 2, "signs"), (2, 2.45, "published"))),
        ("key 3", ((1, 2, "standby, 24 h or more"), (2, 3, "signs"))),
        ("key 4", ((2, 3, "standby"),)),
    )
    fills = {"signs": "#cfe0fa", "published": "#f3f3f3"}
    for number, (name, parts) in enumerate(bars):
        y = 50 + number * row
        drawing.text(left - 14, y + 22, name, anchor="end", bold=True)
        for begin, end, text in parts:
            fill = fills.get(text, "#fff6e0")
            drawing.box(left + begin * scale, y, (end - begin) * scale, 36, [], fill=fill)
            drawing.text(left + (begin + end) * scale / 2, y + 22, text, ground=fill)
    y = 60 + 4 * row
    drawing.arrow(left - 20, y, left + 3 * scale + 20, y)
    drawing.text(left + 3 * scale, y + 20, "time", anchor="end")
    drawing.text(
        left, y + 20, "published: for 11 minutes, until its last statement has expired", anchor="start", color=LINE
    )
    return str(drawing)


def machines() -> str:
    """Return what runs on one machine with SQLite, and on several with PostgreSQL."""
    drawing = Drawing("One machine, and several")
    drawing.text(16, 28, "One machine", anchor="start", bold=True, color=ACCENT)
    drawing.box(16, 40, 150, 44, ["shops, customers", "visitors"], fill="#fff")
    drawing.box(210, 40, 120, 44, ["proxy", "TLS"])
    drawing.box(374, 40, 150, 44, ["serve", "with its worker"])
    drawing.box(374, 124, 150, 60, ["reviewinvite.db", ".secret  .mark"], fill="#fff6e0")
    drawing.box(568, 40, 130, 44, ["mail server"], fill="#fff")
    drawing.arrow(166, 62, 209, 62)
    drawing.arrow(330, 62, 373, 62)
    drawing.arrow(449, 84, 449, 123)
    drawing.arrow(524, 62, 567, 62)
    top = 216
    drawing.path(f"M16 {top}L698 {top}", dashed=True)
    drawing.text(16, top + 26, "Several machines", anchor="start", bold=True, color=ACCENT)
    drawing.box(16, top + 100, 150, 44, ["shops, customers", "visitors"], fill="#fff")
    drawing.box(210, top + 100, 120, 44, ["load balancer", "asks /readyz"])
    drawing.arrow(166, top + 122, 209, top + 122)
    for number, lines in enumerate(
        (["serve", "own mark file"], ["serve", "own mark file"], ["worker", "own mark file"])
    ):
        y = top + 40 + number * 60
        drawing.box(374, y, 150, 44, lines)
        if lines[0] == "serve":
            drawing.arrow(330, top + 122, 373, y + 22)
        drawing.arrow(524, y + 22, 567, top + 88)
        drawing.arrow(524, y + 22, 567, top + 190)
    drawing.box(568, top + 60, 130, 60, ["PostgreSQL", "one primary", "(and standbys)"], fill="#fff6e0")
    drawing.box(568, top + 168, 130, 44, ["mail server"], fill="#fff")
    drawing.text(16, top + 240, "All have the same DATABASE_URL and the same SECRET.", anchor="start", color=LINE)
    return str(drawing)
