"""Every call refuses an argument of another type than declared, and names the argument."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Iterator

import pytest

from reviewinvite_core import OPERATOR, Application, AsyncApplication, InvitationQuery, Settings, accepted, build
from reviewinvite_core.testing.builders import a_shop
from reviewinvite_core.values import CountMode, Reach

CAPABILITIES = [
    "api_keys",
    "badges",
    "delivery",
    "domain_rechecker",
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


class Stranger:
    """A value of a type that no call takes."""


def arguments() -> list[tuple[str, str, str]]:
    """Return each argument of each method of each capability."""
    with build(Settings(database_url="memory:", mail_url="recording:")) as app:
        return [
            (capability, method, argument)
            for capability in CAPABILITIES
            for method in dir(getattr(app, capability))
            if inspect.isroutine(getattr(getattr(app, capability), method))
            for argument in inspect.signature(getattr(getattr(app, capability), method)).parameters
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


def test_the_list_of_arguments_is_long() -> None:
    assert len(arguments()) > 70
    assert ("shops", "add", "new") in arguments()


@pytest.mark.parametrize(("capability", "method", "argument"), arguments())
def test_a_wrong_type_is_named_on_both_sides(
    app: Application, async_app: AsyncApplication, capability: str, method: str, argument: str
) -> None:
    wrong = {argument: Stranger()}
    with pytest.raises(TypeError, match=rf"^{argument} must be of type [A-Za-z]+( or [A-Za-z]+)*, not Stranger"):
        getattr(getattr(app, capability), method)(**wrong)
    awaited = getattr(getattr(async_app, capability), method)
    if argument in inspect.signature(awaited).parameters:
        with pytest.raises(TypeError, match=rf"^{argument} must be of type "):
            asyncio.run(awaited(**wrong))


def test_the_text_of_an_enum_is_not_the_enum(app: Application) -> None:
    accepted(app.shops.add(a_shop("bakery")))
    with pytest.raises(TypeError, match=r"^reach must be of type Reach, not str$"):
        app.privacy.unsubscribe("token", "every_shop")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^count_mode must be of type CountMode, not str$"):
        app.badges.show("bakery", None, "view")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^form must be of type Form, not str$"):
        app.trust_marks.verify("bakery", "json")  # type: ignore[arg-type]
    assert app.privacy.unsubscribe("token", Reach.EVERY_SHOP) is None
    app.badges.show("bakery", count_mode=CountMode.DRY_RUN)


def test_what_python_refuses_itself_is_left_to_it(app: Application) -> None:
    with pytest.raises(TypeError, match=r"act_for\(\) missing 1 required positional argument: 'site_id'"):
        app.shops.act_for()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"act_for\(\) got an unexpected keyword argument 'shop'"):
        app.shops.act_for(shop="bakery")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match=r"act_for\(\) takes 2 positional arguments but 3 were given"):
        app.shops.act_for("bakery", "mill")  # type: ignore[call-arg]
    assert not accepted(app.invitations.list(OPERATOR, InvitationQuery())).invitations
