"""Every e-mail as a mail program draws it: narrow and wide, light and dark. The samples are those of the previews."""

from __future__ import annotations

import email
import itertools
from email import policy

import pytest
from tests.browser.accessibility import violations
from tests.browser.page_visit import PageVisit, TakePicture
from tests.docs.test_pages import program

from reviewinvite_core.ports import Message

OF_THE_MAIL_PROGRAM = ("landmark-one-main", "region")  # an e-mail is a part of its page
OVERFLOW = "document.documentElement.scrollWidth - innerWidth"
SAMPLES: dict[str, Message] = dict(program("preview_e_mails").messages())


@pytest.mark.parametrize("name", SAMPLES)
def test_it_fits_any_window_and_can_be_read(visit: PageVisit, take_picture: TakePicture, name: str) -> None:
    body = email.message_from_bytes(SAMPLES[name].content, policy=policy.default).get_body(("html",))
    assert body
    visit.tab.set_content(body.get_content())
    for width, scheme in itertools.product((320, 360, 800), ("light", "dark")):
        visit.tab.set_viewport_size({"width": width, "height": 800})
        visit.tab.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
        take_picture(f"e-mail-{name}-{width}-{scheme}", full_page=True)
        assert visit.tab.evaluate(OVERFLOW) <= 0
        assert [each for each in violations(visit.tab) if not each.startswith(OF_THE_MAIL_PROGRAM)] == []
