import { expect, it } from "vitest";
import { admit, type GateRules } from "../src/server/gate.ts";

const rules: GateRules = {
  hosts: { names: new Set(["127.0.0.1", "localhost", "mock"]), suffixes: [], isPrivateAccepted: false },
  origins: new Set(["http://localhost:5173"]),
  controlToken: undefined,
};

function decide(
  target: string,
  headers: Record<string, string>,
  {
    method = "GET",
    localAddress = "127.0.0.1",
    ...changes
  }: Partial<GateRules> & { method?: string; localAddress?: string } = {},
) {
  const entries = Object.entries({ Host: "localhost:4010", ...headers });
  const byName = Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]));
  const head = { method, target, headers: byName, rawHeaders: entries.flat(), localAddress };
  const decision = admit(head, { ...rules, ...changes });
  return "code" in decision ? decision.code : decision;
}

it("accepts its host names, absolute URLs and the address of the connection", () => {
  expect(decide("/a?b=c", {})).toMatchObject({ url: new URL("http://localhost:4010/a?b=c"), origin: undefined });
  expect(decide("http://127.0.0.1:4010/a", {})).toMatchObject({ url: new URL("http://127.0.0.1:4010/a") });
  expect(decide("/", { Host: "mock" })).toMatchObject({ isPreflight: false });
  expect(decide("/", { Host: "192.168.1.5:4010" }, { localAddress: "::ffff:192.168.1.5" })).toMatchObject({});
  expect(decide("/", { Host: "192.168.1.5:4010" })).toBe("forbidden");
});

it("returns an allowed origin, but not the server's own", () => {
  expect(decide("/api", { Origin: "http://localhost:5173" })).toMatchObject({ origin: "http://localhost:5173" });
  expect(decide("/api", { Origin: "http://localhost:4010" })).toMatchObject({ origin: undefined });
  expect(decide("/api", { Origin: "http://127.0.0.1:4010" })).toBe("forbidden");
});

it("recognizes a preflight by its origin and method", () => {
  const headers = { Origin: "http://localhost:5173", "Access-Control-Request-Method": "POST" };
  expect(decide("/api", headers, { method: "OPTIONS" })).toMatchObject({ isPreflight: true });
  expect(decide("/api", headers, { method: "POST" })).toMatchObject({ isPreflight: false });
});

it("rejects control plane requests from other sites, also from allowed origins", () => {
  expect(decide("/_control/v1/reset", { Origin: "http://localhost:5173" })).toBe("forbidden");
  expect(decide("/_sandbox/a/_control/v1/reset", { "Sec-Fetch-Site": "same-site" })).toBe("forbidden");
  expect(decide("/_control/v1/health", { Origin: "http://localhost:4010" })).toMatchObject({ origin: undefined });
  expect(decide("/_control/v1/health", { "Sec-Fetch-Site": "none" })).toMatchObject({ origin: undefined });
});

it("accepts the pages of the public URL in the control plane, and those of no other origin", () => {
  const reset = (origin: string) =>
    decide("/_control/v1/reset", { Origin: origin }, { method: "POST", publicOrigin: "https://mock.example" });
  expect(reset("https://mock.example")).toMatchObject({ origin: undefined });
  for (const origin of ["http://mock.example", "https://mock.example:8443", "https://a.mock.example", "null"])
    expect(reset(origin)).toBe("forbidden");
});

it("requires the token for the control plane only, as a header or, for event streams, in the query", () => {
  const guarded = { controlToken: "secret" };
  expect(decide("/_control/v1/health", {}, guarded)).toBe("forbidden");
  expect(decide("/_control/v1/health", { Authorization: "Bearer other" }, guarded)).toBe("forbidden");
  expect(decide("/_control/v1/health", { Authorization: "Bearer secret" }, guarded)).toMatchObject({});
  expect(decide("/_control/v1/events?token=secret", {}, guarded)).toMatchObject({});
  expect(decide("/api/v1", { Authorization: "Bearer other" }, guarded)).toMatchObject({});
});

it("distinguishes a missing control token from a wrong one", () => {
  const detailOf = (target: string, headers: Record<string, string>) => {
    const head = { method: "GET", target, headers: { host: "localhost", ...headers }, rawHeaders: [] };
    const decision = admit({ ...head, localAddress: undefined }, { ...rules, controlToken: "secret" });
    return "detail" in decision ? decision.detail : undefined;
  };
  const advice = "Send the one that the server printed: as Authorization: Bearer …, or with --token.";
  expect(detailOf("/_control/v1/clock", {})).toBe(`The control token is missing. ${advice}`);
  expect(detailOf("/_control/v1/clock", { authorization: "Bearer other" })).toBe(
    `The control token is wrong. ${advice}`,
  );
  expect(detailOf("/_control/v1/events?token=other", {})).toBe(`The control token is wrong. ${advice}`);
});

it("says how to allow a host and an origin, and how else to use the control plane", () => {
  const detailOf = (headers: Record<string, string>, target = "/") => {
    const head = { method: "GET", target, headers, rawHeaders: [], localAddress: undefined };
    const decision = admit(head, rules);
    return "detail" in decision ? decision.detail : undefined;
  };
  expect(detailOf({ host: "10.0.2.2:4010" })).toBe(
    'Host "10.0.2.2" is not allowed. Add it with --allow-host 10.0.2.2.',
  );
  expect(detailOf({ host: "mock", origin: "http://a.test" })).toBe(
    'Origin "http://a.test" is not allowed. Add it with --cors http://a.test.',
  );
  expect(detailOf({ host: "mock", origin: "http://a.test" }, "/_control/v1/events")).toBe(
    "The control plane does not accept requests from pages of other sites. " +
      "Change things from the command line; read them through the proxy of the page's own server.",
  );
});
