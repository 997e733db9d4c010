import { expect, it } from "vitest";
import { isSandboxName, selectSandbox, unknownSandbox } from "../../src/http/select-sandbox.ts";

const headers = (sandbox?: string) => new Headers(sandbox === undefined ? {} : { "X-Sandbox": sandbox });

it.each([
  ["nothing", "/api/v1/calls", undefined, undefined, { name: "default", path: "/api/v1/calls" }],
  ["the path", "/_sandbox/a/api/v1/calls", undefined, undefined, { name: "a", path: "/api/v1/calls" }],
  ["a path that ends after the name", "/_sandbox/a", undefined, undefined, { name: "a", path: "/" }],
  ["a path without a name", "/_sandbox//x", undefined, undefined, { name: "", path: "/x" }],
  ["the header", "/x", "b", undefined, { name: "b", path: "/x" }],
  ["the host name", "/x", undefined, "c", { name: "c", path: "/x" }],
  ["all three, which agree", "/_sandbox/a/x", "a", "a", { name: "a", path: "/x" }],
])("selects a sandbox by %s", (_, path, header, host, expected) => {
  expect(selectSandbox(path, headers(header), host)).toEqual(expected);
});

it.each([
  ["path and the header X-Sandbox", "/_sandbox/a/x", "b", undefined],
  ["path and the host name", "/_sandbox/a/x", undefined, "b"],
  ["path and the host name", "/_sandbox/a/x", "a", "b"],
  ["header X-Sandbox and the host name", "/x", "a", "b"],
])("refuses a request whose %s select different sandboxes", (parts, path, header, host) => {
  const { conflict } = selectSandbox(path, headers(header), host);
  expect(conflict).toBe(`The ${parts} select different sandboxes. Send only one.`);
});

it("says how to create an unknown sandbox, what its name resembles and when sandboxes end", () => {
  expect(unknownSandbox("chekout", ["default", "checkout"], "Sandboxes end after a day.")).toBe(
    'There is no sandbox "chekout". Did you mean checkout? Create it with POST /_control/v1/sandboxes. Sandboxes end after a day.',
  );
  expect(unknownSandbox("x", [])).toBe('There is no sandbox "x". Create it with POST /_control/v1/sandboxes.');
});

it("a sandbox can have a name of letters, digits and hyphens", () => {
  expect([isSandboxName("a-1"), isSandboxName("-a")]).toEqual([true, false]);
});
