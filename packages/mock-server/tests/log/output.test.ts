import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";
import { createLineWriter } from "../../src/log/line-writer.ts";
import { type OutputStream, sinkFor, type WriteBytes } from "../../src/log/output.ts";

afterEach(() => vi.useRealTimers());

/** A terminal whose writes end as listed: a number of bytes that are taken, an error, or `all`. */
function terminal(results: readonly (number | "all" | "EAGAIN" | "EPIPE")[]) {
  const left = [...results];
  const taken: Buffer[] = [];
  const write: WriteBytes = (_fd, bytes, done) => {
    const result = left.shift() ?? "all";
    if (result === "EAGAIN" || result === "EPIPE") return done(Object.assign(new Error(result), { code: result }), 0);
    const count = result === "all" ? bytes.length : Math.min(result, bytes.length);
    taken.push(Buffer.from(bytes.subarray(0, count)));
    done(null, count);
  };
  const stream: OutputStream = { fd: 1, isTTY: true, write: () => true, on: () => {} };
  return { sink: sinkFor(stream, write), text: () => Buffer.concat(taken).toString() };
}

it
  .skipIf(process.platform === "win32")
  .each([
    [["EAGAIN"]],
    [["EAGAIN", "EAGAIN", "EAGAIN", "all"]],
    [[3, "EAGAIN", 1, "EAGAIN", "all", "EAGAIN"]],
    [[1, 1, 1, 1, 1, 1, 1, "EAGAIN"]],
  ] as const)("loses no line, and writes none twice, while a terminal takes no more: %j", async (results) => {
  vi.useFakeTimers();
  const { sink, text } = terminal(results);
  const writer = createLineWriter(sink, (count) => `${count} left out`);
  const lines = ["first", "zweite ☎", "third"];
  for (const line of lines) {
    writer.write(line);
    await vi.runAllTimersAsync();
  }
  expect(text()).toBe(`${lines.join("\n")}\n`);
});

it.skipIf(process.platform === "win32")("reports an output that is gone", async () => {
  vi.useFakeTimers();
  const done = vi.fn();
  terminal(["EAGAIN", "EPIPE"]).sink("text\n", done);
  await vi.runAllTimersAsync();
  expect(done.mock.calls).toEqual([[expect.objectContaining({ code: "EPIPE" })]]);
});

/** Writes numbered lines to a full pipe, through the stream or by writes of its own, which then fail with EAGAIN. */
const program = (isTTY: boolean) => `
  import { write } from "node:fs";
  import { createLineWriter } from "${new URL("../../src/log/line-writer.ts", import.meta.url)}";
  import { sinkFor } from "${new URL("../../src/log/output.ts", import.meta.url)}";
  const { stdout } = process;
  let isFull = false;
  const full = () => {
    if (!isFull) process.send("full");
    isFull = true;
  };
  const stream = {
    fd: 1,
    isTTY: ${isTTY},
    on: (name, listener) => stdout.on(name, listener),
    write(text, done) {
      const isTaken = stdout.write(text, done);
      if (!isTaken) full();
      return isTaken;
    },
  };
  const sink = sinkFor(stream, (fd, bytes, done) =>
    write(fd, bytes, (error, written) => {
      if (error?.code === "EAGAIN") full();
      done(error, written);
    }),
  );
  const writer = createLineWriter(sink, (count) => count + " left out");
  for (let number = 0; number < 20000; number += 1) writer.write("line " + number);
  await writer.flush(600000);
  process.disconnect();
`;

it.skipIf(process.platform === "win32").each([
  ["through the stream", false],
  ["by writes that get EAGAIN", true],
])("loses no line of a pipe that is read late, %s", async (_, isTTY) => {
  const child = spawn(
    process.execPath,
    ["--conditions=@call-transfer/source", "--input-type=module", "--eval", program(isTTY)],
    { stdio: ["ignore", "pipe", "inherit", "ipc"], cwd: fileURLToPath(new URL("../..", import.meta.url)) },
  );
  await once(child, "message");
  let text = "";
  child.stdout?.setEncoding("utf8").on("data", (part) => {
    text += part;
  });
  await once(child, "close");
  expect(text.trimEnd().split("\n")).toEqual(Array.from({ length: 20_000 }, (_each, number) => `line ${number}`));
});

/** Logs two lines, the second in the pause after the first, and then fails. */
const failing = `
  import { createLineWriter } from "${new URL("../../src/log/line-writer.ts", import.meta.url)}";
  import { sinkFor, writeLast } from "${new URL("../../src/log/output.ts", import.meta.url)}";
  const sink = sinkFor(process.stdout);
  const writer = createLineWriter((text, done) => sink(text, (error) => (done(error), fail())), String);
  process.once("exit", () => writeLast(process.stdout, writer.end()));
  writer.write("first");
  const fail = () => {
    writer.write("last");
    throw new Error("nothing catches this");
  };
`;

it.skipIf(process.platform === "win32").each(["pipe", "file"])(
  "loses no line when an exception that nothing catches ends the process: %s",
  async (kind) => {
    const folder = mkdtempSync(join(tmpdir(), "call-transfer-output-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const path = join(folder, "log");
    const file = openSync(path, "w");
    const child = spawn(
      process.execPath,
      ["--conditions=@call-transfer/source", "--input-type=module", "--eval", failing],
      {
        stdio: ["ignore", kind === "pipe" ? "pipe" : file, "ignore"],
        cwd: fileURLToPath(new URL("../..", import.meta.url)),
      },
    );
    let text = "";
    child.stdout?.setEncoding("utf8").on("data", (part) => {
      text += part;
    });
    const [status] = await once(child, "close");
    closeSync(file);
    expect([status, kind === "pipe" ? text : readFileSync(path, "utf8")]).toEqual([1, "first\nlast\n"]);
  },
);
