import { type ControlClient, dataAs, dataOf, type Schema } from "@call-transfer/backend/control-client";
import { statusColour } from "../log/text.ts";
import { action, type Command } from "./command.ts";
import { readNow } from "./find-record.ts";
import type { Terminal } from "./output.ts";
import { formatTable, relativeTime } from "./tables.ts";
import { integer, oneOf } from "./values.ts";

type Entry = Schema<"RequestEntry">;
type Operation = Schema<"Coverage">["operations"][number];

export const requests: Command = {
  name: "requests",
  summary: "list the requests to the API, or show one with its response",
  example: "requests --status 422",
  actions: [
    action(
      "[REQUEST]",
      {
        help: "list the latest requests, newest last. With an id, or last, print that request as JSON: headers, bodies, what it changed, and what decided the response",
        options: {
          operation: { value: "OPERATION", help: "only requests to this operation, such as createCall" },
          status: { value: "N", read: integer(0, 599), help: "only responses with this status" },
          unmatched: { help: "only requests that match no operation, with the closest ones" },
          redact: {
            ...{ value: "true|false", read: oneOf(["true", "false"]), fallback: "true" },
            help: "whether keys, tokens, secrets and phone numbers of a request are hidden",
          },
          limit: { value: "N", read: integer(1, 1000), fallback: "20", help: "how many to list at most" },
        },
      },
      async ({ control, operands: [named], values, terminal }) => {
        const { operation: operationId, status, unmatched, redact, limit } = values;
        if (named !== undefined) {
          const params = { path: { id: await idOf(named, control) }, query: { redact: redact === "true" } };
          return { data: dataOf(await control.GET("/_control/v1/requests/{id}", { params })) };
        }
        const filter = {
          ...(operationId !== undefined && { operationId }),
          ...(status !== undefined && { status }),
          ...(unmatched && { unmatched }),
        };
        const data = (await list(control, filter)).slice(-limit);
        if (data.length > 0 && unmatched) return { data, text: data.map(formatUnmatched).join("\n\n") };
        if (data.length > 0) return { data, text: await formatList(control, data, terminal) };
        const others = Object.keys(filter).length === 0 ? [] : await list(control);
        return { data, text: others.length === 0 ? "No requests yet." : "No request matches." };
      },
    ),
  ],
};

/** The id of a request, or that of the last one. */
async function idOf(named: string, control: ControlClient): Promise<string> {
  if (named !== "last") return named;
  const last = (await list(control)).at(-1);
  if (last === undefined) throw new Error("There are no requests yet.");
  return String(last.id);
}

interface RequestQuery {
  readonly operationId?: string;
  readonly status?: number;
  readonly unmatched?: boolean;
}

async function list(control: ControlClient, query: RequestQuery = {}) {
  return dataAs<"RequestList">(await control.GET("/_control/v1/requests", { params: { query } })).requests;
}

async function formatList(control: ControlClient, entries: readonly Entry[], terminal: Terminal): Promise<string> {
  const now = await readNow(control);
  return formatTable(entries, terminal, [
    { title: "id", cell: ({ id }) => id },
    { title: "when", cell: ({ at }) => relativeTime(at, now) },
    { title: "method", cell: ({ method }) => method },
    { title: "path", cell: ({ path }) => path, flexible: true },
    { title: "operation", cell: ({ operationId, stub }) => operationId ?? stub, flexible: true },
    {
      title: "status",
      cell: ({ status }) => (status === 0 ? "none" : status),
      colour: ({ status }) => statusColour(status),
    },
    { title: "code", cell: ({ code }) => code },
    { title: "ms", cell: ({ durationMs }) => Math.round(durationMs * 10) / 10 },
    { title: "decided by", cell: ({ decidedBy: { step } }) => (step === "operation" ? undefined : step) },
    { title: "fault", cell: ({ fault }) => fault },
    { title: "replay of", cell: ({ replayOf }) => replayOf },
  ]);
}

function formatUnmatched({ method, path, status, closestOperations = [] }: Entry): string {
  const closest = closestOperations.map((one) => `  Did you mean ${one.method} ${one.path} (${one.operationId})?`);
  return [`${method} ${path} → ${status}`, ...closest].join("\n");
}

export const coverage: Command = {
  name: "coverage",
  summary: "count the responses of each operation by status or error code",
  actions: [
    action(
      "",
      {
        help: "print which documented statuses of each operation, or with --codes which error codes, were seen, and which not",
        options: { codes: { help: "error codes instead of statuses" } },
      },
      async ({ control, values: { codes }, terminal }) => {
        const data = dataAs<"Coverage">(await control.GET("/_control/v1/coverage"));
        const counts = (one: Operation) =>
          codes
            ? one.codes.map(({ code, ...rest }) => ({ value: code, ...rest }))
            : one.statuses.map(({ status, ...rest }) => ({ value: status, ...rest }));
        const seen = (one: Operation): string[] =>
          counts(one).flatMap(({ value, documented, count }) =>
            count === 0 ? [] : [`${value}${documented ? "" : " (undocumented)"}×${count}`],
          );
        const notSeen = (one: Operation) => counts(one).flatMap(({ value, count }) => (count === 0 ? [value] : []));
        const table = formatTable(data.operations, terminal, [
          { title: "operation", cell: ({ operationId }) => operationId },
          { title: "seen", cell: (one) => seen(one).join(" "), colour: () => "green", flexible: true },
          { title: "not seen", cell: (one) => notSeen(one).join(" "), colour: () => "dim", flexible: true },
        ]);
        const used = data.operations.filter(({ statuses }) => statuses.some(({ count }) => count > 0)).length;
        const summary = `${used} of ${data.operations.length} operations were used. Requests that matched no operation: ${data.unmatched}, rejected by the server: ${data.rejected}.`;
        return { data, text: `${table}\n\n${summary}` };
      },
    ),
  ],
};
