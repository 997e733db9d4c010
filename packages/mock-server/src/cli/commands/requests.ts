import { type ControlClient, dataAs, dataOf, type Schema } from "@call-transfer/backend/control-client";
import { statusColour } from "../../log/columns.ts";
import { defineCommand } from "../options/command.ts";
import { flatFields, relativeTime } from "../terminal/show.ts";
import { type Column, formatFields, formatTable } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { readDuration, readNumber, UsageError } from "../values/command-line.ts";
import { expectAtMost } from "../values/operands.ts";
import { readNow } from "../values/server-time.ts";

type Entry = Schema<"RequestEntry">;
type RecordChange = NonNullable<Schema<"RequestDetail">["changes"]>[number];

export const requests = defineCommand({
  name: "requests",
  isList: true,
  summary: "list the requests to the API, or show one with its response",
  isFrequent: true,
  usages: {
    requests: "list the latest requests, newest last",
    "requests ID|last": "show a request: headers, bodies, and what decided the response",
    "requests replay ID|last": "send a request again, with the same headers and body, and show the new one",
    "requests wait":
      "wait until --count requests match --operation, --status, --method and --path; fails after --timeout",
    "requests clear": "clear the list",
  },
  example: "requests --status 422",
  options: {
    operation: { type: "string", value: "OPERATION", help: "only requests to this operation, such as createCall" },
    status: { type: "string", value: "N", help: "only responses with this status" },
    unmatched: { type: "boolean", help: "only requests that match no operation, with the closest ones" },
    after: { type: "string", value: "ID", help: "only requests after this one" },
    reveal: { type: "boolean", help: "show keys, tokens, secrets and phone numbers of a request" },
    limit: { type: "string", value: "N", fallback: "20", help: "how many to list at most" },
    method: { type: "string", value: "METHOD", help: "with wait: only requests with this method" },
    path: { type: "string", value: "PATH", help: "with wait: only requests to this path" },
    count: { type: "string", value: "N", fallback: "1", help: "with wait: how many requests" },
    timeout: { type: "string", value: "TIME", fallback: "5s", help: "with wait: at most this long, up to 30s" },
  },
  async run({ control, operands: [action, ...rest], values, terminal, hint }) {
    expectAtMost(action === "replay" ? 1 : 0, rest);
    const { operation, status, after, method, path, unmatched, reveal } = values;
    const limit = readNumber("--limit", values.limit ?? "20", 1000, 1);
    if (action !== "wait") {
      const waiting = (["method", "path", "count", "timeout"] as const).find((name) => values[name] !== undefined);
      if (waiting !== undefined) throw new UsageError(`--${waiting} only works with requests wait.`);
    }
    const filter = {
      ...(operation !== undefined && { operationId: operation }),
      ...(status !== undefined && { status: readNumber("--status", status, 599) }),
      ...(after !== undefined && { after: readNumber("--after", after, Number.MAX_SAFE_INTEGER) }),
    };
    if (action === "clear") {
      dataOf(await control.DELETE("/_control/v1/requests"));
      return { data: {}, text: "The list of requests is empty." };
    }
    if (action === "wait") {
      const count = readNumber("--count", values.count ?? "1", 1000, 1);
      const timeoutMs = readDuration("--timeout", values.timeout ?? "5s");
      if (timeoutMs > longestWaitMs) throw new UsageError(`--timeout ${values.timeout}: must be at most 30s.`);
      const body = { ...filter, ...(method && { method }), ...(path && { path }), count, timeoutMs };
      const data = dataAs<"RequestWaited">(await control.POST("/_control/v1/requests/wait", { body }));
      const failure = data.matched
        ? undefined
        : `${data.requests.length} of ${count} requests arrived within ${values.timeout ?? "5s"}. See all: ${hint("requests")}`;
      return { data, text: await formatList(control, data.requests, terminal), failure };
    }
    if (action === "replay") {
      const [named] = rest;
      if (named === undefined) throw new UsageError("requests replay: name the id of a request, or last.");
      const params = { path: { id: await idOf(named, control) } };
      const data = dataAs<"RequestDetail">(await control.POST("/_control/v1/requests/{id}/replay", { params }));
      return { data, text: formatDetail(data, terminal) };
    }
    if (action !== undefined) {
      const params = { path: { id: await idOf(action, control) }, ...(reveal && { query: { reveal } }) };
      const data = dataAs<"RequestDetail">(await control.GET("/_control/v1/requests/{id}", { params }));
      return { data, text: formatDetail(data, terminal) };
    }
    if (unmatched) {
      const all = dataAs<"UnmatchedList">(await control.GET("/_control/v1/requests/unmatched")).requests;
      const data = all.slice(-limit);
      return { data, text: data.map(formatUnmatched).join("\n\n") || "Every request matched an operation." };
    }
    const data = (await list(control, filter)).slice(-limit);
    return { data, text: data.length === 0 ? "No requests yet." : await formatList(control, data, terminal) };
  },
});

