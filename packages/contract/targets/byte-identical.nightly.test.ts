import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { startMockServer } from "@call-transfer/mock-server";
import { type OperationId, operations } from "@call-transfer/spec";
import { expect, it } from "vitest";
import { operationIds } from "../src/document/document.ts";
import { accounts, start, users, uuid } from "../src/fixtures/names.ts";
import { world } from "../src/fixtures/world.ts";
import { validInput } from "../src/suite/client.ts";
import { browserHere } from "./browser/find-browser.ts";
import { openMswPage } from "./browser/msw-browser.ts";
import type { BytesAnswer, MswPage, PlainRequest } from "./browser/msw-page.ts";

const run = promisify(execFile);

/** Sends requests to an address as somebody at a command line does. */
const curl =
  (baseUrl: string): MswPage["send"] =>
  async ({ method, path, headers, body }) => {
    const given = Object.entries(headers).flatMap(([name, value]) => ["--header", `${name}: ${value}`]);
    const data = body === undefined ? [] : ["--data-binary", body];
    const address = ["--globoff", "--path-as-is", baseUrl + path];
    const options = ["--silent", "--show-error", "--max-time", "120", "--request", method];
    const { stdout } = await run("curl", [...options, ...given, ...data, "--write-out", "%{http_code}", ...address], {
      encoding: "buffer",
      maxBuffer: 2 ** 24,
    });
    return { status: Number(stdout.subarray(-3).toString()), bytes: [...stdout.subarray(0, -3)] };
  };

const place = "/_sandbox/side-by-side";
const control = (path: string, body: unknown): PlainRequest => ({
  method: "POST",
  path: `/_control/v1${path}`,
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body),
});
const parsed = ({ bytes }: BytesAnswer): unknown => JSON.parse(Buffer.from(bytes).toString());

/** The requests of one operation: a good one with each credential, and one for each way to be refused. */
function requestsOf(id: OperationId, { key, token }: { key: string; token: string }): Record<string, PlainRequest> {
  const { method, path: template, pathParameters, queryParameters, hasBody } = operations[id];
  const { path: known, body } = validInput(id);
  const json = hasBody ? { "content-type": "application/json" } : {};
  const withKey = { ...json, authorization: `Bearer ${key}` };
  const withToken = { ...json, authorization: `Bearer ${token}` };
  const request = (headers: Record<string, string>, path = known, sent: unknown = body, search = ""): PlainRequest => ({
    method,
    path: place + template.replaceAll(/\{([^}]+)\}/g, (_whole, name) => path[name] ?? "") + search,
    headers,
    ...(hasBody && { body: typeof sent === "string" ? sent : JSON.stringify(sent) }),
  });
  const ids = (value: string) => Object.fromEntries(pathParameters.map((name) => [name, value]));
  return {
    "nobody's": request(json),
    "a stranger's": request({ ...json, authorization: "Bearer nonsense" }),
    "without an account": request(withToken),
    "of a foreign account": request({ ...withToken, "x-account-id": accounts.outside }),
    "a user's": request({ ...withToken, "x-account-id": accounts.home }),
    ...(pathParameters.length > 0 && {
      "for what is not there": request(withKey, ids(uuid(999))),
      "for what is no id": request(withKey, ids("é")),
    }),
    ...(hasBody && {
      "with a broken body": request(withKey, known, "{"),
      "with an empty object": request(withKey, known, {}),
      "with wide characters": request(withKey, known, { ...Object(body), name: "Zürich 👩‍⚕️ 東京" }),
    }),
    ...Object.fromEntries(
      Object.keys(queryParameters).map((name) => [
        `with a bad ${name}`,
        request(withKey, known, body, `?${name}=%F0%9F%91%A9`),
      ]),
    ),
    "a program's": request(withKey),
    "a program's second": request(withKey),
  };
}

/** Says the same to a platform as to any other, and tells what it answered. */
async function converse(send: MswPage["send"]): Promise<Record<string, { status: number; body: string }>> {
  const answers: Record<string, { status: number; body: string }> = {};
  const ask = async (what: string, request: PlainRequest) => {
    const answer = await send(request);
    // Each stream of events has a name of its own, at random.
    const body = Buffer.from(answer.bytes)
      .toString("latin1")
      .replaceAll(/"eventId":"[0-9a-f]{8}-/g, '"eventId":"…-');
    answers[what] = { status: answer.status, body };
    return answer;
  };
  const inPlace = ({ path, ...request }: PlainRequest): PlainRequest => ({ ...request, path: place + path });
  const now = new Date(start).toISOString();
  await ask("the sandbox", control("/sandboxes", { name: "side-by-side", seed: world, now, clock: "frozen", prng: 7 }));
  const { key } = parsed(
    await ask("a key", inPlace(control("/credentials/api-keys", { accountId: accounts.home }))),
  ) as {
    key: string;
  };
  const { token } = parsed(
    await ask("a token", inPlace(control("/credentials/access-tokens", { userId: users.owner }))),
  ) as {
    token: string;
  };
  for (const id of operationIds)
    for (const [what, request] of Object.entries(requestsOf(id, { key, token }))) await ask(`${id}: ${what}`, request);
  for (const action of [{ code: "internal_error" }, { rateLimit: { retryAfterSecs: 7 } }, "unknownEnum"])
    for (const id of operationIds) {
      await send(inPlace(control("/faults", { match: { operationId: id }, do: action })));
      const { "a program's": request } = requestsOf(id, { key, token });
      if (request) await ask(`${id}: under ${JSON.stringify(action)}`, request);
    }
  await ask("a day", inPlace(control("/clock/advance", { by: 86_400_000 })));
  for (const id of operationIds) {
    const { "a program's": request } = requestsOf(id, { key, token });
    if (request) await ask(`${id}: a day later`, request);
  }
  await ask("what is left", inPlace({ ...control("/snapshot", undefined), method: "GET", headers: {} }));
  await ask("no path", inPlace({ method: "GET", path: "/api/v1/nothing", headers: {} }));
  return answers;
}

it.runIf(await browserHere())("a page under MSW and curl at the mock server read the same bytes", async () => {
  const server = await startMockServer({ port: 0 });
  const page = await openMswPage();
  try {
    await page.call("useSandboxes");
    const overHttp = await converse(curl(server.url));
    const inPage = await converse((request) => page.call("send", request));
    expect(inPage).toEqual(overHttp);
    for (const id of operationIds) {
      const statuses = Object.keys(overHttp).flatMap((what) =>
        what.startsWith(`${id}:`) ? (overHttp[what]?.status ?? []) : [],
      );
      expect(statuses, id).toEqual(expect.arrayContaining([operations[id].successes[0].status, 401, 429, 500]));
    }
  } finally {
    await page.close();
    await server.close();
  }
});
