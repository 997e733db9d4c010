import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";

/** So many fit into one write to a pipe. */
const count = 600;
const program = `import { freePort } from "${new URL("../../build/free-port.ts", import.meta.url)}";
const ports = [];
while (ports.length < ${count}) ports.push(await freePort());
console.log(JSON.stringify(ports));
await new Promise((resolve) => process.stdin.once("end", resolve).resume());`;

it("gives each port to one of several processes, as long as it runs", async () => {
  const ran = [1, 2].map(() => {
    const running = promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program]);
    const { stdin, stdout } = running.child;
    const printed = new Promise<number[]>((resolve, reject) => {
      stdout?.once("data", (line: string) => resolve(JSON.parse(line)));
      running.catch(reject);
    });
    const end = async () => {
      stdin?.end();
      await running;
    };
    return { printed, end };
  });
  const ports = await Promise.all(ran.map(({ printed }) => printed));
  await Promise.all(ran.map(({ end }) => end()));
  expect(new Set(ports.flat()).size).toBe(2 * count);
});
