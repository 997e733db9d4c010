// Verdaccio on a free port of this machine. Anybody may publish our packages there; others come from the registry that npm has.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../../build/free-port.ts";
import { run, tools } from "../../packed.ts";

const startsWithinMs = 300_000;
const pollMs = 200;

/** A registry with a file of settings for npm. */
export interface Registry {
  readonly url: string;
  readonly settings: string;
  close(): Promise<void>;
}

const configuration = (folder: string, uplink: string): object => ({
  storage: join(folder, "storage"),
  uplinks: { npm: { url: uplink, timeout: "60s", max_fails: 20, fail_timeout: "1s" } },
  packages: {
    "@call-transfer/*": { access: "$all", publish: "$all", unpublish: "$all" },
    "**": { access: "$all", proxy: "npm" },
  },
  web: { enable: false },
  max_body_size: "100mb",
  log: { type: "stdout", format: "pretty", level: "warn", colors: false },
});

const isListening = (url: string): Promise<boolean> =>
  fetch(`${url}/-/ping`, { headers: { connection: "close" } }).then(
    ({ ok }) => ok,
    () => false,
  );

/** Starts the registry with nothing in it. Its files and its log are in `folder`. */
export async function startVerdaccio(folder: string): Promise<Registry> {
  mkdirSync(join(folder, "storage"), { recursive: true });
  const [config, logFile] = [join(folder, "verdaccio.yaml"), join(folder, "verdaccio.log")];
  // YAML contains JSON.
  writeFileSync(config, JSON.stringify(configuration(folder, run(folder, "npm", "config", "get", "registry").trim())));
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const log = openSync(logFile, "a");
  const bin = join(tools, "node_modules/verdaccio/bin/verdaccio");
  const options = ["--config", config, "--listen", url];
  const child = spawn(process.execPath, [bin, ...options], { cwd: folder, stdio: ["ignore", log, log] });
  // Verdaccio must not outlive a rehearsal that is interrupted. A signal is seen when the present command has ended.
  process.once("exit", () => child.kill());
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  const deadline = Date.now() + startsWithinMs;
  while (!(await isListening(url))) {
    if (child.exitCode === null && Date.now() < deadline) await sleep(pollMs);
    else throw new Error(`Verdaccio did not start:\n${readFileSync(logFile, "utf8")}`);
  }
  const settings = join(folder, "npmrc");
  // npm publishes nothing without a token.
  const lines = [`registry=${url}/`, `//127.0.0.1:${port}/:_authToken=none`, "audit=false", "fund=false", ""];
  writeFileSync(settings, lines.join("\n"));
  return {
    url,
    settings,
    close: async () => {
      if (child.exitCode !== null) return;
      const ended = once(child, "exit");
      child.kill();
      await ended;
    },
  };
}
