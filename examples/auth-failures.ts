// Every way in which credentials fail, and the code that says so. In a clone:
//   npm run example -- examples/auth-failures.ts
import { createBackend, demo } from "@call-transfer/mock-server/backend";
import { ApiError, CallTransfer, type ClientOptions } from "@call-transfer/sdk";

const { credentials, fetch } = createBackend();
const { users, accountId, foreignAccountId, suspendedAccountId } = demo;
const key = (options: Parameters<typeof credentials.createApiKey>[0]) => ({
  apiKey: credentials.createApiKey(options).key,
});
const token = async (userId: string) => ({
  accessToken: await credentials.createAccessToken({ userId }),
});

const failures: Record<string, ClientOptions> = {
  "a key that was never issued": { apiKey: "svc_live_unknown" },
  "a key after its expiry": key({ expiresAt: "2026-01-01T00:00:00Z" }),
  "a revoked key": key({ state: "revoked" }),
  "a key for another address": key({ allowedIps: ["192.0.2.1"] }),
  "a key without the scope": key({ scopes: ["roles:read"] }),
  "a key, and another account": {
    apiKey: demo.apiKey,
    accountId: foreignAccountId,
  },
  "a token, and no account": await token(users.owner),
  "a token, and another account": {
    ...(await token(users.owner)),
    accountId: foreignAccountId,
  },
  "a token, and a suspended account": {
    ...(await token(users.both)),
    accountId: suspendedAccountId,
  },
  "a token of another server": { accessToken: "e30.e30.e30", accountId },
  "a token after its expiry": {
    accessToken: await credentials.createAccessToken({
      userId: users.owner,
      expired: true,
    }),
    accountId,
  },
};

for (const [failure, options] of Object.entries(failures)) {
  const { error } = await new CallTransfer({
    baseUrl: "http://localhost",
    fetch,
    ...options,
  }).calls
    .list()
    .result();
  const result =
    error instanceof ApiError
      ? `${error.status} ${error.code}`
      : error?.message;
  console.log(failure.padEnd(33), result);
}
