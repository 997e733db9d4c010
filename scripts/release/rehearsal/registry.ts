// Verdaccio on a free port of this machine. It has no uplink for our packages, and takes others from the registry that npm has.
import { spawn } from "node:child_process";
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

/** A registry with its settings for npm. */
export interface Registry {
  readonly url: string;
  /** A file of settings with the registry and a token that may publish. */
  readonly publisher: string;
  /** A file of settings with the registry alone. */
  readonly customer: string;
  /** The version with the tag `latest` of a package; undefined for one that the registry does not know. */
  latest(name: string): Promise<unknown>;
  close(): Promise<void>;
}

const settings = (storage: string, uplink: string): object => ({
  storage,
  auth: { htpasswd: { file: join(storage, "htpasswd"), max_users: 1 } },
  uplinks: { npm: { url: uplink, timeout: "60s", max_fails: 20, fail_timeout: "1s" } },
  packages: {
    "@call-transfer/*": { access: "$all", publish: user.name, unpublish: user.name },
    "**": { access: "$all", proxy: "npm" },
  },
  web: { enable: false },
  max_body_size: "100mb",
  log: { type: "stdout", format: "pretty", level: "warn", colors: false },
});

/** Asks over a new connection: the registry closes idle ones, which this process does not notice while it waits for a command. */
const ask = (url: string, init: { method?: string; body?: string } = {}): Promise<Response> =>
  fetch(url, { ...init, headers: { "content-type": "application/json", connection: "close" } });

const isListening = (url: string): Promise<boolean> =>
  ask(`${url}/-/ping`).then(
    ({ ok }) => ok,
    () => false,
  );

/** Starts the registry with nothing in it. Its files and its log are in `folder`. */
export async function startVerdaccio(folder: string): Promise<Registry> {
  const storage = join(folder, "storage");
  mkdirSync(storage, { recursive: true });
  const config = join(folder, "verdaccio.yaml");
  // YAML contains JSON.
  const uplink = run(folder, "npm", "config", "get", "registry").trim();
  writeFileSync(config, JSON.stringify(settings(storage, uplink)));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const log = openSync(join(folder, "verdaccio.log"), "a");
  const bin = join(tools, "node_modules/verdaccio/bin/verdaccio");
  const options = ["--config", config, "--listen", url];
  const child = spawn(process.execPath, [bin, ...options], { cwd: folder, stdio: ["ignore", log, log] });
  // Verdaccio must not outlive a rehearsal that is interrupted. A signal is seen when the present command has ended.
  process.once("exit", () => child.kill());
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  const deadline = Date.now() + startsWithinMs;
  while (!(await isListening(url))) {
    if (child.exitCode === null && Date.now() < deadline) await sleep(pollMs);
    else throw new Error(`Verdaccio did not start:\n${readFileSync(join(folder, "verdaccio.log"), "utf8")}`);
  }
  const file = (name: string, ...lines: readonly string[]): string => {
    writeFileSync(join(folder, name), [`registry=${url}/`, "audit=false", "fund=false", ...lines, ""].join("\n"));
    return join(folder, name);
  };
  return {
    url,
    publisher: file("publisher.npmrc", `//127.0.0.1:${port}/:_authToken=${await tokenOf(url)}`),
    customer: file("customer.npmrc"),
    latest: async (name) => {
      const response = await ask(`${url}/${name.replace("/", "%2f")}`);
      return response.status === 404 ? undefined : objectIn(objectIn(await response.json())["dist-tags"]).latest;
    },
    close: async () => {
      if (child.exitCode !== null) return;
      const ended = once(child, "exit");
      child.kill();
      await ended;
    },
  };
}

/** Adds the user that may publish. */
async function tokenOf(url: string): Promise<string> {
  const body = JSON.stringify({ ...user, _id: `org.couchdb.user:${user.name}`, type: "user", roles: [] });
  const response = await ask(`${url}/-/user/org.couchdb.user:${user.name}`, { method: "PUT", body });
  const { token } = objectIn(await response.json());
  if (typeof token !== "string") throw new Error(`Verdaccio gave no token: ${response.status}.`);
  return token;
}
