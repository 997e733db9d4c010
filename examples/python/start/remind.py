from call_transfer import ApiError, CallInitiated, CallQueued, CallTransfer


def remind(
    client: CallTransfer, flow_id: str, from_number: str, to_number: str
) -> str:
    """Calls a number to remind of an appointment."""
    try:
        placed = client.calls.create(
            flow_id=flow_id, from_number=from_number, to_number=to_number
        )
    except ApiError as error:
        if error.code == "contact_on_dnc_list":
            return "This number must not be called."
        raise
    if isinstance(placed, CallInitiated):
        return "The phone rings."
    if isinstance(placed, CallQueued):
        return "The call waits in a queue."
    return "The call is accepted."
