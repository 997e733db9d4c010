import { fstatSync, write as writeFile, writeSync } from "node:fs";
import type { ColourStream } from "./colour.ts";
import type { Sink } from "./line-writer.ts";

/** The parts of `process.stdout` that the log uses. */
export interface OutputStream extends ColourStream {
  readonly fd?: number;
  readonly columns?: number;
  write(text: string, done: (error?: Error | null) => void): boolean;
  on(event: "error", listener: (error: Error) => void): unknown;
}

/** Writes bytes to a file descriptor, as `write` of `node:fs` does. */
export type WriteBytes = (
  fd: number,
  bytes: Uint8Array,
  done: (error: NodeJS.ErrnoException | null, written: number) => void,
) => void;

/** How long to wait before a write that the output could not take is tried again. */
const retryMs = 20;

/**
 * Returns a sink for an output stream that never blocks the process. Node writes to pipes in the background, but to
 * terminals and files at once, so that a stopped terminal (Ctrl-S) would stop the server. Those get writes of their own.
 */
export function sinkFor(stream: OutputStream, write: WriteBytes = writeFile): Sink {
  // Without a listener, the end of a pipe's reader would end the server.
  stream.on("error", () => {});
  const { fd } = stream;
  // Consoles of Windows take text only from the stream, which converts it.
  const usesStream = fd === undefined || process.platform === "win32" || !(stream.isTTY || isFile(fd));
  if (usesStream) return (text, done) => void stream.write(text, done);
  return (text, done) => writeAll((bytes, written) => write(fd, bytes, written), Buffer.from(text), done);
}

/** Writes the last lines of a process that ends at once, as far as that cannot wait: not to a terminal, which may be stopped. */
export function writeLast(stream: OutputStream, text: string): void {
  const { fd } = stream;
  if (text === "" || stream.isTTY) return;
  try {
    if (fd !== undefined && isFile(fd)) writeSync(fd, text);
    else stream.write(text, () => {});
  } catch {
    // Such as a full disk. The process ends, and why it does is more important.
  }
}

function isFile(fd: number): boolean {
  return fstatSync(fd).isFile();
}

/** Writes all bytes. A write may take only a part of them, or none while a terminal is stopped. */
function writeAll(
  write: (bytes: Uint8Array, done: Parameters<WriteBytes>[2]) => void,
  bytes: Uint8Array,
  done: (error?: Error | null) => void,
): void {
  write(bytes, (error, written) => {
    if (error?.code === "EAGAIN") setTimeout(writeAll, retryMs, write, bytes, done);
    else if (error !== null || written >= bytes.length) done(error);
    else writeAll(write, bytes.subarray(written), done);
  });
}
