"""A badge is where its tag is: however the tag came into the page, and wherever it goes."""

from __future__ import annotations

from itertools import pairwise

import pytest
from tests.browser.badge_rendering import NAME, RenderedBadge, rendered_badges
from tests.browser.fake_web import BASE_URL, HOST, SITE, FakeWeb
from tests.browser.page_visit import ConsoleLog, PageVisit, serve_page
from tests.budgets import others_in_full
from tests.waiting import wait_until

SOURCE = f"{BASE_URL}/w/{SITE}.js"
PAGE = f"https://{HOST}/"


def tag(name: str = "one", mode: str = "async") -> str:
    return f'<script {mode} id="{name}" src="{SOURCE}"></script>'


def open_page(visit: PageVisit, web: FakeWeb, content: str) -> list[RenderedBadge]:
    """Open a page with this content, wait for all its scripts, and return its badges."""
    visit.open(serve_page(web, PAGE, content))
    visit.assert_undisturbed()
    return rendered_badges(visit.tab)


def do(visit: PageVisit, script: str) -> None:
    """Have the page's own script do this, and give the badges time to follow."""
    visit.tab.evaluate(f"() => {{ const one = document.getElementById('one'); {script} }}")
    visit.tab.wait_for_timeout(80)  # it looks again after 50


def are_behind(visit: PageVisit, *names: str) -> bool:
    """Wait until there are just these badges: each behind the tag of its name, and no empty one."""

    def found() -> bool:
        scripts = [badge.script_id for badge in rendered_badges(visit.tab)] if visit.tab.locator(NAME).count() else []
        return scripts == list(names) and visit.tab.locator(NAME).count() == len(names)

    wait_until(found)
    return True


@pytest.mark.parametrize(
    "mode", others_in_full(["async", "defer", "", 'type="module"', 'type="module" async', "nomodule=no-no"], "async")
)
def test_every_kind_of_tag_draws_one_behind_itself(
    visit: PageVisit, web: FakeWeb, console_log: ConsoleLog, mode: str
) -> None:
    mode = mode.replace("nomodule=no-no", 'data-x="1" crossorigin')
    open_page(visit, web, f"<p>Voor</p>{tag(mode=mode)}<p>Na</p>")
    assert are_behind(visit, "one")
    assert console_log.lines == []


@pytest.mark.parametrize("mode", others_in_full(["async", "defer", "", 'type="module"'], 'type="module"'))
def test_two_tags_draw_two_badges(visit: PageVisit, web: FakeWeb, console_log: ConsoleLog, mode: str) -> None:
    open_page(visit, web, f"<p>{tag('one', mode)}</p><div>{tag('two', mode)}</div>")
    assert are_behind(visit, "one", "two")
    assert console_log.lines == []


def test_two_tags_beside_each_other_draw_two_badges(visit: PageVisit, web: FakeWeb) -> None:
    open_page(visit, web, tag("one") + tag("two"))
    assert are_behind(visit, "one", "two")


INSERTED = {"a tag": "", "a module": "one.type = 'module';", "one that is not async": "one.async = false;"}


@pytest.mark.parametrize("kind", others_in_full(INSERTED, "a tag"))
def test_a_tag_that_a_script_inserts_draws_one(visit: PageVisit, web: FakeWeb, kind: str) -> None:
    open_page(visit, web, "<div id='place'></div>")
    visit.tab.evaluate(
        "const one = document.createElement('script'); one.id = 'one';"
        f"{INSERTED[kind]} one.src = '{SOURCE}'; place.append(one);"
    )
    wait_until(lambda: visit.tab.locator(NAME).count())
    assert are_behind(visit, "one")


def test_a_tag_in_the_head_draws_nothing_until_it_is_moved_into_the_body(visit: PageVisit, web: FakeWeb) -> None:
    open_page(visit, web, "")
    visit.tab.evaluate(
        "const one = document.createElement('script'); one.id = 'one';"
        f"one.src = '{SOURCE}'; one.onload = () => {{ window.loaded = true; }}; document.head.append(one);"
    )
    visit.tab.wait_for_function("window.loaded")
    assert are_behind(visit)
    do(visit, "document.body.append(one);")
    assert are_behind(visit, "one")


def test_a_loader_that_runs_the_script_elsewhere_draws_behind_the_tag_that_names_it(
    visit: PageVisit, web: FakeWeb
) -> None:
    inert = tag(mode='type="text/plain"')
    open_page(visit, web, f"<div>{inert}</div>")
    visit.tab.evaluate(
        f"const run = document.createElement('script'); run.src = '{SOURCE}'; document.head.append(run);"
        "run.onload = () => run.remove();"
    )
    wait_until(lambda: visit.tab.locator(NAME).count())
    assert are_behind(visit, "one")


def test_a_page_that_hides_the_running_script_behind_a_name_of_its_own_still_shows_it(
    visit: PageVisit, web: FakeWeb
) -> None:
    open_page(visit, web, f'<img name="currentScript" alt="">{tag()}')
    assert are_behind(visit, "one")


MOVES = {
    "to another place": "there.append(one);",
    "out and in again": "one.remove(); there.append(one);",
    "twice": "there.append(one); document.body.prepend(one);",
    "with all around it": "there.append(one.parentElement);",
    "within its place": "one.parentElement.append(one);",
}


