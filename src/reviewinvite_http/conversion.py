"""Make cattrs convert the bodies of requests: Litestar itself ignores unknown fields and reads "3" as 3."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, ClassVar

from litestar.dto import AbstractDTO, DTOFieldDefinition
from litestar.plugins import SerializationPlugin
from litestar.typing import FieldDefinition

from reviewinvite_core import Invalid
from reviewinvite_core.values import Problem
from reviewinvite_core.wire.json_converter import structure_body
from reviewinvite_core.wire.shape import DESCRIBED, is_shape

EMPTY_BODY = Invalid(Problem.INVALID_JSON)
"""A body that is missing. Problems are values rather than exceptions, because a use case counts a request against the
key's limit before refusing it."""


class CattrsDTO(AbstractDTO[Any]):
    """Structures the body of a handler's requests; `PlainResponse` unstructures its result."""

    converted: ClassVar[type]

    def decode_bytes(self, value: bytes) -> Any:
        """Return the object in a body, or its problems as `Invalid`."""
        return structure_body(value, self.converted)

    @classmethod
    def is_supported_model_type_field(cls, field_definition: FieldDefinition) -> bool:
        """Return whether cattrs converts this class."""
        return field_definition.match_predicate_recursively(lambda each: is_converted(each.annotation))

    @classmethod
    def create_for_field_definition(
        cls, field_definition: FieldDefinition, handler_id: str, backend_cls: Any = None
    ) -> None:
        """Do nothing: the converter is ready."""

    @classmethod
    def create_openapi_schema(
        cls,
        field_definition: FieldDefinition,  # noqa: ARG003 - the signature of Litestar
        handler_id: str,  # noqa: ARG003
        schema_creator: Any,
    ) -> Any:
        """Return the schema of the converted class."""
        return schema_creator.for_field_definition(FieldDefinition.from_annotation(cls.converted))

    @classmethod
    def generate_field_definitions(cls, model_type: type[Any]) -> Generator[DTOFieldDefinition, None, None]:
        """Raise: the converter knows the fields."""
        raise NotImplementedError

    @classmethod
    def detect_nested_field(cls, field_definition: FieldDefinition) -> bool:
        """Raise: the converter also handles nested classes."""
        raise NotImplementedError


class ConversionPlugin(SerializationPlugin):
    """Has cattrs convert bodies that are our own classes."""

    def supports_type(self, field_definition: FieldDefinition) -> bool:
        """Return whether cattrs converts this type."""
        return is_converted(field_definition.annotation)

    def create_dto_for_type(self, field_definition: FieldDefinition) -> type[AbstractDTO[Any]]:
        """Return the DTO for the converted class in an annotation such as `OrderReport | Invalid`."""
        types = [field_definition.annotation, *(each.annotation for each in field_definition.inner_types)]
        [converted] = filter(is_converted, types)
        return type(f"CattrsDTO[{converted.__name__}]", (CattrsDTO,), {"converted": converted})


def is_converted(annotation: Any) -> bool:
    """Return whether cattrs converts values of this type: a shape, or a body that the domain validates."""
    return is_shape(annotation) or annotation in DESCRIBED
