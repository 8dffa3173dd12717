"""Describe shapes to Litestar: their members, with the bounds and descriptions that types do not express."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from inspect import cleandoc
from types import NoneType
from typing import Any, get_args

from litestar.openapi.spec import OpenAPIFormat, OpenAPIType, Schema
from litestar.params import BodyKwarg
from litestar.plugins import OpenAPISchemaPlugin
from litestar.typing import FieldDefinition

from reviewinvite_core import Language, SiteId
from reviewinvite_core.domain.timing import Delay
from reviewinvite_core.values import EmailAddress, HostName, SnippetSignature
from reviewinvite_core.wire.patterns import INSTANT
from reviewinvite_core.wire.shape import DESCRIBED, Shape, known_words, members_of
from reviewinvite_http.conversion import is_converted

_IN_JSON: Mapping[Any, type] = {EmailAddress: str, SiteId: str, HostName: str, SnippetSignature: str, Delay: float}
"""The JSON types of the values that bodies of requests are converted to."""

_LANGUAGE = {"type": OpenAPIType.STRING, "enum": [language.value for language in Language]}
_INSTANT = {"type": OpenAPIType.STRING, "format": OpenAPIFormat.DATE_TIME, "pattern": INSTANT}


class ShapePlugin(OpenAPISchemaPlugin):
    """Describes shapes, and the domain's own classes for bodies of requests. It lists what it has described."""

    def __init__(self) -> None:
        self.described: list[type] = []

    @staticmethod
    def is_plugin_supported_type(value: Any) -> bool:
        """Return whether this is a shape or a scalar in one."""
        return value in (Language, datetime) or is_converted(value)

    def to_openapi_schema(self, field_definition: FieldDefinition, schema_creator: Any) -> Schema:
        """Return the schema of a scalar or an object."""
        cls = field_definition.annotation
        if cls in (Language, datetime):
            return Schema(**(_LANGUAGE if cls is Language else _INSTANT))
        self.described.append(cls)
        members = list(members_of(cls))
        schema: Schema = schema_creator.create_component_schema(
            field_definition,
            required=[each.name for each in members if not each.optional],
            property_fields={
                each.name: FieldDefinition.from_kwarg(
                    _in_json(each.type), each.name, kwarg_definition=BodyKwarg(schema_extra=each.schema)
                )
                for each in members
            },
            title=published_as(cls),
        )
        schema.additional_properties = False
        schema.description = DESCRIBED[cls][0] if cls in DESCRIBED else _first_line(cls)
        return schema


def published_as(cls: type) -> str:
    """Return the name of a class in the description."""
    return (cls.published_as if issubclass(cls, Shape) else None) or cls.__name__


def _first_line(cls: type) -> str:
    return cleandoc(cls.__doc__ or "").partition("\n")[0].partition(" Spec: ")[0]


def _in_json(annotation: Any) -> Any:
    """Return a type as JSON has it, with none but the known words."""
    words = known_words(annotation)
    if words:
        return words | None if NoneType in get_args(annotation) else words
    return _IN_JSON.get(annotation, annotation)
