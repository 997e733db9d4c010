// What happens to a data file besides a kill: it is removed or replaced, or its disk is full. A write that was acknowledged is there
// afterwards, or the server says that it is not.
import { execFileSync } from "node:child_process";
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { demo } from "@call-transfer/backend";
import { operations } from "@call-transfer/spec";
import { createRandom } from "../simulate/scheduler.ts";
import { prepareServer, type Server } from "./servers/server.ts";

/** What an accident left. */
export interface Outcome {
  readonly accident: string;
  /** Writes that were acknowledged before, and meanwhile. */
  readonly before: number;
  readonly meanwhile: number;
  /** Acknowledged writes that the next server has, and those that it lacks. */
  readonly left: number;
  readonly missing: number;
  /** What the server said. */
  readonly said: string;
  readonly findings: readonly string[];
}

/** A server with writes, to which something happens. */
interface Scene {
  readonly server: Server;
  readonly file: string;
  /** Writes groups, and returns the status of each answer. */
  write(count: number): Promise<readonly number[]>;
  /** The text of the answer to a write. */
  refusal(): Promise<string>;
  get(path: string): Promise<Response>;
  kill(): Promise<void>;
  /** Starts a server that must not start, and returns what it printed. */
  failedStart(): Promise<string>;
  expect(what: string, isSo: boolean): void;
}

/** Causes an accident, and ends with a server that runs. Returns what the server said. */
type Accident = (scene: Scene) => Promise<string>;

const writesMeanwhile = 5;

async function expectNone(scene: Scene, status: number): Promise<void> {
  scene.expect("is not ready", (await scene.get("/health/ready")).status === 503);
  const statuses = await scene.write(writesMeanwhile);
  scene.expect(
    `answers ${statuses.join(", ")} to writes`,
    statuses.every((one) => one === status),
  );
  scene.expect("answers reads", (await scene.get(operations.listRoles.path)).ok);
  scene.expect("is alive", (await scene.get("/health")).ok);
}

/** Saves what the server holds, and starts the next one with it. */
async function continueWithBackup({ server, file, get, kill, expect }: Scene): Promise<void> {
  const backup = await get("/_control/v1/backup");
  expect("gives a backup", backup.ok);
  const content = new Uint8Array(await backup.arrayBuffer());
  await kill();
  rmSync(`${file}-wal`, { force: true });
  writeFileSync(file, content);
  await server.start();
}

const accidents: Readonly<Record<string, Accident>> = {
  async "removed after a kill"({ server, file, kill, failedStart, expect }) {
    await kill();
    renameSync(file, `${file}.away`);
    const said = await failedStart();
    expect("names the log", said.includes(`${file} does not exist, but ${file}-wal does`));
    renameSync(`${file}.away`, file);
    await server.start();
    return said;
  },
  async "removed while the server runs"(scene) {
    rmSync(scene.file);
    await expectNone(scene, 500);
    const said = await scene.refusal();
    await continueWithBackup(scene);
    return said;
  },
  async "replaced while the server runs"(scene) {
    const { file } = scene;
    execFileSync("cp", [file, `${file}.other`]);
    renameSync(`${file}.other`, file);
    await expectNone(scene, 500);
    const said = await scene.refusal();
    await continueWithBackup(scene);
    return said;
  },
  async "a log removed while the server runs"(scene) {
    rmSync(`${scene.file}-wal`);
    await expectNone(scene, 500);
    const said = await scene.refusal();
    await continueWithBackup(scene);
    return said;
  },
};

/** Needs a file system of its own, which only some users may mount. */
const fullDisk: Accident = async (scene) => {
  const { server, get, kill, expect } = scene;
  const filler = join(server.folder, "filler");
  try {
    writeFileSync(filler, Buffer.alloc(diskBytes));
  } catch {
    // It is full now.
  }
  // What is left of the last page may take a write or two.
  while ((await scene.write(1))[0] === 201);
  await expectNone(scene, 500);
  const said = await scene.refusal();
  rmSync(filler);
  expect("is ready when there is space", (await get("/health/ready")).ok);
  expect("takes writes when there is space", (await scene.write(1))[0] === 201);
  await kill();
  await server.start();
  return said;
};

const diskBytes = 2_000_000;

/** Runs each accident once, after a number of writes that follows from the seed. */
export async function* runAccidents(seed: number): AsyncGenerator<Outcome> {
  for (const [name, accident] of Object.entries(accidents)) yield runOne(name, accident, seed);
  if (canMount()) yield runOne("a full disk", fullDisk, seed, true);
  else console.log("  left out: a full disk, because this user may not mount a file system.");
}

function mountSmall(folder: string): void {
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${diskBytes}`, "tmpfs", folder], { stdio: "pipe" });
}

function canMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), "call-transfer-mount-"));
  try {
    mountSmall(folder);
    execFileSync("umount", [folder]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function runOne(name: string, accident: Accident, seed: number, isSmall = false): Promise<Outcome> {
  const random = createRandom(seed, name);
  const findings: string[] = [];
  const server = await prepareServer("sqlite", [], undefined);
  if (isSmall) mountSmall(server.folder);
  const names: string[] = [];
  let next = 0;
  const post = (): Promise<Response> => {
    next += 1;
    const body = JSON.stringify({ name: `Write ${next}`, members: [{ destinationId: demo.destinations.phone }] });
    const headers = { authorization: `Bearer ${demo.apiKey}`, "content-type": "application/json" };
    return fetch(server.url + operations.createDestinationGroup.path, { method: "POST", headers, body });
  };
  const write = async (count: number): Promise<readonly number[]> => {
    const statuses: number[] = [];
    for (let at = 0; at < count; at += 1) {
      const response = await post();
      if (response.ok) names.push(((await response.json()) as { readonly name: string }).name);
      else await response.text();
      statuses.push(response.status);
    }
    return statuses;
  };
  const scene: Scene = {
    ...{ server, file: join(server.folder, "mock.db"), write },
    async refusal() {
      const { detail } = (await (await post()).json()) as { readonly detail?: string };
      return detail ?? "";
    },
    get: (path) => fetch(server.url + path, { headers: { authorization: `Bearer ${demo.apiKey}` } }),
    kill: () => server.end("SIGKILL"),
    async failedStart() {
      const before = server.errors().length;
      const failed = await server.start().then(
        () => false,
        () => true,
      );
      if (!failed) throw new Error("The server started.");
      return server.errors().slice(before).trim();
    },
    expect(what, isSo) {
      if (!isSo) findings.push(`${name}: it is not so that the server ${what}.`);
    },
  };
  let [before, left, said] = [0, 0, ""];
  try {
    await server.start();
    await write(Math.floor(random.between(5, 40)));
    before = names.length;
    said = await accident(scene);
    const response = await scene.get("/_control/v1/records/groups");
    const { records } = (await response.json()) as { readonly records: readonly { readonly name: string }[] };
    const found = new Set(records.map((record) => record.name));
    left = names.filter((one) => found.has(one)).length;
    if (left < names.length) findings.push(`${name}: ${names.length - left} acknowledged writes are missing.`);
    if (said === "") findings.push(`${name}: the server said nothing.`);
  } catch (error) {
    findings.push(`${name}: ${error}`);
  } finally {
    await server.end("SIGKILL").catch((error) => findings.push(String(error)));
    if (isSmall) execFileSync("umount", [server.folder]);
    await server.close();
  }
  const meanwhile = names.length - before;
  return { accident: name, before, meanwhile, left, missing: names.length - left, said, findings };
}
