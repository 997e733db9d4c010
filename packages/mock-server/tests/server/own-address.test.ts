import { expect, it } from "vitest";
import { isOwnSocket } from "../../src/net/networks.ts";

const machine = ["127.0.0.1", "::1", "192.0.2.7", "2001:db8::7"];

it.each<[string, string, boolean]>([
  ["127.0.0.1", "127.0.0.1", true],
  ["127.0.0.1", "::ffff:127.0.0.1", true],
  ["127.0.0.1", "::ffff:7f00:1", true],
  ["127.0.0.1", "127.0.0.2", false],
  ["127.0.0.1", "192.0.2.7", false],
  ["127.0.0.1", "::1", false],
  ["::1", "::1", true],
  ["::1", "0:0:0:0:0:0:0:1", true],
  ["::1", "127.0.0.1", false],
  ["::ffff:127.0.0.1", "127.0.0.1", true],
  ["0.0.0.0", "127.0.0.1", true],
  ["0.0.0.0", "127.8.9.10", true],
  ["0.0.0.0", "192.0.2.7", true],
  ["0.0.0.0", "::ffff:192.0.2.7", true],
  ["0.0.0.0", "192.0.2.8", false],
  ["0.0.0.0", "::1", false],
  ["::", "::1", true],
  ["::", "2001:db8::7", true],
  ["::", "127.0.0.1", true],
  ["::", "192.0.2.7", true],
  ["::", "2001:db8::8", false],
])("a server bound to %s is reached at %s: %s", (bound, address, expected) => {
  expect(isOwnSocket({ address: bound, port: 4010 }, address, 4010, () => machine)).toBe(expected);
});

it("compares the port, and handles a server that does not listen", () => {
  expect(isOwnSocket({ address: "127.0.0.1", port: 4010 }, "127.0.0.1", 4011)).toBe(false);
  expect(isOwnSocket(null, "127.0.0.1", 4010)).toBe(false);
});
