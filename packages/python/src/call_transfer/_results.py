"""Reading of responses into models, those of this version and the caller's own. pydantic costs time: it is loaded when the first
client is created.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from ._errors import InvalidArgumentError, InvalidResponseError, RequestErrorDetails
from ._interrupt import let_through
from ._json import is_list, is_object
from ._operation import Operation
from ._redact import excerpt, mask_numbers

if TYPE_CHECKING:
    from pydantic import BaseModel

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


class Misfit(Exception):
    """Which model an answer does not fit, and why. It holds no value of the answer but those in messages of the model's own checks."""


def check_model(model: object) -> None:
    """Checks a model, and builds its validator: the concurrent first use of one that is deferred is not safe."""
    from pydantic import BaseModel

    if not isinstance(model, type) or not issubclass(model, BaseModel):
        raise InvalidArgumentError("model", "must be a model of pydantic, such as class Contact(BaseModel)")
    try:
        with _building:
            model.model_rebuild()
    except Exception as error:
        let_through(error)
        raise InvalidArgumentError("model", f"cannot be built: {error}") from error


def read_into(model: type[BaseModel], data: Any) -> Any:
    """Reads JSON into a model. An `ApiModel` keeps what does not fit, any other model rejects it."""
    from pydantic import ValidationError

    from ._model import ApiModel, parse

    if issubclass(model, ApiModel) and is_object(data):
        return parse(model, data)
    try:
        return model.model_validate(data)
    except ValidationError as error:
        for one in error.errors(include_input=False):
            # A check in the model takes a `ValueError` of a signal handler for its own.
            if isinstance(raised := one.get("ctx", {}).get("error"), Exception):
                let_through(raised)
        problems = [f"{'.'.join(map(str, one['loc'])) or 'all'}: {one['msg']}" for one in error.errors(include_input=False)]
        raise Misfit(f"{model.__name__} ({'; '.join(problems[:3])})") from None
    except Exception as error:
        let_through(error)
        # A check of the caller's own failed. The request was carried out all the same.
        raise Misfit(f"{model.__name__} ({type(error).__name__}: {error})") from None


@dataclass(frozen=True, slots=True)
class OtherList:
    """A list of a path that this version does not have."""

    path: str
    path_params: Mapping[str, str] | None
    model: Any
    """Model of an item, if there is one."""

    def read(self, operation_id: str, name: str, items: list[Any], places: list[int]) -> list[Any]:
        """Reads the items at some places of a page."""
        if self.model is None:
            return [items[place] for place in places]
        read: list[Any] = []
        for place in places:
            try:
                read.append(read_into(self.model, items[place]))
            except Misfit as misfit:
                problem = f"has an item at {name}.{place} that does not fit {mask_numbers(excerpt(str(misfit)))}"
                raise unusable(operation_id, problem) from None
        return read


def unusable(operation_id: str, problem: str) -> InvalidResponseError:
    """Returns the error of a list whose page cannot be used."""
    return InvalidResponseError(f"{operation_id} {problem}", RequestErrorDetails(operation_id, "applied"))


def check_page(operation_id: str, items: str, data: Any) -> None:
    """Checks that a list pages as the list of calls does. Another one would be cut short."""
    meta = data.get("meta") if is_object(data) else None
    total = meta.get("total") if is_object(meta) else None
    is_size = isinstance(total, (int, float)) and not isinstance(total, bool) and abs(total) < 2**53 and total % 1 == 0
    if not is_object(data) or not is_list(data.get(items)) or not is_size:
        raise unusable(operation_id, f"has no list {items} with meta.total: check items_field")
