import type { Backend, BackendEvent, SandboxRegistry } from "@call-transfer/backend";
import { maskNumbers } from "@call-transfer/backend/control-client";
import { hasColour } from "./colour.ts";
import { formatEvent } from "./format-event.ts";
import { createLineWriter } from "./line-writer.ts";
import { sinkFor, writeLast } from "./output.ts";

/** The values of `--log-format`: lines for a person, one JSON object a line, or nothing. */
export const logModes = ["pretty", "json", "silent"] as const;

/** How a server logs. */
export type LogMode = (typeof logModes)[number];

const { stdout } = process;

/** How long the end of a server waits for an output that is read slowly. */
const flushMs = 500;

/**
 * Writes the events of all sandboxes to the standard output, one a line, until the returned function is called. That function resolves
 * when the last line is written, or after half a second.
 */
export function startLog(sandboxes: Pick<SandboxRegistry, "follow" | "get">, mode: LogMode): () => Promise<void> {
  if (mode === "silent") return () => Promise.resolve();
  const format = mode === "json" ? formatJson : createFormatter(sandboxes);
  const droppedLine = (count: number): string => {
    const at = new Date().toISOString();
    return format("default", { eventId: "", at, type: "log.dropped", count }) ?? "";
  };
  const writer = createLineWriter(sinkFor(stdout), droppedLine);
  const stop = sandboxes.follow((sandbox, event) => {
    const line = format(sandbox, event);
    if (line !== undefined) writer.write(line);
  });
  // After an exception that nothing caught, or a second signal.
  const onExit = () => writeLast(stdout, writer.end());
  process.once("exit", onExit);
  return () => {
    stop();
    process.off("exit", onExit);
    return writer.flush(flushMs);
  };
}

type Format = (sandbox: string, event: BackendEvent) => string | undefined;

function formatJson(sandbox: string, event: BackendEvent): string {
  return maskNumbers(JSON.stringify({ sandbox, ...event }));
}

function createFormatter(sandboxes: Pick<SandboxRegistry, "get">): Format {
  const colour = hasColour(stdout);
  return (sandbox, event) =>
    formatEvent(event, {
      colour,
      sandbox,
      // Read each time: a window can be resized.
      width: stdout.columns || undefined,
      nameOf: (id) => recordName(sandboxes.get(sandbox), id),
    });
}

/** The name of a destination, a group or a member's user. */
export function recordName(backend: Backend | undefined, id: string): string | undefined {
  if (backend === undefined) return undefined;
  const { destinations, groups, members, users } = backend.state;
  const userId = members.get(id)?.userId;
  return (
    destinations.get(id)?.name ?? groups.get(id)?.name ?? (userId === undefined ? undefined : users.get(userId)?.name)
  );
}
