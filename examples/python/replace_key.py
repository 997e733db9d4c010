from call_transfer import CallTransfer

_client = CallTransfer()


def replace_key(api_key: str) -> None:
    """Call it when your secret store has a new key."""
    global _client
    _client = _client.with_options(api_key=api_key)


def call_transfer() -> CallTransfer:
    """What the rest of the program uses, instead of a client that it keeps."""
    return _client
