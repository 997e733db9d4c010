import { hostname } from "node:os";
import { describe, expect, it } from "vitest";
import { hostRules, isAccepted, isHostPattern } from "../../src/server/gate.ts";

const isAcceptedBy = (bound: string, allowed: readonly string[] = [], publicUrl?: string) => {
  const rules = hostRules(bound, allowed, publicUrl);
  return (name: string) => isAccepted(name, rules);
};

describe("a server that only this machine can reach", () => {
  it.each(["127.0.0.1", "localhost", "[::1]", "10.0.2.2"])("accepts %s", (name) => {
    expect(isAcceptedBy("127.0.0.1")(name)).toBe(true);
  });

  it.each(["192.168.1.5", "mock", "host.docker.internal", "evil.example", ""])("refuses %s", (name) => {
    expect(isAcceptedBy("127.0.0.1")(name)).toBe(false);
  });

  it.each(["127.0.0.1", "127.0.0.2", "::1", "[::1]", "localhost", "app.localhost"])("may be bound to %s", (bound) => {
    expect(isAcceptedBy(bound)("192.168.1.5")).toBe(false);
  });
});

describe.each(["0.0.0.0", "::", "192.168.1.5"])("a server on %s", (bound) => {
  it.each([
    "localhost",
    "10.0.2.2",
    "192.168.1.5",
    "[fd00::1]",
    "host.docker.internal",
    "gateway.docker.internal",
    "host.containers.internal",
    "mock",
    "printer.local",
    "mock.default.svc.cluster.local",
    hostname().toLowerCase(),
  ])("accepts %s, which no page of the internet can have", (name) => {
    expect(isAcceptedBy(bound)(name)).toBe(true);
  });

  it.each(["evil.example", "127.0.0.1.nip.example", "local.evil.example", "localhost.", "0177.0.0.1", ".local", ""])(
    "refuses %s",
    (name) => {
      expect(isAcceptedBy(bound)(name)).toBe(false);
    },
  );
});

it("accepts the host of the public URL and allowed names, in any case", () => {
  const accepts = isAcceptedBy("127.0.0.1", ["Mock.Example", "*.Preview.Example"], "https://Api.Example/base");
  const names = ["mock.example", "a.preview.example", "a.b.preview.example", "api.example"];
  expect(names.map(accepts)).toEqual([true, true, true, true]);
  const others = ["preview.example", ".preview.example", "apreview.example", "a.mock.example", "www.api.example"];
  expect(others.map(accepts)).toEqual([false, false, false, false, false]);
});

it.each([
  ["mock", true],
  ["*.mock.test", true],
  ["[fd00::1]", true],
  ["*", false],
  ["a.*.test", false],
  ["*mock.test", false],
  ["mock:4010", false],
  ["http://mock", false],
  ["", false],
])("reads %s as a pattern: %s", (text, expected) => {
  expect(isHostPattern(text)).toBe(expected);
});
