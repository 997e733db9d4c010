// Real database servers for tests.
import { execFile, execFileSync } from "node:child_process";
import { existsSync, globSync } from "node:fs";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "../../build/free-port.ts";
import { limitMs, type ServerProcess, startServer, temporaryFolder, until } from "./server-process.ts";

/** A running Redis server. */
export interface RedisServer extends ServerProcess {
  /** Sends a command through redis-cli, such as `["replicaof", "no", "one"]`. Returns what it prints. */
  command(...words: readonly string[]): Promise<string>;
}

/** The newest installed program of this name: Debian keeps PostgreSQL's outside of PATH. */
function find(name: string): string | undefined {
  const inPath = (process.env.PATH ?? "").split(delimiter).map((folder) => join(folder, name));
  const ofDebian = globSync(`/usr/lib/postgresql/*/bin/${name}`);
  const versionOf = (path: string) => Number(/\d+/.exec(path)?.[0]);
  return [...ofDebian.sort((a, b) => versionOf(b) - versionOf(a)), ...inPath].find((path) => existsSync(path));
}

function program(name: string): string {
  const path = find(name);
  if (path === undefined) throw new Error(`There is no ${name}. Install it, for example with apt-get.`);
  return path;
}

/** The programs of these servers that this machine lacks. */
export const missingPrograms = (): string[] =>
  ["redis-server", "redis-cli", "initdb", "postgres"].filter((name) => find(name) === undefined);

/**
 * Starts Redis, which keeps its keys over a restart.
 *
 * @param options.replicaOf Makes it a replica of this server, and waits until it has its keys.
 * @param options.settings More words for its command line, such as `["--maxmemory", "2mb"]`.
 */
export async function startRedis(
  options: { replicaOf?: ServerProcess; settings?: readonly string[] } = {},
): Promise<RedisServer> {
  const { replicaOf, settings = [] } = options;
  const file = program("redis-server");
  const replication = replicaOf ? ["--replicaof", "127.0.0.1", String(replicaOf.port)] : [];
  const server = await startServer(
    {
      command: (port) => [
        ...[file, "--bind", "127.0.0.1", "--port", String(port), "--save", "", "--appendonly", "yes"],
        ...["--repl-diskless-sync-delay", "0", ...replication, ...settings],
      ],
      folder: temporaryFolder(),
      readyText: replicaOf ? "sync: Finished with success" : "Ready to accept connections",
      endSignal: "SIGTERM",
    },
    "redis://",
  );
  const command = async (...words: readonly string[]) => {
    const asked = ["-p", String(server.port), ...words];
    const { stdout } = await promisify(execFile)(program("redis-cli"), asked, { timeout: limitMs });
    return stdout.trim();
  };
  return Object.assign(server, { command });
}

/** Starts a primary with a replica that are a Redis Cluster. */
export async function startRedisCluster(): Promise<readonly RedisServer[]> {
  // By default, its bus listens on the port of the node plus 10,000, which somebody else may have.
  const startNode = async () =>
    startRedis({ settings: ["--cluster-enabled", "yes", "--cluster-port", String(await freePort())] });
  const [primary, replica] = [await startNode(), await startNode()];
  await primary.command("cluster", "addslotsrange", "0", "16383");
  const busPort = /,|@(\d+)/.exec(await primary.command("cluster", "nodes"))?.[1] ?? "";
  await replica.command("cluster", "meet", "127.0.0.1", String(primary.port), busPort);
  const joined = (isTrue: () => Promise<boolean>) => until("The nodes are no cluster.", isTrue);
  const id = await primary.command("cluster", "myid");
  await joined(async () => (await replica.command("cluster", "nodes")).includes(id));
  await joined(async () => (await replica.command("cluster", "replicate", id)) === "OK");
  await joined(async () => (await replica.command("info", "replication")).includes("master_link_status:up"));
  await joined(async () => (await primary.command("cluster", "info")).includes("cluster_state:ok"));
  return [primary, replica];
}

/** As root, PostgreSQL's programs run as its user: they refuse to run as root. */
const isRoot = process.getuid?.() === 0;
const asUser = isRoot ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : [];

/** Starts PostgreSQL with an empty database for the user `postgres`, without a password. As root it runs as that user. */
export async function startPostgres(): Promise<ServerProcess> {
  const folder = temporaryFolder();
  const data = join(folder, "data");
  if (isRoot) execFileSync("chown", ["postgres:", folder]);
  const [first = "", ...words] = [...asUser, program("initdb"), "--pgdata", data, "--username=postgres"];
  const settings = ["--auth=trust", "--encoding=UTF8", "--no-locale", "--no-sync"];
  execFileSync(first, [...words, ...settings], { cwd: folder, stdio: "pipe", timeout: limitMs });
  const file = program("postgres");
  return startServer(
    {
      command: (port) => [...asUser, file, "-D", data, "-h", "127.0.0.1", "-p", String(port), "-k", folder],
      folder,
      readyText: "database system is ready to accept connections",
      endSignal: "SIGQUIT",
    },
    "postgresql://postgres@",
  );
}
