import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createBackend, demo } from "@call-transfer/backend";
import { afterAll, beforeEach, expect, it, vi } from "vitest";
import { finish as runHere } from "./run-line.ts";
import { ready as startReady } from "./start-command.ts";

const folder = mkdtempSync(join(tmpdir(), "call-transfer-data-command-"));
let files = 0;
let data = "";

beforeEach(() => {
  data = join(folder, `${++files}.db`);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Starts a server, and waits until it is ready. */
async function ready(...args: string[]) {
  const { info, output, warned, stop } = await startReady(args);
  const names = async (): Promise<readonly string[]> => {
    const response = await fetch(`${info.url}/_control/v1/records/groups`);
    const { records: groups } = (await response.json()) as { readonly records: readonly { readonly name: string }[] };
    return groups.map(({ name }) => name);
  };
  const create = async (name: string): Promise<number> => {
    const headers = { authorization: `Bearer ${info.apiKey}`, "content-type": "application/json" };
    const body = JSON.stringify({ name, members: [{ destinationId: demo.destinations.phone }] });
    const url = `${info.url}/api/v1/transfers/destination-groups`;
    return (await fetch(url, { method: "POST", headers, body })).status;
  };
  return { info, output, warned, names, create, stop };
}

/** Runs the command until it ends. */
async function finish(...args: string[]) {
  const { status, stderr } = await runHere(...(args[0] === "snapshot" ? args : ["--port", "0", ...args]));
  return { status, stderr };
}

it.each(["SIGKILL", "SIGTERM"] as const)(
  "continues with --data-file after %s, and prints where the state is",
  async (signal) => {
    const first = await ready("--data-file", data);
    expect(first.info.dataFile).toBe(data);
    expect(await first.create("Weekend")).toBe(201);
    await first.stop(signal);
    const second = await ready("--data-file", data);
    expect(await second.names()).toContain("Weekend");
    expect(second.info.apiKey).toBe(first.info.apiKey);
    expect([first.output.stderr, second.output.stderr]).toEqual(["", ""]);
  },
);

it("copies the file with backup while the server runs, and continues with the copy", async () => {
  const first = await ready("--data-file", data);
  await first.create("Weekend");
  const copy = join(folder, "copy.db");
  expect(await finish("snapshot", "backup", copy, "--url", first.info.url)).toEqual({ status: 0, stderr: "" });
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  expect(readdirSync(folder).filter((name) => name.startsWith("copy"))).toEqual(["copy.db"]);
  await first.create("Later");
  const before = readFileSync(copy);
  expect(await finish("snapshot", "backup", copy, "--url", first.info.url)).toEqual({
    status: 2,
    stderr: `error: snapshot backup ${copy}: the file exists. Name a new one.\n`,
  });
  expect(readFileSync(copy).equals(before)).toBe(true);
  const names = await (await ready("--data-file", copy)).names();
  expect([names.includes("Weekend"), names.includes("Later")]).toEqual([true, false]);
});

it("names the options that the kept state overrides", async () => {
  const own = ["--policy", "concurrentCallLimit=1", "--clock-rate", "2", "--cors-origin", "http://a.test"];
  const options = ["--data-file", data, ...own];
  const first = await ready(...options);
  await first.stop("SIGTERM");
  expect(first.output.stderr).toBe("");
  const second = await ready(...options);
  expect(await second.warned()).toBe(
    `warning: Restored from ${data}. These options have no effect until a reset: --clock-rate, --policy\n`,
  );
});

it("imports a snapshot into a new file, and never over the state in one", async () => {
  const snapshot = join(folder, "snapshot.json");
  const backend = createBackend();
  backend.collections.update("groups", demo.groups.existing, { name: "Imported" });
  writeFileSync(snapshot, JSON.stringify(backend.snapshot()));
  const first = await ready("--data-file", data, "--import", snapshot);
  await first.create("Weekend");
  await first.stop("SIGKILL");
  const before = readFileSync(data);
  expect(await finish("--data-file", data, "--import", snapshot)).toEqual({
    status: 2,
    stderr: `error: --import ${snapshot}: would replace the state in ${data}. Remove --import, or name a new file with --data-file.\n`,
  });
  expect(readFileSync(data).equals(before)).toBe(true);
  expect(await (await ready("--data-file", data)).names()).toEqual(expect.arrayContaining(["Imported", "Weekend"]));
});

it("ends with status 1 and one line for a file that it cannot use", async () => {
  writeFileSync(data, "[]\n");
  expect(await finish("--data-file", data)).toEqual({
    status: 1,
    stderr: `error: --data-file: ${data} is not a data file of the mock server. Name another file.\n`,
  });
  vi.stubEnv("CALL_TRANSFER_MOCK_DATA_FILE", data);
  expect(await finish()).toEqual({
    status: 1,
    stderr: `error: CALL_TRANSFER_MOCK_DATA_FILE: ${data} is not a data file of the mock server. Name another file.\n`,
  });
});
