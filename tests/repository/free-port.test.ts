import { readFileSync } from "node:fs";
import { platform } from "node:os";
import { expect, it } from "vitest";
import { freePort } from "../../build/free-port.ts";

it.skipIf(platform() !== "linux")("gives ports that Linux gives to no connection and to no other server", async () => {
  const [lowest] = readFileSync("/proc/sys/net/ipv4/ip_local_port_range", "utf8").split("\t").map(Number);
  const ports = await Promise.all(Array.from({ length: 50 }, freePort));
  expect(Math.max(...ports)).toBeLessThan(lowest ?? 0);
});