@pytest.mark.parametrize("move", others_in_full(MOVES, "to another place"))
def test_a_badge_follows_its_tag(visit: PageVisit, web: FakeWeb, console_log: ConsoleLog, move: str) -> None:
    open_page(visit, web, f"<div id='here'>{tag()}<p></p></div><div id='there'></div>")
    do(visit, MOVES[move])
    assert are_behind(visit, "one")
    do(visit, "document.body.append(one);")
    assert are_behind(visit, "one")
    assert console_log.lines == []


def test_a_badge_goes_with_its_tag_and_comes_back_with_it(visit: PageVisit, web: FakeWeb) -> None:
    open_page(visit, web, tag())
    do(visit, "window.kept = one; one.remove();")
    assert are_behind(visit)
    do(visit, "document.body.append(window.kept);")
    assert are_behind(visit, "one")


AGAIN = (
    "const again = document.createElement('script'); again.id = 'one'; again.async = true;"
    f"again.src = '{SOURCE}'; here.append(again);"
)


def test_a_view_that_creates_its_tag_again_shows_one_badge(visit: PageVisit, web: FakeWeb) -> None:
    open_page(visit, web, f"<div id='here'>{tag()}</div>")
    for _ in range(3):
        do(visit, f"one.remove(); {AGAIN}")
        wait_until(lambda: are_behind(visit, "one"))


def test_a_tag_that_is_taken_away_before_it_has_run_leaves_nothing(visit: PageVisit, web: FakeWeb) -> None:
    open_page(visit, web, "<div id='here'></div>")
    do(visit, f"{AGAIN} again.remove(); {AGAIN.replace('again', 'other')}")
    wait_until(lambda: are_behind(visit, "one"))
    visit.tab.wait_for_timeout(200)
    assert are_behind(visit, "one")


def test_a_badge_that_a_framework_took_away_comes_back(visit: PageVisit, web: FakeWeb) -> None:
    open_page(visit, web, f"<div id='here'>{tag()}</div>")
    do(visit, "one.nextElementSibling.remove();")
    assert are_behind(visit, "one")


def test_a_page_that_is_brought_back_from_a_copy_has_no_empty_badge(visit: PageVisit, web: FakeWeb) -> None:
    open_page(visit, web, f"<div id='here'>{tag()}</div>")
    do(
        visit,
        "const copy = here.cloneNode(true); here.remove(); document.body.append(copy);"
        "const old = copy.querySelector('script'), fresh = document.createElement('script');"
        "for (const each of old.attributes) fresh.setAttribute(each.name, each.value);"
        "fresh.onload = () => { window.loaded = true; }; old.replaceWith(fresh);",
    )
    visit.tab.wait_for_function("window.loaded")
    assert are_behind(visit, "one")


def test_a_page_that_never_lets_it_be_goes_on(visit: PageVisit, web: FakeWeb, console_log: ConsoleLog) -> None:
    fight = (
        "<script>new MutationObserver(() => { const badge = document.querySelector('reviewinvite-badge');"
        "if (badge) { (window.taken = window.taken || []).push(performance.now()); badge.remove(); } })"
        ".observe(document, { childList: true, subtree: true });</script>"
    )
    open_page(visit, web, fight + tag())
    visit.tab.wait_for_function("window.taken.length > 6")
    taken = visit.tab.evaluate("window.taken")
    assert min(after - before for before, after in pairwise(taken)) > 45  # it looks again after 50
    visit.assert_undisturbed()
    assert console_log.lines == []


def test_a_page_that_changes_all_the_time_is_not_looked_at_each_time(visit: PageVisit, web: FakeWeb) -> None:
    visit.tab.add_init_script(
        "window.looks = []; const later = window.setTimeout; window.setTimeout = (work, delay, ...more) =>"
        "later(() => { delay === 50 && looks.push(performance.now()); work(); }, delay, ...more);"
    )
    open_page(visit, web, tag())
    visit.tab.evaluate("window.changes = 0, setInterval(() => { document.body.append('x'); changes++; }, 1)")
    visit.tab.wait_for_function("looks.length > 6 && changes > 50")
    assert min(after - before for before, after in pairwise(visit.tab.evaluate("looks"))) > 45


def test_tags_that_nobody_has_any_more_are_let_go_of(visit: PageVisit, web: FakeWeb) -> None:
    visit.tab.add_init_script(
        "const end = MutationObserver.prototype.disconnect; window.ended = 0;"
        "MutationObserver.prototype.disconnect = function () { window.ended++; end.call(this); };"
    )
    open_page(visit, web, f"<div id='here'>{tag()}</div>")
    before = visit.tab.evaluate("window.ended")
    for _ in range(3):
        do(visit, f"one.remove(); {AGAIN}")
        wait_until(lambda: are_behind(visit, "one"))

    def are_let_go_of() -> bool:
        visit.tab.request_gc()
        do(visit, "document.body.append('x');")
        return bool(visit.tab.evaluate("window.ended") - before >= 3)

    wait_until(are_let_go_of)
    assert are_behind(visit, "one")
