// Verdaccio on a free port of this machine. It has no uplink for our packages, and takes others from the registry that npm has.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../../build/free-port.ts";
import { run, tools } from "../../packed.ts";
import { objectIn } from "../json.ts";

const user = { name: "publisher", password: "rehearsal" };
const startsWithinMs = 300_000;
const pollMs = 200;

/** What a registry says of a package. */
export interface Published {
  /** Every version with the digest of its tarball, and the text of its deprecation. */
  readonly versions: Readonly<Record<string, { readonly integrity: string; readonly deprecated: string | undefined }>>;
  /** Versions by dist-tag. */
  readonly tags: Readonly<Record<string, string>>;
}

/** A registry with its settings for npm. */
export interface Rehearsed {
  readonly url: string;
  /** A file of settings with the registry and a token that may publish. */
  readonly publisher: string;
  /** A file of settings with the registry alone. */
  readonly customer: string;
  /** Restarts the registry so that it refuses to publish one package, or none. */
  refuse(name: string | undefined): Promise<void>;
  published(name: string): Promise<Published>;
  close(): Promise<void>;
}

function settings(storage: string, uplink: string, refused: string | undefined): string {
  const rule = (pattern: string, more: object): Record<string, object> => ({ [pattern]: { access: "$all", ...more } });
  const packages = {
    ...(refused === undefined ? {} : rule(refused, { publish: "somebody-else", unpublish: "somebody-else" })),
    ...rule("@call-transfer/*", { publish: user.name, unpublish: user.name }),
    ...rule("**", { proxy: "npm" }),
  };
  // YAML contains JSON.
  return JSON.stringify({
    storage,
    auth: { htpasswd: { file: join(storage, "htpasswd"), max_users: 1 } },
    uplinks: { npm: { url: uplink, timeout: "60s", max_fails: 20, fail_timeout: "1s" } },
    packages,
    web: { enable: false },
    max_body_size: "100mb",
    log: { type: "stdout", format: "pretty", level: "warn", colors: false },
  });
}

/** Asks over a new connection: the registry closes idle ones, which this process does not notice while it waits for a command. */
const ask = (
  url: string,
  { headers, ...init }: { method?: string; body?: string; headers?: Record<string, string> } = {},
): Promise<Response> => fetch(url, { ...init, headers: { ...headers, connection: "close" } });

async function isListening(url: string): Promise<boolean> {
  try {
    return (await ask(`${url}/-/ping`)).ok;
  } catch {
    return false;
  }
}

/** Starts the registry with nothing in it. Its files and its log are in `folder`. */
export async function startVerdaccio(folder: string): Promise<Rehearsed> {
  const storage = join(folder, "storage");
  mkdirSync(storage, { recursive: true });
  const uplink = run(folder, "npm", "config", "get", "registry").trim();
  // Verdaccio starts again on the same one.
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;

  const stop = async (): Promise<void> => {
    if (child === undefined || child.exitCode !== null) return;
    const ended = once(child, "exit");
    child.kill();
    await ended;
  };
  const start = async (refused: string | undefined): Promise<void> => {
    await stop();
    const config = join(folder, "verdaccio.yaml");
    writeFileSync(config, settings(storage, uplink, refused));
    const log = openSync(join(folder, "verdaccio.log"), "a");
    const bin = join(tools, "node_modules/verdaccio/bin/verdaccio");
    child = spawn(process.execPath, [bin, "--config", config, "--listen", url], {
      cwd: folder,
      stdio: ["ignore", log, log],
    });
    const deadline = Date.now() + startsWithinMs;
    while (!(await isListening(url))) {
      if (child.exitCode === null && Date.now() < deadline) await sleep(pollMs);
      else throw new Error(`Verdaccio did not start:\n${readFileSync(join(folder, "verdaccio.log"), "utf8")}`);
    }
  };

  // Verdaccio must not outlive a rehearsal that is interrupted. A signal is seen when the present command has ended.
  process.once("exit", () => child?.kill());
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  await start(undefined);
  const file = (name: string, ...lines: readonly string[]): string => {
    writeFileSync(join(folder, name), [`registry=${url}/`, "audit=false", "fund=false", ...lines, ""].join("\n"));
    return join(folder, name);
  };
  return {
    url,
    publisher: file("publisher.npmrc", `//127.0.0.1:${port}/:_authToken=${await tokenOf(url)}`),
    customer: file("customer.npmrc"),
    refuse: start,
    published: (name) => readPublished(url, name),
    close: stop,
  };
}

/** Adds the user that may publish. */
async function tokenOf(url: string): Promise<string> {
  const response = await ask(`${url}/-/user/org.couchdb.user:${user.name}`, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ ...user, _id: `org.couchdb.user:${user.name}`, type: "user", roles: [] }),
  });
  const { token } = objectIn(await response.json());
  if (typeof token !== "string") throw new Error(`Verdaccio gave no token: ${response.status}.`);
  return token;
}

async function readPublished(url: string, name: string): Promise<Published> {
  const response = await ask(`${url}/${name.replace("/", "%2f")}`);
  if (response.status === 404) return { versions: {}, tags: {} };
  const { versions, "dist-tags": tags } = objectIn(await response.json());
  const facts = Object.entries(objectIn(versions)).map(([version, manifest]) => {
    const { dist, deprecated } = objectIn(manifest);
    return [
      version,
      {
        integrity: String(objectIn(dist).integrity),
        deprecated: deprecated === undefined ? undefined : `${deprecated}`,
      },
    ] as const;
  });
  const named = Object.entries(objectIn(tags)).map(([tag, version]) => [tag, String(version)] as const);
  return { versions: Object.fromEntries(facts), tags: Object.fromEntries(named) };
}
