"""Reading of responses into models. The models are loaded when the first client is created: pydantic costs time."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, Any

from ._json import is_object
from ._operation import Operation

if TYPE_CHECKING:
    from ._model import ApiModel

_building = threading.Lock()


@cache
def model_of(name: str) -> type[ApiModel]:
    """Returns a model by its name."""
    from ._generated import models

    model: type[ApiModel] = getattr(models, name)
    return model


def load(operations: tuple[Operation, ...]) -> None:
    """Builds the validators of all models, so that no request waits for them: their concurrent first use is not safe."""
    with _building:
        for operation in operations:
            for name in operation.models.values():
                if not model_of(name).__pydantic_complete__:
                    model_of(name).model_rebuild()


def parse(name: str, data: Any) -> Any:
    """Reads a JSON object into a model. One that does not fit is kept and flagged."""
    from ._model import parse as parse_into

    return parse_into(model_of(name), data)


def result_of(operation: Operation, status: int, data: Any) -> Any:
    """Reads the data of a success into the model of its type or status."""
    models = operation.models
    if not models or not is_object(data):
        return None
    if operation.is_open:
        return parse(models.get(str(data.get("type")), "UnknownResult"), data)
    return parse(models.get(str(status)) or next(iter(models.values())), data)


def wire(value: Any, name: str) -> Any:
    """Returns a value as the API spells it: a model, or a dictionary that may have the model's names. Others are left as they are."""
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json", by_alias=True, exclude_unset=True)
    if isinstance(value, Mapping):
        names = {field: info.alias or field for field, info in model_of(name).model_fields.items()}
        return {names.get(key, key): inner for key, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [wire(inner, name) for inner in value]
    return value
