import type { Backend, BackendEvent, SandboxRegistry } from "@call-transfer/backend";
import { maskNumbers } from "@call-transfer/backend/control-client";
import { formatEvent } from "./format-event.ts";
import { hasColour } from "./text.ts";

/** How a server logs, by the values of `--log-format`: lines for a person, one JSON object a line, or nothing. */
export type LogMode = "pretty" | "json" | "silent";

const { stdout } = process;

/** How long the end of a server waits for an output that is read slowly. */
const flushMs = 500;
/** Bytes that wait for a slow output: about 10,000 lines. */
const maxWaiting = 1_000_000;

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
  const { write, flush } = createLineWriter(droppedLine);
  const stop = sandboxes.follow((sandbox, event) => {
    const line = format(sandbox, event);
    if (line !== undefined) write(line);
  });
  // After an exception that nothing caught, or a second signal.
  process.once("exit", flush);
  return () => {
    stop();
    process.off("exit", flush);
    flush();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, flushMs);
      stdout.write("", () => {
        clearTimeout(timer);
        resolve();
      });
    });
  };
}

/**
 * Writes lines to the standard output, those of one turn of the event loop together. While too many wait for a reader, further ones
 * are left out, and the line of `droppedLine` says how many.
 */
function createLineWriter(droppedLine: (count: number) => string) {
  let lines: string[] = [];
  let [dropped, isClosed] = [0, false];
  const flush = (): void => {
    if (dropped > 0) lines.push(droppedLine(dropped));
    dropped = 0;
    if (lines.length > 0) stdout.write(`${lines.join("\n")}\n`);
    lines = [];
  };
  const write = (line: string): void => {
    if (isClosed) return;
    if (stdout.writableLength > maxWaiting) {
      dropped += 1;
      return;
    }
    if (lines.length === 0) setImmediate(flush);
    if (dropped > 0) lines.push(droppedLine(dropped));
    dropped = 0;
    lines.push(line);
  };
  // The reader is gone, as after `| head`. Without a listener, that would end the server.
  stdout.on("error", () => {
    isClosed = true;
  });
  stdout.on("drain", () => {
    if (dropped > 0) flush();
  });
  return { write, flush };
}

type Format = (sandbox: string, event: BackendEvent) => string | undefined;

function formatJson(sandbox: string, event: BackendEvent): string {
  return maskNumbers(JSON.stringify({ sandbox, ...event }));
}

function createFormatter(sandboxes: Pick<SandboxRegistry, "get">): Format {
  const colour = hasColour(stdout);
  return (sandbox, event) =>
    formatEvent(event, { colour, sandbox, nameOf: (id) => recordName(sandboxes.get(sandbox), id) });
}

/** The name of a destination, a group or a member's user. */
function recordName(backend: Backend | undefined, id: string): string | undefined {
  if (backend === undefined) return undefined;
  const { destinations, groups, members, users } = backend.state;
  const userId = members.get(id)?.userId;
  return (
    destinations.get(id)?.name ?? groups.get(id)?.name ?? (userId === undefined ? undefined : users.get(userId)?.name)
  );
}
