import type { BackendEvent } from "@call-transfer/backend";
import { type ControlClient, dataAs, followEvents } from "@call-transfer/backend/control-client";
import { formatEvent } from "../log/format-event.ts";
import { action, type Command } from "./command.ts";
import { readNameOf, readSince } from "./find-record.ts";
import type { Terminal } from "./output.ts";
import { integer, unknownWord } from "./values.ts";

/** The first words of the types of events. */
export const eventFamilies = [
  ...["request", "requests", "call", "transfer", "delivery", "inbox", "fault", "stub", "timer", "clock", "member"],
  ...["availability", "secret", "key", "record", "policies", "scenario", "sandbox", "stream"],
] as const;

/** The latest events that a sandbox keeps. */
const mostKept = 2000;

export const events: Command = {
  name: "events",
  summary: "show requests, webhooks, timers and changes, also as they happen",
  example: "events --follow --type request --type delivery",
  actions: [
    action(
      "",
      {
        help: "print the latest events, one a line, newest last. With --follow, go on until Ctrl-C, also after a lost connection; --json prints one JSON object a line then",
        options: {
          follow: { help: "print each event as it happens, until Ctrl-C" },
          type: {
            ...{ value: "TYPE", repeats: true },
            help: "only events of this type, such as delivery.completed, or of this family, such as delivery",
          },
          since: {
            value: "TIME",
            help: "only events since then: a duration before now on the sandbox's clock (10m), or a date-time",
          },
          limit: {
            ...{ value: "N", read: integer(1, mostKept) },
            help: "how many to print at most (default 20); with --follow, end after so many (default: never)",
          },
        },
      },
      async (context) => {
        const { control, values, sandbox, terminal, isJson } = context;
        const isWanted = readTypes(values.type);
        if (values.follow) {
          const left = { count: values.limit ?? Number.POSITIVE_INFINITY };
          const line = isJson ? JSON.stringify : await lineFormat(control, sandbox, terminal);
          for await (const event of following(context, values.since)) {
            const text = isWanted(event) ? line(event) : undefined;
            if (text !== undefined) terminal.print(text);
            if (text !== undefined && --left.count === 0) break;
          }
          return undefined;
        }
        const data = (await readEvents(control, values.since)).filter(isWanted).slice(-(values.limit ?? 20));
        const line = await lineFormat(control, sandbox, terminal);
        const lines = data.flatMap((event) => line(event) ?? []);
        if (lines.length > 0) return { data, text: lines.join("\n") };
        const others = await readLatest(control, 1);
        return { data, text: others.length === 0 ? "No events yet." : "No event matches." };
      },
    ),
  ],
};

type Feed = Parameters<NonNullable<(typeof events)["actions"][number]>["run"]>[0];

/** The events since a time, and then each one as it happens. */
async function* following(
  { control, url, headers, terminal }: Feed,
  since: string | undefined,
): AsyncGenerator<BackendEvent> {
  const after = (await readLatest(control, 1)).at(-1)?.eventId;
  if (since !== undefined) yield* await readEvents(control, since, after);
  yield* followEvents({ url, headers, after, signal: terminal.signal, warn: terminal.warn });
}

async function lineFormat(control: ControlClient, sandbox: string, terminal: Terminal) {
  const nameOf = await readNameOf(control);
  const { hasColour: colour } = terminal;
  return (event: BackendEvent): string | undefined => formatEvent(event, { colour, sandbox, nameOf });
}

/** Reads `--type`. Throws UsageError for a type that no event has: waiting for it would never end. */
function readTypes(types: readonly string[] | undefined): (event: BackendEvent) => boolean {
  for (const type of types ?? [])
    if (!eventFamilies.some((family) => family === type.split(".")[0]))
      throw unknownWord("event type", type, eventFamilies);
  return ({ type }) => types === undefined || types.some((one) => type === one || type.startsWith(`${one}.`));
}

async function readLatest(control: ControlClient, limit: number): Promise<readonly BackendEvent[]> {
  return dataAs<"EventList">(await control.GET("/_control/v1/events", { params: { query: { limit } } })).events;
}

/** The kept events since a time, up to the one with the id `until`. */
async function readEvents(control: ControlClient, since: string | undefined, until?: string) {
  const kept = await readLatest(control, mostKept);
  const last = until === undefined ? kept.length : kept.findIndex(({ eventId }) => eventId === until) + 1;
  const start = since === undefined ? 0 : await readSince(control, since);
  return kept.slice(0, last).filter(({ at }) => Date.parse(at) >= start);
}
