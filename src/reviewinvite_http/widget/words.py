"""Texts of a badge in its language (ADR-37); the script that draws it has no texts of its own."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

from reviewinvite_core.texts import texts_in
from reviewinvite_core.values import Badge

_TENTH = Decimal("0.1")


def badge_words(badge: Badge, issuer: str) -> dict[str, str]:
    """Return a badge's texts, and an accessible name (`label`) of what it shows; no `mean` if there are no reviews.

    `issuer` is the operator's name, or the service's host.
    """
    texts = texts_in(badge.language)
    mean, count = badge.score.mean, badge.score.count
    seen = {"mark": texts.gettext("Trust mark")}
    said = [seen["mark"]] if badge.status == "trusted" else []
    if mean is None:
        seen["count"] = texts.gettext("No reviews yet")
    else:
        seen["mean"] = texts.decimal(str(Decimal(mean).quantize(_TENTH, ROUND_HALF_UP)))
        said.append(texts.gettext("%(mean)s out of 5 stars", mean=seen["mean"]))
        seen["count"] = texts.ngettext("%(shown)s review", "%(shown)s reviews", count, shown=texts.number(count))
    issuer = f"\u2068{issuer}\u2069"
    seen["issuer"] = texts.gettext("via %(issuer)s", issuer=issuer)
    seen["title"] = texts.gettext("Badge issued by %(issuer)s", issuer=issuer)
    facts = ", ".join([*said, seen["count"], seen["issuer"]])
    name = f"\u2068{badge.name}\u2069"  # isolated, because its writing direction may differ from the sentence's
    return {**seen, "label": texts.gettext("%(shop)s: %(facts)s (opens in a new tab)", shop=name, facts=facts)}
