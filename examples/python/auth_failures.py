# Every way in which credentials fail, and the code that says so.
from typing import Any

from call_transfer import ApiError, CallTransfer, CallTransferError
from call_transfer.testing import demo, open_sandbox

sandbox = open_sandbox()


def key(**options: object) -> dict[str, Any]:
    issued = sandbox.control("POST", "/auth/api-keys", options)
    return {"api_key": issued["key"]}


def token(user_id: str, **options: object) -> dict[str, Any]:
    user = {"userId": user_id, **options}
    issued = sandbox.control("POST", "/auth/tokens", user)
    return {"access_token": issued["token"]}


users = demo.users
account = {"account_id": demo.account_id}
foreign = {"account_id": demo.foreign_account_id}
suspended = {"account_id": demo.suspended_account_id}
failures: dict[str, dict[str, Any]] = {
    "a key that was never issued": {"api_key": "svc_live_unknown"},
    "a key after its expiry": key(expiresAt="2026-01-01T00:00:00Z"),
    "a revoked key": key(state="revoked"),
    "a key for another address": key(allowedIps=["192.0.2.1"]),
    "a key without the scope": key(scopes=["roles:read"]),
    "a key, and another account": {"api_key": demo.api_key, **foreign},
    "a token, and no account": token(users.owner),
    "a token, and another account": {**token(users.owner), **foreign},
    "a token, and a suspended account": {**token(users.both), **suspended},
    "a token of another server": {"access_token": "e30.e30.e30", **account},
    "a token after its expiry": {**token(users.owner, expired=True), **account},
}

for failure, options in failures.items():
    with CallTransfer(base_url=sandbox.base_url, **options) as client:
        try:
            client.calls.list().first_page()
        except ApiError as error:
            print(f"{failure:33} {error.status} {error.code}")
        except CallTransferError as error:
            print(f"{failure:33} {error}")
sandbox.close()
