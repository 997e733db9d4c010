from call_transfer import CallTransfer


def place_for(
    client: CallTransfer,
    campaign_id: str,
    flow_id: str,
    numbers: tuple[str, str],
) -> str:
    """Places a call for a campaign."""
    placed = client.calls.create(
        flow_id=flow_id,
        from_number=numbers[0],
        to_number=numbers[1],
        options={"extra_body": {"campaignId": campaign_id}},
    )
    return placed.type


def history(client: CallTransfer) -> list[tuple[object, object]]:
    """The state of each call, and when it was placed."""
    calls = client.calls.list().to_list(max_items=100)
    # Nothing promises that the API sends them, so their type is unknown.
    fields = [call.model_extra or {} for call in calls]
    return [(one.get("status"), one.get("createdAt")) for one in fields]
