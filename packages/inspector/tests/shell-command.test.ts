import { signal } from "@preact/signals";
import { expect, it } from "vitest";
import { shellCommand, shellText } from "../src/data/code/shell-command.ts";

const source = {
  baseUrl: "http://127.0.0.1:4010",
  address: "http://127.0.0.1:4010",
  isServer: true,
  fetch,
  follow: () => () => {},
};

it("names the server, and the sandbox unless it is the default one", () => {
  expect(shellCommand({ source, sandbox: signal("default") }, "webhooks trigger")).toBe(
    "npx @call-transfer/mock-server webhooks trigger --url http://127.0.0.1:4010",
  );
  expect(shellCommand({ source, sandbox: signal("checkout") }, "webhooks trigger")).toMatch(/ --sandbox checkout$/);
});

it("is nothing for a backend in the page, which no program reaches", () => {
  expect(
    shellCommand({ source: { ...source, isServer: false }, sandbox: signal("default") }, "trigger"),
  ).toBeUndefined();
});

it("keeps a shell from reading a name as more than one word", () => {
  expect(shellText("Night $(rm) `x` it's!")).toBe("'Night $(rm) `x` it'\\''s!'");
  expect(shellText("Reception")).toBe("Reception");
});
