"""The OpenAPI description of handlers: its general part, their operations, and an example of each body."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from litestar import Litestar
from litestar.di import Provide
from litestar.handlers import HTTPRouteHandler
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import Components, License, OpenAPIHeader, OpenAPIType, Schema, SecurityScheme, Tag
from litestar.types import ControllerRouterHandler, Method

from reviewinvite_core import __version__
from reviewinvite_core.wire.shape import example_of, json_name
from reviewinvite_http.conversion import ConversionPlugin
from reviewinvite_http.openapi.plugin import ShapePlugin, published_as


def operation_id(handler: HTTPRouteHandler, method: Method, _: object) -> str:
    """Return the operation id of a handler; HEAD is not described, but needs a distinct id."""
    name = json_name(handler.handler_name.rpartition(".")[2])
    return name if method != "HEAD" else f"{name}Head"


KEY_DESCRIPTION = (
    "An API key of the shop, which begins with `rvi_`. It is made in the dashboard and shown once. "
    "Keep it on the shop's server, never in a page or an app of yours."
)

REQUEST_ID = OpenAPIHeader(
    schema=Schema(type=OpenAPIType.STRING, pattern=r"^[A-Za-z0-9._-]{1,64}$", examples=["9f86d081884c7d659a2feaa0"]),
    description="Id of the request: the one that the client sent in this field, or a new one.",
    required=True,
)

CONFIG = OpenAPIConfig(
    title="reviewinvite",
    version=__version__,
    description="Report completed orders. Each leads to one invitation to review it, however often it is reported.\n\n"
    "Send the shop's API key as `Authorization: Bearer rvi_...`, from a server only. "
    "Each request can be repeated safely as it is, so `Idempotency-Key` is ignored. "
    "`RateLimit` says what is left of the key's limit. "
    "Quote `X-Request-Id` when you ask about a response; you may send an id of your own in it.",
    license=License(name="MIT", identifier="MIT"),
    components=Components(
        headers={"X-Request-Id": REQUEST_ID},
        security_schemes={"apiKey": SecurityScheme(type="http", scheme="bearer", description=KEY_DESCRIPTION)},
    ),
    tags=[
        Tag("Orders", "Report completed orders."),
        Tag("Reviews", "List reviews and reply to them."),
        Tag("Invitations", "List, retrieve and cancel invitations."),
        Tag("Shop", "Read and change the shop's settings and the appearance of its badge."),
        Tag("Domains", "List, add and check the shop's domains."),
        Tag("Verification", "Verify a shop's trust mark and score."),
        Tag("Health", "Monitor the service."),
    ],
    use_handler_docstrings=True,
    operation_id_creator=operation_id,
    render_plugins=[JsonRenderPlugin()],
)


def describe(handlers: Sequence[ControllerRouterHandler], provided: Collection[str]) -> dict[str, Any]:
    """Return the description of these handlers, without HEAD, which is answered as GET is.

    `provided` names the dependencies that the application provides. The application created here serves no requests.
    """
    shapes = ShapePlugin()
    app = Litestar(
        handlers,
        dependencies={name: Provide(lambda: None, sync_to_thread=False) for name in provided},
        plugins=[ConversionPlugin(), shapes],
        openapi_config=CONFIG,
        logging_config=None,
    )
    for item in (app.openapi_schema.paths or {}).values():
        item.head = None
    document = app.openapi_schema.to_schema()
    _add_examples(document, {f"#/components/schemas/{cls.__name__}": example_of(cls) for cls in shapes.described})
    return _renamed(document, {cls.__name__: published_as(cls) for cls in shapes.described})


def _add_examples(document: dict[str, Any], examples: Mapping[str, Any]) -> None:
    """Add the example of each body that has none; Litestar would leave out their nulls."""
    for path in document["paths"].values():
        for operation in path.values():
            for described in (operation.get("requestBody", {}), *operation["responses"].values()):
                for body in described.get("content", {}).values():
                    if "examples" not in body:
                        body["example"] = examples[body["schema"]["$ref"]]


def _renamed(document: dict[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Return the document with these names of its schemas: Litestar knows them by the names of their classes."""
    text = json.dumps(document)
    for name, published in names.items():
        text = text.replace(f'"#/components/schemas/{name}"', f'"#/components/schemas/{published}"')
    renamed: dict[str, Any] = json.loads(text)
    schemas = renamed["components"]["schemas"]
    renamed["components"]["schemas"] = {
        names.get(name, name): schemas[name] for name in sorted(schemas, key=lambda name: names.get(name, name))
    }
    return renamed
