import type { BackendEvent } from "@call-transfer/backend";
import { type ControlClient, dataAs, followEvents } from "@call-transfer/backend/control-client";
import { formatEvent } from "../../log/format-event.ts";
import { defineCommand } from "../options/command.ts";
import type { OptionTable } from "../options/option-entry.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { readNumber, UsageError } from "../values/command-line.ts";
import { readNameOf } from "../values/find-record.ts";
import { expectAtMost, unknownWord } from "../values/operands.ts";
import { readSince } from "../values/server-time.ts";

/** The first words of the types of events. */
export const eventFamilies = [
  "request",
  "call",
  "transfer",
  "webhook",
  "inbox",
  "fault",
  "timer",
  "clock",
  "availability",
  "secret",
  "state",
  "policies",
  "scenario",
  "sandbox",
  "stream",
] as const;

const selection = {
  type: {
    type: "string",
    multiple: true,
    value: "TYPE",
    help: "only events of this type, such as webhook.delivered, or of this family, such as webhook; repeatable",
    choices: eventFamilies,
  },
  since: {
    type: "string",
    value: "TIME|ID",
    help: "only events since then: a duration before now on the sandbox's clock (10m), a date-time, or after an event's id",
  },
} as const satisfies OptionTable;

export const events = defineCommand({
  name: "events",
  isList: true,
  summary: "list the latest events: requests, webhooks, timers, changes",
  usages: { events: "print the latest events, one a line, newest last" },
  example: "events --type webhook --since 10m",
  options: { ...selection, limit: { type: "string", value: "N", fallback: "20", help: "how many to print at most" } },
  async run({ control, operands, values, sandbox, terminal }) {
    expectAtMost(0, operands);
    const isWanted = readTypes(values.type);
    const limit = readNumber("--limit", values.limit ?? "20", 2000, 1);
    const found = await readEvents(control, values.since);
    const data = found.filter(isWanted).slice(-limit);
    const line = await lineFormat(control, sandbox, terminal);
    const lines = data.flatMap((event) => line(event) ?? []);
    return { data, text: lines.length === 0 ? "No events yet." : lines.join("\n") };
  },
});

export const tail = defineCommand({
  name: "tail",
  summary: "print events as they happen, one a line",
  isFrequent: true,
  usages: {
    tail: "print each event of the sandbox as it happens, until Ctrl-C. After a lost connection, it continues where it was; --json prints one JSON object a line",
  },
  example: "tail --type request --type webhook",
  options: { ...selection, count: { type: "string", value: "N", help: "end after N events" } },
  async run({ control, operands, values, url, sandbox, token, terminal }) {
    expectAtMost(0, operands);
    const isWanted = readTypes(values.type);
    let left = values.count === undefined ? Number.POSITIVE_INFINITY : readNumber("--count", values.count, 1e9, 1);
    const line = values.json ? JSON.stringify : await lineFormat(control, sandbox, terminal);
    /** Prints an event if it is wanted; returns whether to go on. */
    const show = (event: BackendEvent): boolean => {
      const text = isWanted(event) ? line(event) : undefined;
      if (text === undefined) return true;
      terminal.print(text);
      left -= 1;
      return left > 0;
    };
    const latest = await readLatest(control, { limit: 1 });
    const position = latest.at(-1)?.eventId;
    if (values.since !== undefined) {
      for (const event of await readEvents(control, values.since, position)) if (!show(event)) return undefined;
    }
    const headers = { "X-Sandbox": sandbox, ...(token !== undefined && { Authorization: `Bearer ${token}` }) };
    const follower = { url, headers, after: position, signal: terminal.signal, warn: terminal.warn };
    for await (const event of followEvents(follower)) if (!show(event)) break;
    return undefined;
  },
});

async function lineFormat(control: ControlClient, sandbox: string, terminal: Terminal) {
  const nameOf = await readNameOf(control);
  const { width, hasColour: colour } = terminal;
  return (event: BackendEvent): string | undefined => formatEvent(event, { colour, sandbox, width, nameOf });
}

/** Reads `--type`. Throws UsageError for a type that no event has: waiting for it would never end. */
function readTypes(types: readonly string[] | undefined): (event: BackendEvent) => boolean {
  for (const type of types ?? [])
    if (!eventFamilies.some((family) => family === type.split(".")[0]))
      throw unknownWord("event type", type, eventFamilies);
  return ({ type }) => types === undefined || types.some((one) => type === one || type.startsWith(`${one}.`));
}

async function readLatest(
  control: ControlClient,
  query: { readonly after?: string; readonly limit?: number },
): Promise<readonly BackendEvent[]> {
  return dataAs<"EventList">(await control.GET("/_control/v1/events/latest", { params: { query } })).events;
}

/** The kept events since a time or after an event, up to the one with the id `until`. */
async function readEvents(
  control: ControlClient,
  since: string | undefined,
  until?: string,
): Promise<readonly BackendEvent[]> {
  const kept = await readLatest(control, { limit: 2000 });
  const last = until === undefined ? kept.length : kept.findIndex(({ eventId }) => eventId === until) + 1;
  const found = kept.slice(0, last);
  if (since === undefined) return found;
  const start = await readSince(control, since);
  if ("time" in start) return found.filter(({ at }) => Date.parse(at) >= start.time);
  const index = found.findIndex(({ eventId }) => eventId === start.eventId);
  if (index === -1)
    throw new UsageError(
      `--since ${since}: the sandbox no longer has this event. It keeps the latest 2000; leave --since out for all.`,
    );
  return found.slice(index + 1);
}
