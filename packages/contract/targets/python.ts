// The Python client over HTTP, by threads and on asyncio.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Driver } from "./driver.ts";
import { openHttp } from "./http.ts";
import { type TargetRunner, withSharedSetup } from "./runner.ts";

const folder = fileURLToPath(new URL("../../python/", import.meta.url));

/** Prints the folder of the commands of the checks' environment, which it makes first. */
const environmentOf = ["run", "--silent", "--prefix", "../..", "check", "--", "python", "--environment"];

function python(mode: "sync" | "async"): TargetRunner {
  const name = `python-${mode}`;
  return withSharedSetup(name, async () => {
    const program = join(execFileSync("npm", environmentOf, { cwd: folder, encoding: "utf8" }).trim(), "python");
    const environment = { ...process.env, PYTHONPATH: join(folder, "src"), PYTHONDONTWRITEBYTECODE: "1" };
    const driver = await Driver.start([program, join(folder, "tests/contract_driver.py"), mode], environment);
    const { open, stop } = await openHttp(name);
    let [through, others] = [0, 0];
    return {
      async open() {
        const { target, close } = await open();
        const before = driver.clients;
        return {
          target: { ...target, createClient: driver.clientsOf() },
          async close() {
            if (driver.clients > before) through += 1;
            else others += 1;
            await close();
          },
        };
      },
      async stop() {
        await driver.stop();
        await stop();
        console.log(`${name}: ${through} cases through the client, ${others} with raw requests or none`);
      },
    };
  });
}

export const pythonSync = python("sync");
export const pythonAsync = python("async");