const longestWaitMs = 30_000;

/** The id of a request, or that of the last one. */
async function idOf(named: string, control: ControlClient): Promise<string> {
  return named === "last" ? String((await list(control)).at(-1)?.id ?? named) : named;
}

async function list(control: ControlClient, query: { operationId?: string; status?: number; after?: number } = {}) {
  return dataAs<"RequestList">(await control.GET("/_control/v1/requests", { params: { query } })).requests;
}

async function formatList(control: ControlClient, entries: readonly Entry[], terminal: Terminal): Promise<string> {
  const now = await readNow(control);
  const columns: readonly Column<Entry>[] = [
    { title: "id", cell: ({ id }) => id },
    { title: "when", cell: ({ at }) => relativeTime(at, now) },
    { title: "method", cell: ({ method }) => method },
    { title: "path", cell: ({ path }) => path, flexible: true },
    { title: "operation", cell: ({ operationId, stub }) => operationId ?? stub, isOptional: true },
    {
      title: "status",
      cell: ({ status }) => (status === 0 ? "none" : status),
      colour: ({ status }) => statusColour(status),
    },
    { title: "code", cell: ({ code }) => code },
    { title: "ms", cell: ({ durationMs }) => Math.round(durationMs * 10) / 10 },
    {
      title: "decided by",
      cell: ({ decidedBy: { step } }) => (step === "operation" ? undefined : step),
      isOptional: true,
    },
    { title: "fault", cell: ({ fault }) => fault },
    { title: "replay of", cell: ({ replayOf }) => replayOf },
  ];
  return formatTable(entries, terminal, columns);
}

function formatUnmatched({ method, path, status, closest }: Schema<"UnmatchedList">["requests"][number]): string {
  const fixes = closest.map((one) => `  ${one.method} ${one.path} (${one.operationId}): ${one.fix}`);
  return [`${method} ${path} → ${status}`, ...fixes].join("\n");
}

function formatDetail(entry: Schema<"RequestDetail">, { width }: Terminal): string {
  const { id, at, method, path, operationId, status, code, fault, stub, error } = entry;
  const { requestId, durationMs, decidedBy, caller, replayOf } = entry;
  const facts = formatFields(
    {
      id,
      at,
      request: `${method} ${path}`,
      operation: operationId ?? "none",
      response: `${status === 0 ? "none" : status}${code === undefined ? "" : ` ${code}`}`,
      "decided by": [decidedBy.step, decidedBy.section, decidedBy.detail].filter(Boolean).join(", "),
      caller: caller && Object.values(caller).join(" "),
      took: `${Math.round(durationMs * 10) / 10} ms`,
      "request id": requestId,
      "replay of": replayOf,
      fault,
      stub,
      error,
    },
    width,
  );
  const part = (title: string, text: string | undefined): string[] => (text ? [`${title}:\n${text}`] : []);
  const body = (value: unknown): string | undefined =>
    value === undefined ? undefined : JSON.stringify(value, null, 2);
  return [
    facts,
    ...part("Changes", entry.changes?.map(formatChange).join("\n")),
    ...part("Timers", entry.timers?.map(({ at: due, kind, id: about }) => `${due}  ${kind}  ${about}`).join("\n")),
    ...part("Headers", entry.headers && formatFields(entry.headers)),
    ...part("Query", entry.query && formatFields(entry.query)),
    ...part("Request body", body(entry.requestBody)),
    ...part("Response headers", entry.responseHeaders && formatFields(entry.responseHeaders)),
    ...part("Response body", body(entry.responseBody)),
  ].join("\n\n");
}

function formatChange({ collection, id, before, after }: RecordChange): string {
  const verb = before === undefined ? "added" : after === undefined ? "removed" : "changed";
  const [was, is] = [flatFields(Object(before)), flatFields(Object(after))];
  const fields = [...new Set([...Object.keys(was), ...Object.keys(is)])].filter((name) => was[name] !== is[name]);
  const lines = fields.map((name) => `  ${name}: ${was[name] ?? "-"} → ${is[name] ?? "-"}`);
  return [`${verb} ${collection} ${id}`, ...(verb === "changed" ? lines : [])].join("\n");
}
