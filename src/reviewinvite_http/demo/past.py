"""The year before the demo begins: orders, and what customers and the shop wrote about them.

The last eight weeks are here; the orders before them are in `earlier.csv`.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from importlib.resources import files

import attrs

from reviewinvite_core import Language
from reviewinvite_core.values import HideReason


@attrs.frozen(kw_only=True)
class PastReview:
    """What a customer wrote, some days after the invitation, and what became of it."""

    rating: int
    text: str | None = None
    after_days: int = 1
    language: Language = Language.EN
    is_anonymous: bool = False
    reply: str | None = None
    edited: str | None = None
    hidden_for: HideReason | None = None
    is_withdrawn: bool = False


@attrs.frozen
class PastOrder:
    """An order by a customer with this first name; without a review, the customer never answered the invitation."""

    days_ago: int
    name: str
    review: PastReview | None = None

    @property
    def email(self) -> str:
        """The customer's address, in a domain that is reserved for examples."""
        return f"{self.name.lower()}@example.com"

    @property
    def language(self) -> Language | None:
        """The language in which the customer ordered; None for that of the shop."""
        return self.review.language if self.review else None


OPTED_OUT = "Kees"
"""A customer who unsubscribed after the first invitation, so the second order is not invited."""

CANCELLED = "Wout"
"""A customer whose invitation the shop cancelled."""

_NL = Language.NL

_LATEST: Sequence[PastOrder] = (
    PastOrder(
        57, "Anna", PastReview(rating=5, text="Great bread, and it was still warm. The crust is exactly as promised.")
    ),
    PastOrder(56, "Bram", PastReview(rating=4, text="Good rye. Delivered a little later than the hour I had chosen.")),
    PastOrder(55, "Kees"),
    PastOrder(54, "Femke", PastReview(rating=5, text="Snel geleverd. Lekker brood!", language=_NL)),
    PastOrder(52, "Joris"),
    PastOrder(
        51,
        "Sofie",
        PastReview(
            rating=2,
            text="Two of the six rolls were missing from the box.",
            reply="You are right, Sofie, and we are sorry. The two rolls are on their way, with a loaf from us.",
        ),
    ),
    PastOrder(50, "Daan", PastReview(rating=5)),
    PastOrder(48, "Lotte", PastReview(rating=5, text="The apple tart was gone before the coffee was ready.")),
    PastOrder(46, "Ruben"),
    PastOrder(45, "Noor", PastReview(rating=4, text="Prima desem, iets te donker naar mijn smaak.", language=_NL)),
    PastOrder(44, "Tess"),
    PastOrder(
        42,
        "Milan",
        PastReview(
            rating=3,
            text="The loaf was fine. The box was wet on one side.",
            after_days=2,
            edited="The loaf was fine, the box was wet on one side. They sent another the next morning.",
            reply="Thank you for telling us. We have changed to a coated box.",
        ),
    ),
    PastOrder(41, "Eva", PastReview(rating=5, text="My order every Saturday. Never once disappointed.")),
    PastOrder(39, "Joost"),
    PastOrder(38, "Yara", PastReview(rating=5, text="Best croissants in town, even by post.", is_anonymous=True)),
    PastOrder(36, "Sem"),
    PastOrder(35, "Fleur", PastReview(rating=4, text="Lovely packaging. I would have liked a choice of slices.")),
    PastOrder(33, "Thijs", PastReview(rating=5, after_days=3)),
    PastOrder(
        32,
        "Roos",
        PastReview(
            rating=1,
            text="The courier left it with the neighbours at 14 Mill Lane, second floor, and told nobody.",
            hidden_for=HideReason.PERSONAL_DATA,
        ),
    ),
    PastOrder(30, "Gijs"),
    PastOrder(
        29,
        "Vera",
        PastReview(rating=4, text="Heerlijke spelt. De bezorger belde netjes van tevoren.", after_days=2, language=_NL),
    ),
    PastOrder(27, "Luuk", PastReview(rating=5, text="Ordered at nine in the evening, at the door at seven.")),
    PastOrder(26, "Isa"),
    PastOrder(
        25,
        "Pim",
        PastReview(
            rating=1,
            text="It arrived a day late, and by then it was stale.",
            reply="That should not happen, Pim. Your money is on its way back to you.",
        ),
    ),
    PastOrder(23, "Nina", PastReview(rating=5, text="The sourdough keeps for days. So good with salted butter.")),
    PastOrder(22, "Kees"),
    PastOrder(21, "Hugo"),
    PastOrder(20, "Saar", PastReview(rating=5, text="Friendly answer to my question about nuts, within the hour.")),
    PastOrder(18, "Mees", PastReview(rating=3, text="Nice bread, but the delivery costs as much as the loaf.")),
    PastOrder(17, "Olga", PastReview(rating=2, text="Not for me.", is_withdrawn=True)),
    PastOrder(16, "Teun"),
    PastOrder(15, "Liv", PastReview(rating=5, text="Alweer raak. De krentenbollen zijn een aanrader.", language=_NL)),
    PastOrder(13, "Jip", PastReview(rating=4)),
    PastOrder(12, "Wout"),
    PastOrder(11, "Maud", PastReview(rating=5, text="A birthday cake by post: not a crumb out of place.")),
    PastOrder(9, "Cas"),
    PastOrder(8, "Anna", PastReview(rating=5, text="Second order, same crust. This is my baker now.")),
    PastOrder(7, "Stijn", PastReview(rating=4, text="Everything as ordered.", after_days=2)),
    PastOrder(6, "Bo"),
    PastOrder(5, "Elin", PastReview(rating=5, text="The seeded loaf is the best I have had outside Copenhagen.")),
    PastOrder(
        4, "Hidde", PastReview(rating=2, text="I asked for sliced bread and it came whole. Good bread, wrong order.")
    ),
    PastOrder(3, "Jet", PastReview(rating=5, text="Warm, quick and friendly.")),
    PastOrder(2, "Abel"),
    PastOrder(1, "Puck", PastReview(rating=4, text="Good bread. Will try the rye next.", after_days=0)),
)


def _earlier() -> Iterator[PastOrder]:
    text = files(__package__).joinpath("earlier.csv").read_text(encoding="utf-8")
    for row in csv.DictReader(text.splitlines()):
        language = Language(row["language"] or Language.EN)
        rating = row["rating"]
        review = PastReview(rating=int(rating), text=row["text"] or None, language=language) if rating else None
        yield PastOrder(int(row["days_ago"]), row["name"], review)


ORDERS: Sequence[PastOrder] = (*_earlier(), *_LATEST)
