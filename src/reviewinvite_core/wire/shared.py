"""Members that several shapes have."""

from __future__ import annotations

from reviewinvite_core.domain.frequency import LONGEST_FREQUENCY_DAYS
from reviewinvite_core.domain.policy import LONGEST_DELAY_DAYS
from reviewinvite_core.wire.patterns import SITE_ID as SITE_ID_PATTERN
from reviewinvite_core.wire.shape import about

MOST_ON_A_PAGE = 100

ID = about(format="uuid", examples=["019cadd4-cbc8-73c1-9e5f-0a94c27d3b86"])
INSTANT = about("ISO 8601, UTC, milliseconds.", examples=["2026-03-02T09:15:30.120Z"])
SITE_ID = about(min_length=1, max_length=64, pattern=SITE_ID_PATTERN, example="bakkerij-de-molen")
LANGUAGE = about(example="nl")
ORDER_NUMBER = about("The order number of the shop.", examples=["1001"])
SOURCE = about("Where the order was first reported.", examples=["api"])
CONFIRMED = about(
    "Whether anything but an open snippet reported the order, before its review was first written.", example=True
)
DELAY_DAYS = about(
    "Days until an invitation is due, with fractions, unless an order names another delay.",
    minimum=0,
    maximum=LONGEST_DELAY_DAYS,
    examples=[5],
)
FREQUENCY_DAYS = about(
    "One address is invited at most once in this many days; 0 means once for each order.",
    minimum=0,
    maximum=LONGEST_FREQUENCY_DAYS,
    examples=[0],
)
SNIPPET = about(
    "Which orders are accepted from web pages: all, those with a correct signature, or none.", example="open"
)
