# A server with an API key, an app with an access token that renews itself, and
# a refusal.
from call_transfer import ApiError, CallTransfer
from call_transfer.testing import demo, open_sandbox

# A mock of the platform. For the real one, use its base_url.
sandbox = open_sandbox()
base_url = sandbox.base_url

# On a server: an API key. It belongs to one account.
server = CallTransfer(base_url=base_url, api_key=sandbox.api_key)
print(f"server: {server.calls.list().first_page().meta.total} calls")

# In an app: the token of the user who signed in, and the account.
token: str | None = None


def access_token(*, force_refresh: bool) -> str:
    """Yours asks your own server for a token.

    It is called for every attempt, so it keeps the token.
    """
    global token
    if force_refresh or token is None:
        user = {"userId": demo.users.agent}
        issued = sandbox.control("POST", "/credentials/access-tokens", user)
        token = str(issued["accessToken"])
        print("app: new token")
    return token


sandbox.update_policies({"tokenLifetimeSecs": 3600})
app = CallTransfer(
    base_url=base_url,
    account_id=demo.account_id,
    access_token=access_token,
)
print(f"app: {app.calls.list().first_page().meta.total} calls")

# The token lasts an hour. The client notices, and calls the function with
# force_refresh=True.
sandbox.advance(2 * 60 * 60)
total = app.calls.list().first_page().meta.total
print(f"app: {total} calls, two hours later")

# An agent may not create groups.
try:
    app.destination_groups.create(
        name="Front desk",
        members=[{"destination_id": demo.destinations.phone}],
    )
except ApiError as error:
    print(f"app: {error.code}. {error.detail}")
server.close()
app.close()
sandbox.close()
