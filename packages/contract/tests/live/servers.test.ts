// Runs the cases that see an edit against a server with that edit.
import { createBackend, demo } from "@call-transfer/backend";
import { expect, it } from "vitest";
import { isObject, memberOf } from "../../src/document/json.ts";
import type { LiveOptions } from "../../src/remote/options.ts";
import { checkServer, liveCases, statusOfReport } from "../../src/remote/run-live.ts";
import { operationOf } from "../../src/suite/recorder.ts";
import { type Edit, lawful, type Server, unlawful } from "./servers.ts";

/** A JSON value with another value at a pointer; undefined removes a member. */
function withValue(root: unknown, pointer: string, value: unknown): unknown {
  const [, ...steps] = pointer.split("/");
  const last = steps.pop();
  if (last === undefined) return value;
  const parent = steps.reduce(memberOf, root);
  if (isObject(parent) && value === undefined) Reflect.deleteProperty(parent, last);
  else if (isObject(parent)) Reflect.set(parent, last, value);
  return root;
}

function edited(
  response: Response,
  body: unknown,
  { status = response.status, headers = {}, body: values = {}, text }: Edit,
) {
  const sent = new Headers(response.headers);
  for (const [name, value] of Object.entries(headers))
    if (value === null) sent.delete(name);
    else sent.set(name, value);
  const root = Object.entries(values).reduce<unknown>((whole, [at, value]) => withValue(whole, at, value), body);
  const content = text ?? (root === undefined ? null : JSON.stringify(root));
  return new Response(content, { status, headers: sent });
}

/** The reference with one of its answers changed. Its clock stands still, and each answer has its time as `Date`. */
function serverOf([, , , , answers, edit]: Server) {
  const backend = createBackend({ now: Date.parse("2026-03-02T12:00:00Z"), clockMode: "frozen" });
  let seen = 0;
  const isMatch = (operation: string | undefined, { status }: Response, body: unknown): boolean => {
    const kind = status >= 400 ? "errors" : "successes";
    const code = status >= 400 ? memberOf(body, "code") : undefined;
    const names = ["all", kind, code, `${operation} ${code}`, code === undefined ? operation : undefined];
    return names.includes(answers);
  };
  const fetch: typeof globalThis.fetch = async (input, init) => {
    const request = new Request(input, init);
    const url = new URL(request.url);
    const query = new URLSearchParams(url.search);
    const operation = operationOf(request.method, url.pathname);
    if ("query" in edit && operation === answers) edit.query(url.searchParams);
    const response = await backend.fetch(new Request(url, request));
    const text = await response.text();
    const body: unknown = text === "" ? undefined : JSON.parse(text);
    const isMatching = isMatch(operation, response, body);
    if (isMatching) seen += 1;
    const original = { status: response.status, body: body as Record<string, unknown>, query };
    const chosen = !isMatching || "query" in edit ? {} : typeof edit === "function" ? edit(original, seen) : edit;
    const { from = 0, times = Number.POSITIVE_INFINITY } = chosen;
    const answer = edited(response, body, seen > from && seen <= from + times ? chosen : {});
    answer.headers.set("Date", new Date(backend.clock.now()).toUTCString());
    return answer;
  };
  return { backend, fetch };
}

async function check(server: Server) {
  const { backend, fetch } = serverOf(server);
  const accessToken = await backend.credentials.createAccessToken({ userId: demo.users.owner });
  const { flows, numbers, recipients } = demo;
  const options: LiveOptions = {
    baseUrl: "http://localhost",
    apiKey: demo.apiKey,
    accessToken,
    accountId: demo.accountId,
    memberId: demo.members.agent,
    timeoutSecs: 30,
    allowInsecureHttp: true,
    json: false,
    strict: false,
    without: [],
    changes: {
      rotation: { destinationId: demo.destinations.app, secretFile: "unused" },
      groupDestinationIds: [demo.destinations.phone, demo.destinations.app],
      hoursMemberId: demo.members.agent,
    },
    call: { flowId: flows.published, fromNumber: numbers.working, toNumber: recipients.anyone },
  };
  const cases = liveCases.filter(({ name }) => name.includes(server[3]));
  expect(cases, "the cases that see the edit").not.toEqual([]);
  const report = await checkServer(options, { announce() {}, saveSecret() {}, fetch }, cases);
  return {
    statuses: [statusOfReport(report, false), statusOfReport(report, true)],
    failures: report.runs.flatMap(({ failure }) => failure ?? []),
    differing: report.verdicts.filter(({ verdict }) => verdict === "differs").map(({ id }) => id),
  };
}

it.each(lawful)("passes: %s (%s)", async (...server) => {
  const { statuses, failures, differing } = await check(server);
  const [, , result] = server;
  expect(failures).toEqual([]);
  if (result === "same") expect({ statuses, differing }).toEqual({ statuses: [0, 0], differing: [] });
  else expect({ statuses, differing }).toEqual({ statuses: [0, 1], differing: expect.arrayContaining([result]) });
});

it.each(unlawful)("fails: %s (%s)", async (...server) => {
  const { statuses, failures } = await check(server);
  expect(statuses).toEqual([1, 1]);
  expect(failures.join("\n")).toContain(server[1]);
  expect(failures.join("\n")).not.toContain("TypeError");
});
