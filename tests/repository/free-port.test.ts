import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer } from "node:net";
import { platform } from "node:os";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { freePort } from "../../build/free-port.ts";

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

it("gives ports on which a server can listen at once", async () => {
  const ports = await Promise.all(Array.from({ length: 50 }, freePort));
  const servers = ports.map((port) => createServer().listen(port, "127.0.0.1"));
  const outcomes = servers.map(
    (server) => new Promise((resolve) => server.once("listening", resolve).once("error", resolve)),
  );
  expect(await Promise.all(outcomes)).toEqual(ports.map(() => undefined));
  for (const server of servers) server.close();
});

it.skipIf(platform() !== "linux")("gives ports that Linux gives to no connection and to no other server", async () => {
  const [lowest] = readFileSync("/proc/sys/net/ipv4/ip_local_port_range", "utf8").split("\t").map(Number);
  const ports = await Promise.all(Array.from({ length: 50 }, freePort));
  expect(Math.max(...ports)).toBeLessThan(lowest ?? 0);
});
