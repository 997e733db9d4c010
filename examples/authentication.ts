// A server with an API key, an app with an access token that renews itself, and
// a refusal. In a clone:
//   npm run example -- examples/authentication.ts
import { createBackend, demo } from "@call-transfer/mock-server/backend";
import { CallTransfer, isApiError } from "@call-transfer/sdk";

// The platform, in this process. For the real one, leave out `fetch` and set
// its `baseUrl`.
const backend = createBackend();
const platform = { baseUrl: "http://localhost", fetch: backend.fetch };

// On a server: an API key. It belongs to one account.
const server = new CallTransfer({ ...platform, apiKey: demo.apiKey });
console.log(`server: ${(await server.calls.list()).meta.total} calls`);

// In an app: the token of the user who signed in, and the account.
const { agent } = demo.users;
let token: string | undefined;
const app = new CallTransfer({
  ...platform,
  accountId: demo.accountId,
  // Yours asks your own server for a token. It is called for every attempt, so
  // it keeps the token.
  async accessToken({ forceRefresh }) {
    if (forceRefresh || token === undefined) {
      token = await backend.credentials.createAccessToken({ userId: agent });
      console.log("app: new token");
    }
    return token;
  },
});
console.log(`app: ${(await app.calls.list()).meta.total} calls`);

// The token lasts an hour. The SDK notices, and calls the function with
// `forceRefresh`.
await backend.advance({ by: 2 * 60 * 60 * 1000 });
console.log(
  `app: ${(await app.calls.list()).meta.total} calls, two hours later`,
);

// An agent may not create groups.
const members = [{ destinationId: demo.destinations.phone }];
const { error } = await app.destinationGroups
  .create({ name: "Front desk", members })
  .result();
if (isApiError(error)) console.log(`app: ${error.code}. ${error.detail}`);
