"""What the command prints, with what differs from run to run replaced by what it is."""

from __future__ import annotations

import re
from collections.abc import Mapping

VARYING: Mapping[str, str] = {
    "ID": r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}",
    "KEY_ID": r"key_[0-9a-f]{16}",
    "MEMBER_ID": r"mem_[0-9a-f]{16}",
    "SIGN_IN_TOKEN": r"(?<=/sign-in/)[0-9A-Za-z_-]{43}",
    "SIGNING_KEY_ID": r"(?<![0-9A-Za-z_-])[0-9A-Za-z_-]{43}(?![0-9A-Za-z_-])",
    "SNIPPET_SECRET": r"rvs_[0-9a-f]{64}",
    "KEY": r"rvi_[0-9A-Za-z]{36}",
    "TOKEN": r"(?<=reviewinvite-verification=)[a-z2-7]{32}",
    "LAST_FOUR": r"(?<=\.\.\.)[0-9A-Za-z]{4}(?=  )|(?<=\"lastFour\": \")[0-9A-Za-z]{4}",
    "ADDRESS_HASH": r"(?<=\"addressHash\": \")[0-9a-f]{8}|^(?:Address \(hash\)  )?[0-9a-f]{8}$|^[0-9a-f]{8}(?=  )",
    "TIME": r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d{3}(?:\d{3})?Z)?",
    "CURSOR": r"(?<=--cursor )[0-9a-f]{13}-[0-9a-f]{32}",
    "STAMP": r"(?:(?<=before-restore-)|(?<=before-rotate-))\d{8}T\d{6}Z(?:-\d+)?",
    "BYTES": r"[\d.]+ [KM]iB(?=\.$)|(?<=\"bytes\": )\d+",
}


def masked(text: str) -> str:
    """Replace each value that varies by its kind."""
    for name, pattern in VARYING.items():
        text = re.sub(pattern, name, text, flags=re.MULTILINE)
    return text
