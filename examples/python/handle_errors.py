from collections.abc import Sequence

from call_transfer import (
    ApiError,
    CallTransfer,
    OutcomeUnknownError,
    RateLimitError,
)


def create_group(
    client: CallTransfer, name: str, destination_ids: Sequence[str]
) -> str:
    """Creates a group and says in words what came of it."""
    try:
        group = client.destination_groups.create(
            name=name,
            members=[{"destination_id": one} for one in destination_ids],
        )
    except RateLimitError as error:
        return f"wait {error.retry_after or 'a few'} seconds"
    except ApiError as error:
        if error.code == "validation_failed":
            problems = error.errors or ()
            return ", ".join(f"{one.field}: {one.code}" for one in problems)
        if error.code == "resource_already_exists":
            return f"the name {name} is taken"
        raise
    return f"created {group.id}"


def place_call(
    client: CallTransfer, flow_id: str, from_number: str, to_number: str
) -> str:
    """Places a call and says what is known of it."""
    try:
        placed = client.calls.create(
            flow_id=flow_id, from_number=from_number, to_number=to_number
        )
    except OutcomeUnknownError as error:
        found = error.reconcile()
        count = len(found.candidates)
        return f"perhaps placed, {count} candidates: {found.explanation}"
    return placed.type
