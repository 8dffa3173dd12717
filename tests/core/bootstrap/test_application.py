"""The facade is for people: its help is a manual, and a name that does not exist leads to one that does."""

from __future__ import annotations

import ast
import asyncio
import inspect
import pydoc
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import reviewinvite_core
from reviewinvite_core import (
    OPERATOR,
    Application,
    AsyncApplication,
    InvitationQuery,
    NewReply,
    NewShop,
    OrderReport,
    SecretKey,
    Settings,
    accepted,
    build,
)
from reviewinvite_core.application.facade import AsyncFacade, Facade
from reviewinvite_core.domain.errors import ApplicationClosed
from reviewinvite_core.ports import Message, Unreachable
from reviewinvite_core.testing.builders import a_shop, an_order_report

CAPABILITIES = [
    "api_keys",
    "badges",
    "domains",
    "invitations",
    "members",
    "orders",
    "privacy",
    "reviews",
    "shops",
    "sign_in",
    "signing_keys",
    "trust_marks",
]


@pytest.fixture
def app() -> Iterator[Application]:
    with build(Settings(database_url="memory:", mail_url="recording:")) as made:
        yield made


@pytest.fixture
def async_app(app: Application) -> Iterator[AsyncApplication]:
    made = AsyncApplication(app)
    yield made
    made.close()


def manual(of: object) -> str:
    """Return what `help` prints."""
    return pydoc.plain(pydoc.render_doc(of))


def methods(facade: object) -> dict[str, str]:
    """Return the docstring of each public method."""
    return {name: inspect.getdoc(getattr(facade, name)) or "" for name in dir(facade)}


def test_the_help_of_a_capability_is_a_manual(app: Application) -> None:
    text = manual(app.orders)
    assert "Report completed orders." in text
    assert "report(self, caller: 'Credential', order: 'OrderReport | Invalid')" in text
    assert "'Reported | KeyRefused | ShopInactive | LimitReached | Invalid'" in text
    assert "- `LimitReached`: the key's limit is used up" in text
    assert "Raises: `StorageUnavailable`" in text


def test_the_help_of_the_application_names_every_capability(app: Application) -> None:
    text = manual(app)
    for name in [*CAPABILITIES, "delivery"]:
        assert f"\n |  {name} " in text


@pytest.mark.parametrize("capability", CAPABILITIES)
def test_every_method_says_what_it_raises_and_each_refusal(app: Application, capability: str) -> None:
    facade = getattr(app, capability)
    assert isinstance(facade, Facade)
    for name, text in methods(facade).items():
        assert "Raises: " in text, name
        assert "Spec: " in text or "ADR-" in text, name
        annotation = inspect.signature(getattr(facade, name)).return_annotation
        for kind in annotation.split(" | "):
            if kind.endswith(("Unknown", "Refused", "Inactive", "Reached", "Taken", "Exists", "Conflict", "TooLate")):
                assert kind in text, (name, kind)


@pytest.mark.parametrize("capability", CAPABILITIES)
def test_the_async_side_has_the_same_methods(app: Application, async_app: AsyncApplication, capability: str) -> None:
    sync, awaited = getattr(app, capability), getattr(async_app, capability)
    assert isinstance(awaited, AsyncFacade)
    assert dir(awaited) == dir(sync)
    for name, text in methods(awaited).items():
        by_hand = f"`{type(sync).__name__}.{name}`" in text
        assert by_hand or text == methods(sync)[name]
        one, other = inspect.signature(getattr(sync, name)), inspect.signature(getattr(awaited, name))
        assert one.parameters == other.parameters
        assert other.return_annotation == str(one.return_annotation).replace("Iterator[", "AsyncIterator[")
        is_awaited = inspect.iscoroutinefunction(getattr(awaited, name))
        assert is_awaited or inspect.isasyncgenfunction(getattr(awaited, name))


def test_dir_lists_what_there_is_and_no_more(app: Application, async_app: AsyncApplication) -> None:
    assert set(CAPABILITIES) < set(dir(app)) & set(dir(async_app))
    assert set(dir(app)) - set(CAPABILITIES) == {
        *("base_url", "widget_url", "dashboard_url", "proxies", "imprint", "delivery", "domain_rechecker"),
        *("now", "connections", "check_ready", "check_writable", "close", "telemetry", "metrics_token", "jobs"),
    }
    assert dir(app.orders) == ["import_many", "report", "report_from_snippet", "show_snippets"]


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("order", "orders"),
        ("report_order", "orders.report"),
        ("add_shop", "shops.add"),
        ("create_key", "api_keys.create"),
        ("cancel_invitation", "invitations.cancel"),
    ],
)
def test_an_unknown_name_leads_to_the_one_that_is_meant(
    app: Application, async_app: AsyncApplication, name: str, meant: str
) -> None:
    for each in (app, async_app):
        with pytest.raises(AttributeError) as raised:
            getattr(each, name)
        message = str(raised.value)
        assert f"has no attribute {name!r}. Did you mean {meant}? It has: " in message


