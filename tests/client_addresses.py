"""Client addresses as attackers write them."""

from __future__ import annotations

import random
from ipaddress import IPv4Address, IPv6Address

SPOOFED_FORMS = 10_000


def spoofed_forms() -> list[list[str]]:
    """What an attacker may write before the one hop that the trusted proxy adds itself."""
    draw = random.Random(20)  # noqa: S311 - the same in every run

    def a_hop() -> str:
        v4, v6 = str(IPv4Address(draw.getrandbits(32))), str(IPv6Address(draw.getrandbits(128)))
        return draw.choice(
            [
                v4,
                v6,
                f"[{v6}]",
                f"[{v6}]:{draw.randrange(70000)}",
                f"{v4}:{draw.randrange(70000)}",
                f"::ffff:{v4}",
                f"10.{draw.randrange(256)}.0.1",
                f"fe80::1%{draw.randrange(9)}",
                draw.choice(
                    ["", " ", "unknown", "localhost", "for=1.2.3.4", '"1.2.3.4"', "\t", ",", "127.0.0.1", "::"]
                ),
                "".join(chr(draw.randrange(32, 256)) for _ in range(draw.randrange(12))),
            ]
        )

    def a_form() -> list[str]:
        spoofed = draw.choice([",", ", ", " , ", ",,", ";"]).join(a_hop() for _ in range(draw.randrange(6)))
        real = draw.choice(["203.0.113.9", f"203.0.113.9:{draw.randrange(65536)}", "::ffff:203.0.113.9"])
        behind = draw.choice(["", ", 10.1.2.3", ", 10.1.2.3, 10.9.9.9:80"])
        if draw.random() < 0.5:
            return [spoofed, real + behind]
        return [f"{spoofed}, {real}{behind}"]

    forms: dict[tuple[str, ...], list[str]] = {}
    while len(forms) < SPOOFED_FORMS:
        form = a_form()
        forms[tuple(form)] = form
    return list(forms.values())
