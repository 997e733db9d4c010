// Loads two copies of the SDK in one process, by import and by require. The classes and guards of each copy must recognize
// the errors of the other. Run in a project that has the SDK installed.
import { createRequire } from "node:module";
import * as importedSdk from "@call-transfer/sdk";
import * as importedQuery from "@call-transfer/sdk/query";
import * as importedRaw from "@call-transfer/sdk/raw";
import * as importedWebhooks from "@call-transfer/sdk/webhooks";
import * as importedPostgres from "@call-transfer/sdk/webhooks/postgres";

const require = createRequire(import.meta.url);
const imported = { ...importedSdk, ...importedWebhooks };
const required = { ...require("@call-transfer/sdk"), ...require("@call-transfer/sdk/webhooks") };
if (imported.ApiError === required.ApiError)
  throw new Error("Both formats are one copy, so this test proves nothing. Check the exports of the SDK.");

const problem = (status) => new Response(JSON.stringify({ code: "unauthorized", status }), { status });
const until = (signal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

/** One error of each class, by class name, caused through the public API. */
async function errorsOf(copy) {
  const failure = async (fetch, operation = (client) => client.roles.list()) => {
    const client = new copy.CallTransfer({
      baseUrl: "https://api.example.com",
      apiKey: "key",
      maxRetries: 0,
      fetch,
    });
    const { error } = await operation(client).result();
    return error;
  };
  const answered = (status) => failure(async () => problem(status));
  const lost = async () => {
    throw new TypeError("fetch failed");
  };
  const hangs = (_, { signal }) => until(signal);
  const call = { flowId: "id", fromNumber: "+15550100001", toNumber: "+15550200001" };
  const thrown = (act) => act().catch((error) => error);
  return {
    ConfigurationError: await thrown(async () => new copy.CallTransfer({ baseUrl: "nowhere" })),
    InvalidArgumentError: await failure(lost, (client) => client.members.getAvailability("")),
    ConnectionError: await failure(lost),
    TimeoutError: await failure(hangs, (client) => client.roles.list({ timeoutMs: 1 })),
    AbortError: await failure(hangs, (client) => client.roles.list({ signal: AbortSignal.abort() })),
    InvalidResponseError: await failure(async () => new Response("no JSON")),
    OutcomeUnknownError: await failure(lost, (client) => client.calls.create(call)),
    ApiError: await answered(418),
    BadRequestError: await answered(400),
    AuthenticationError: await answered(401),
    PaymentRequiredError: await answered(402),
    PermissionDeniedError: await answered(403),
    NotFoundError: await answered(404),
    ConflictError: await answered(409),
    GoneError: await answered(410),
    UnprocessableEntityError: await answered(422),
    RateLimitError: await answered(429),
    ServerError: await answered(500),
    WebhookVerificationError: await thrown(() => copy.verifyWebhook({ body: "{}", headers: {} }, { secret: "secret" })),
  };
}

const errorClasses = Object.keys(imported).filter((name) => imported[name].prototype instanceof Error);
const [ours, theirs] = [await errorsOf(imported), await errorsOf(required)];
const bases = ["CallTransferError", "RequestError"];
const unmade = errorClasses.filter((name) => !(name in ours) && !bases.includes(name));
const wrong = unmade.map((name) => `no ${name} was created`);
for (const made of Object.keys(ours)) {
  for (const name of errorClasses) {
    const expected = made === name || imported[made].prototype instanceof imported[name];
    for (const [error, from] of [
      [ours[made], "imported"],
      [theirs[made], "required"],
    ]) {
      for (const [copy, by] of [
        [imported, "imported"],
        [required, "required"],
      ]) {
        const actual = error instanceof copy[name];
        if (actual !== expected) wrong.push(`${made} ${from}, instanceof ${name} ${by}: ${actual}`);
      }
    }
  }
  const answers = imported[made].prototype instanceof imported.ApiError || made === "ApiError";
  const guards = [imported.isApiError(theirs[made]), required.isApiError(ours[made])];
  if (guards.some((guard) => guard !== answers)) wrong.push(`isApiError of ${made} across copies: ${guards}`);
}

// Bundlers may rename a class that refers to itself; consoles and stacks would show that name.
for (const [name, value] of [...Object.entries(imported), ...Object.entries(required)])
  if (typeof value === "function" && /^class\b/.test(Function.prototype.toString.call(value)) && value.name !== name)
    wrong.push(`the class ${name} is named ${value.name}`);

// The inbox and the adapters of one copy, with the handler of the other.
const webhook = '{"type":"any","id":"1"}';
const signed = { "service-signature": await imported.signWebhook(webhook, { secret: "secret" }) };
const receivers = [
  [imported, { ...required, ...require("@call-transfer/sdk/webhooks/postgres") }],
  [required, { ...imported, ...importedPostgres }],
];
for (const [{ createWebhookHandler }, { postgresInbox, toNodeHandler }] of receivers) {
  const codes = [];
  const options = { secret: "secret", onEvent() {}, onError: (_, code) => void codes.push(code) };
  const down = Object.assign(new Error("no such database"), { code: "3D000" });
  const inbox = postgresInbox({ transaction: () => Promise.reject(down), query: async () => [] });
  const request = new Request("http://localhost/", { method: "POST", headers: signed, body: webhook });
  const { status } = await createWebhookHandler({ ...options, inbox })(request);
  const end = () => {
    throw new Error("The connection was lost.");
  };
  const lost = { setHeader() {}, headersSent: true, end };
  await toNodeHandler(createWebhookHandler(options))({ method: "POST", headers: signed, rawBody: webhook }, lost);
  const seen = `${status} ${codes}`;
  if (seen !== "503 store_failed,response_not_sent") wrong.push(`a handler with parts of the other copy: ${seen}`);
}

// Functions of one copy, with a client of the other.
const bodies = { roles: '{"roles":[]}', calls: '{"calls":[{"id":"c"}],"meta":{"total":1}}' };
const answers = async (url) => {
  const { pathname } = new URL(url);
  return new Response(bodies[pathname.split("/").at(-1)], { headers: { "content-type": "application/json" } });
};
const pairs = [
  [imported, { ...required, ...require("@call-transfer/sdk/raw"), ...require("@call-transfer/sdk/query") }],
  [required, { ...imported, ...importedRaw, ...importedQuery }],
];
async function useTogether({ CallTransfer }, other) {
  const options = { baseUrl: "https://api.example.com", apiKey: "key", accountId: "a", fetch: answers };
  const client = new CallTransfer(options);
  const list = other.listCalls(client);
  const { data, response } = await list.withResponse();
  const items = await list.toArray({ maxItems: 9 });
  const { data: roles } = await other.createRawClient(client).GET("/api/v1/roles");
  const { queryKey, queryFn } = other.listRolesQueryOptions(client);
  const queried = await queryFn({ signal: new AbortController().signal });
  const seen = [data, await response.json(), { calls: items, meta: { total: 1 } }].map((page) => JSON.stringify(page));
  if (seen.some((page) => page !== bodies.calls)) wrong.push(`a list does not fit the other copy: ${seen}`);
  if ([roles, queried].some((one) => JSON.stringify(one) !== bodies.roles) || queryKey[1].accountId !== "a")
    wrong.push("a read does not fit the other copy");
}
for (const [copy, other] of pairs)
  await useTogether(copy, other).catch((error) => wrong.push(`a client does not fit the other copy: ${error.message}`));
if (wrong.length > 0) throw new Error(wrong.join("\n"));