def test_a_name_that_is_like_no_other_gets_the_list_alone(app: Application) -> None:
    with pytest.raises(AttributeError, match=r"has no attribute 'set_shop'\. It has: "):
        _ = app.set_shop  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"^Application has no attribute 'unknown'\. It has: api_keys, .*\.$"):
        _ = app.unknown  # type: ignore[attr-defined]
    with pytest.raises(AttributeError, match=r"^Orders has no attribute 'reports'\. Did you mean report\?"):
        _ = app.orders.reports  # type: ignore[attr-defined]


def test_a_text_given_as_a_key_is_explained_and_not_repeated(app: Application) -> None:
    text = "rvi_" + "A" * 36
    with pytest.raises(TypeError, match=r"not str; SecretKey\.parse\(text\) returns a SecretKey") as error:
        app.orders.report(text, OrderReport(email="anna@example.com"))  # type: ignore[arg-type]
    assert text not in str(error.value)
    with pytest.raises(TypeError, match="not None;"):
        app.invitations.list(SecretKey.parse("mistyped"), InvitationQuery())  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="actor must be"):
        app.reviews.reply(text, "1", NewReply(text="Thank you"))  # type: ignore[arg-type]


def test_an_order_of_another_type_is_explained(app: Application, async_app: AsyncApplication) -> None:
    key = SecretKey.make(bytes(23))
    with pytest.raises(TypeError, match="order must be of type OrderReport or Invalid, not str"):
        app.orders.report(key, "anna@example.com")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="not dict"):
        asyncio.run(async_app.orders.report(key, {"email": "anna@example.com"}))  # type: ignore[arg-type]


def test_a_wrong_item_among_many_orders_is_named(app: Application, async_app: AsyncApplication) -> None:
    accepted(app.shops.add(NewShop(site_id="example-shop", name="Example Shop")))
    caller = accepted(app.shops.act_for("example-shop"))
    good = OrderReport(email="anna@example.com")
    with pytest.raises(TypeError, match=r"orders\[1\] must be of type OrderReport, not dict"):
        app.orders.import_many(caller, [good, {"email": "ben@example.com"}])  # type: ignore[list-item]
    with pytest.raises(TypeError, match="orders must be a sequence of OrderReport, not str"):
        app.orders.import_many(caller, "anna@example.com")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="actor must be of type Actor, not SecretKey;"):
        asyncio.run(async_app.orders.import_many(SecretKey.make(bytes(23)), [good]))  # type: ignore[arg-type]
    assert not accepted(app.invitations.list(OPERATOR, InvitationQuery())).invitations


def test_a_star_import_brings_the_exported_names_and_nothing_else() -> None:
    names: dict[str, object] = {}
    exec("from reviewinvite_core import *", names)  # noqa: S102 - a star import is not possible in a function
    del names["__builtins__"]
    assert {"build", "build_async", "AsyncApplication", "OrderReport", "accepted"} <= set(names)
    assert not {"ports", "domain", "import_module", "TYPE_CHECKING", "shape", "structure_body"} & set(names)
    assert set(dir(reviewinvite_core)) == {*names, "__version__"}


def test_a_type_checker_sees_the_names_that_can_be_imported() -> None:
    source = Path(str(reviewinvite_core.__file__)).read_text(encoding="utf-8")
    typed = {
        each.name: getattr(import_module(str(found.module)), each.name)
        for found in ast.walk(ast.parse(source))
        if isinstance(found, ast.ImportFrom) and str(found.module).startswith("reviewinvite_core.")
        for each in found.names
    }
    assert {name: getattr(reviewinvite_core, name) for name in {*dir(reviewinvite_core), *typed}} == typed
    with pytest.raises(ImportError, match="cannot import name 'no_such_name'"):
        exec("from reviewinvite_core import no_such_name")  # noqa: S102 - a type checker would refuse the statement


def test_the_help_of_deliveries_is_about_its_calls(app: Application) -> None:
    text = manual(app.delivery)
    assert "Send the invitations that are due" in text
    assert "use `build`" in text
    assert not [name for name in ("__getstate__", "__dir__", "__getattr__", "__weakref__") if name in text]
    with pytest.raises(AttributeError, match="It has: backlog, continually, once, paused, reconcile"):
        _ = app.delivery.run  # type: ignore[attr-defined]


class BrokenMailer:
    """A mailer that cannot be closed."""

    async def stage(self, message: Message) -> Unreachable:
        return Unreachable(message.recipient)

    async def close(self) -> None:
        raise TimeoutError


@pytest.mark.parametrize("deliveries", [0, 1])
def test_storage_is_closed_even_if_the_mailer_is_not(deliveries: int) -> None:
    app = build(Settings(database_url="memory:"), mailer=BrokenMailer())
    app.shops.add(a_shop())
    for _ in range(deliveries):
        accepted(app.orders.report(accepted(app.shops.act_for("bakkerij-1")), an_order_report(delay_days=0)))
        assert len(app.delivery.once()) == 1
    with pytest.raises(TimeoutError):
        app.close()
    with pytest.raises(ApplicationClosed):
        app.shops.list()


class CountingMailer(BrokenMailer):
    """A mailer that counts how often it is closed."""

    closed = 0

    async def close(self) -> None:
        self.closed += 1


def test_closing_twice_closes_the_mailer_once() -> None:
    mailer = CountingMailer()
    app = build(Settings(database_url="memory:"), mailer=mailer)
    app.delivery.once()
    app.close()
    app.close()
    assert mailer.closed == 1
