"""The OpenAPI description, generated from handlers and converted classes, with details that types do not express."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import copy
from datetime import datetime
from inspect import cleandoc
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import attrs
from litestar import Litestar
from litestar.di import Provide
from litestar.handlers import HTTPRouteHandler
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import JsonRenderPlugin
from litestar.openapi.spec import (
    Components,
    License,
    OpenAPIFormat,
    OpenAPIHeader,
    OpenAPIType,
    Schema,
    SecurityScheme,
    Tag,
)
from litestar.params import BodyKwarg
from litestar.plugins import OpenAPISchemaPlugin
from litestar.types import ControllerRouterHandler, Method
from litestar.typing import FieldDefinition

from reviewinvite_core import Language, OrderReport, SiteId, __version__
from reviewinvite_core.domain.policy import LONGEST_DELAY_DAYS
from reviewinvite_core.domain.timing import Delay
from reviewinvite_core.values import Bookmark, EmailAddress, HostName, SnippetSignature
from reviewinvite_core.wire.json_converter import json_name
from reviewinvite_http.schemas.bodies import BODIES
from reviewinvite_http.schemas.converter import LEFT_OUT, RENAMED, SHOWN
from reviewinvite_http.schemas.examples import EXAMPLES
from reviewinvite_http.schemas.fields import DESCRIPTIONS, FIELDS
from reviewinvite_http.schemas.patterns import ADDRESS, HOST, INSTANT, REVIEW_CURSOR, SITE_ID
from reviewinvite_http.schemas.plugin import CattrsPlugin
from reviewinvite_http.schemas.statements import KeySet, PublicKey, Rating, Signature, SignedStatement, Statement


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

SCALARS: Mapping[Any, Schema] = {
    EmailAddress: Schema(type=OpenAPIType.STRING, format=OpenAPIFormat.EMAIL, max_length=254, pattern=ADDRESS),
    SiteId: Schema(type=OpenAPIType.STRING, min_length=1, max_length=64, pattern=SITE_ID),
    HostName: Schema(type=OpenAPIType.STRING, max_length=253, pattern=HOST),
    Language: Schema(type=OpenAPIType.STRING, enum=[language.value for language in Language]),
    SnippetSignature: Schema(type=OpenAPIType.STRING),
    Delay: Schema(type=OpenAPIType.NUMBER, minimum=0, maximum=LONGEST_DELAY_DAYS),
    Bookmark: Schema(type=OpenAPIType.STRING, pattern=f"^{REVIEW_CURSOR}$"),
    datetime: Schema(type=OpenAPIType.STRING, format=OpenAPIFormat.DATE_TIME, pattern=INSTANT),
}

DESCRIBED = {SignedStatement, Statement, Signature, Rating, KeySet, PublicKey}
"""Classes that are described but never instantiated: their bytes are signed as they are."""


class DomainSchemaPlugin(OpenAPISchemaPlugin):
    """Describes the domain's classes as cattrs converts them."""

    @staticmethod
    def is_plugin_supported_type(value: Any) -> bool:
        """Return whether this is a class that cattrs converts."""
        return value in SCALARS or value in BODIES or value in SHOWN or value in DESCRIBED

    def to_openapi_schema(self, field_definition: FieldDefinition, schema_creator: Any) -> Schema:
        """Return the schema of a scalar or an object."""
        cls = field_definition.annotation
        if cls in SCALARS:
            return copy(SCALARS[cls])
        members = list(_shown_members(cls) if cls in SHOWN else _own_members(cls))
        schema: Schema = schema_creator.create_component_schema(
            field_definition,
            required=[name for name, _, is_required in members if is_required],
            property_fields={name: _described(cls, name, annotation) for name, annotation, _ in members},
        )
        schema.additional_properties = False
        schema.description = DESCRIPTIONS.get(cls) or _first_line(cls).partition(" Spec: ")[0]
        return schema


def _first_line(cls: type) -> str:
    return cleandoc(cls.__doc__ or "").partition("\n")[0]


def _described(cls: type, name: str, annotation: Any) -> FieldDefinition:
    return FieldDefinition.from_kwarg(
        annotation, name, kwarg_definition=BodyKwarg(schema_extra=FIELDS.get(cls, {}).get(name, {}))
    )


def _own_members(cls: Any) -> Iterator[tuple[str, Any, bool]]:
    """Yield the name and type of each field, and whether it is required; no field of a request body is nullable."""
    hints = get_type_hints(cls)
    for attribute in attrs.fields(cls):
        if attribute.name == "order":  # a browser's report has only those fields of an order that customers know
            yield from (member for member in _own_members(OrderReport) if member[0] in ("email", "orderNumber"))
            continue
        is_required = attribute.default is attrs.NOTHING
        annotation = hints[attribute.name]
        yield json_name(attribute.name), annotation if cls in DESCRIBED else _not_none(annotation), is_required


def _shown_members(cls: type) -> Iterator[tuple[str, Any, bool]]:
    """Yield the name and type of each attribute shown, and whether it is always present."""
    for path in SHOWN[cls]:
        annotation: Any = cls
        for attribute in path.split("."):
            annotation = _type_of(annotation, attribute)
        name = path.rpartition(".")[2]
        is_optional = name in LEFT_OUT.get(cls, ())
        shown = RENAMED.get(cls, {}).get(name) or json_name(name)
        yield shown, _not_none(annotation) if is_optional else annotation, not is_optional


def _type_of(cls: type, attribute: str) -> Any:
    """Return the type of an attribute or a property."""
    described = inspect.getattr_static(cls, attribute, None)
    if isinstance(described, property):
        return get_type_hints(described.fget)["return"]
    return get_type_hints(cls)[attribute]


def _not_none(annotation: Any) -> Any:
    """Return an annotation without None."""
    if get_origin(annotation) not in (Union, UnionType):
        return annotation
    return Union[tuple(each for each in get_args(annotation) if each is not NoneType)]  # noqa: UP007


def describe(handlers: Sequence[ControllerRouterHandler], provided: Collection[str]) -> dict[str, Any]:
    """Return the description of these handlers, without HEAD, which is answered as GET is.

    `provided` names the dependencies that the application provides. The application created here serves no requests.
    """
    app = Litestar(
        handlers,
        dependencies={name: Provide(lambda: None, sync_to_thread=False) for name in provided},
        plugins=[CattrsPlugin(), DomainSchemaPlugin()],
        openapi_config=CONFIG,
        logging_config=None,
    )
    for item in (app.openapi_schema.paths or {}).values():
        item.head = None
    document = app.openapi_schema.to_schema()
    _add_examples(document)
    return document


def _add_examples(document: dict[str, Any]) -> None:
    """Add the example of each body that has none; Litestar would leave out their nulls."""
    examples = {f"#/components/schemas/{cls.__name__}": example for cls, example in EXAMPLES.items()}
    for path in document["paths"].values():
        for operation in path.values():
            for described in (operation.get("requestBody", {}), *operation["responses"].values()):
                for body in described.get("content", {}).values():
                    if "examples" not in body:
                        body["example"] = examples[body["schema"]["$ref"]]
