# Every way in which credentials fail, and the code that says so.
from call_transfer import ApiError, CallTransfer, CallTransferError
from call_transfer.testing import demo, open_sandbox

sandbox = open_sandbox()


def key(**options: object) -> str:
    issued = sandbox.control("POST", "/credentials/api-keys", options)
    return str(issued["key"])


def token(user_id: str, **options: object) -> str:
    user = {"userId": user_id, **options}
    issued = sandbox.control("POST", "/credentials/access-tokens", user)
    return str(issued["token"])


def with_key(api_key: str, account_id: str | None = None) -> CallTransfer:
    return CallTransfer(
        base_url=sandbox.base_url, api_key=api_key, account_id=account_id
    )


def with_token(
    access_token: str, account_id: str | None = None
) -> CallTransfer:
    return CallTransfer(
        base_url=sandbox.base_url,
        access_token=access_token,
        account_id=account_id,
    )


users = demo.users
account = demo.account_id
foreign = demo.foreign_account_id
suspended = demo.suspended_account_id
old = "2026-01-01T00:00:00Z"
clients = {
    "a key that was never issued": with_key("svc_live_unknown"),
    "a key after its expiry": with_key(key(expiresAt=old)),
    "a revoked key": with_key(key(state="revoked")),
    "a key for another address": with_key(key(allowedIps=["192.0.2.1"])),
    "a key without the scope": with_key(key(scopes=["roles:read"])),
    "a key, and another account": with_key(demo.api_key, foreign),
    "a token, and no account": with_token(token(users.owner)),
    "a token, and another account": with_token(token(users.owner), foreign),
    "a token, and a suspended account": with_token(
        token(users.both), suspended
    ),
    "a token of another server": with_token("e30.e30.e30", account),
    "a token after its expiry": with_token(
        token(users.owner, expired=True), account
    ),
}

for failure, failing in clients.items():
    with failing as client:
        try:
            client.calls.list().first_page()
        except ApiError as error:
            print(f"{failure:33} {error.status} {error.code}")
        except CallTransferError as error:
            print(f"{failure:33} {error}")
sandbox.close()
