import { describe, expect, it } from "vitest";
import { allowedOrigins, isOriginPattern, originAdvice } from "../../src/net/urls.ts";
import { admit, type GateRules } from "../../src/server/gate.ts";

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

it.each([
  ["capacitor://localhost"],
  ["ionic://localhost"],
  ["tauri://localhost"],
  ["app://obsidian.md"],
  ["app://-"],
  ["chrome-extension://abcdefghijklmnopabcdefghijklmnop"],
  ["safari-web-extension://0D5C1F1A-4B4E-4C57-9C37-2B1C1B1F6D3E"],
  ["wails://wails.localhost:34115"],
  ["file://"],
  ["https://*.app.github.dev", "https://literate-space-4010.app.github.dev", "https://a.b.app.github.dev"],
  ["http://*.localhost:5173", "http://shop.localhost:5173"],
])("allows %s", (pattern, ...origins) => {
  expect(isOriginPattern(pattern)).toBe(true);
  for (const Origin of origins.length === 0 ? [pattern] : origins)
    expect(decide("/api", { Origin }, { origins: allowedOrigins([pattern]) })).toMatchObject({ origin: Origin });
});

it.each([
  ["https://*.app.github.dev", "https://app.github.dev"],
  ["https://*.app.github.dev", "https://.app.github.dev"],
  ["https://*.app.github.dev", "http://a.app.github.dev"],
  ["https://*.app.github.dev", "https://a.app.github.dev:8443"],
  ["https://*.app.github.dev", "https://a.app.github.dev.example.com"],
  ["https://*.app.github.dev", "https://example.com/.app.github.dev"],
  ["https://*.app.github.dev", "https://aapp.github.dev"],
  ["capacitor://localhost", "http://localhost"],
  ["file://", "null"],
])("%s does not allow %s", (pattern, Origin) => {
  expect(decide("/api", { Origin }, { origins: allowedOrigins([pattern]) })).toBe("forbidden");
});

it.each([
  ["capacitor://localhost/", "without a path or trailing slash, such as capacitor://localhost"],
  ["https://Example.com:443/a", "such as https://example.com"],
  ["app", "such as http://localhost:5173"],
  ["*", "* stands for the names below a domain"],
  ["http://localhost:*", "* stands for the names below a domain"],
  ["https://a*.example.com", "* stands for the names below a domain"],
  ["capacitor://*", "* stands for the names below a domain"],
  ["http://*.0.0.1", "* stands for the names below a domain"],
  ["null", "pages from a file or in a sandboxed frame have none"],
  ["ws://localhost", "such as http://localhost:5173"],
])("says what is wrong with %s", (text, advice) => {
  expect(isOriginPattern(text)).toBe(false);
  expect(originAdvice(text)).toContain(advice);
});

it("recognizes a preflight by its origin and method", () => {
  const headers = { Origin: "http://localhost:5173", "Access-Control-Request-Method": "POST" };
  expect(decide("/api", headers, { method: "OPTIONS" })).toMatchObject({ isPreflight: true });
  expect(decide("/api", headers, { method: "POST" })).toMatchObject({ isPreflight: false });
});

describe("a page of another site", () => {
  const sites = ["cross-site", "same-site", "unknown"];
  const listed = { Origin: "http://localhost:5173" };
  const visit = { "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document", Accept: "text/html" };
  const anyPath = ["/api/v1/roles", "/_sandbox/new/api/v1/roles", "/_control/v1/clock", "/_inspector/", "/", "/x"];

  it.each(sites)("gets nothing without an origin, on any path (%s)", (site) => {
    for (const path of anyPath)
      for (const method of ["GET", "HEAD", "POST", "OPTIONS"])
        expect(decide(path, { "Sec-Fetch-Site": site }, { method }), `${method} ${path}`).toBe("forbidden");
  });

  it.each(sites)("may open the inspector in a tab, and nothing else (%s)", (site) => {
    const headers = { "Sec-Fetch-Site": site, ...visit };
    const opened = anyPath.filter((path) => decide(path, headers) !== "forbidden");
    expect(opened).toEqual(["/_inspector/", "/"]);
    const others = [{ "Sec-Fetch-Dest": "iframe" }, { "Sec-Fetch-Mode": "no-cors" }, { Origin: "null" }];
    for (const change of others) expect(decide("/_inspector/", { ...headers, ...change })).toBe("forbidden");
    for (const method of ["POST", "HEAD"]) expect(decide("/_inspector/", headers, { method })).toBe("forbidden");
    expect(decide("/", { ...headers, Accept: "*/*" })).toBe("forbidden");
  });

  it.each(sites)("of an allowed origin may use the API, but not the control plane (%s)", (site) => {
    const headers = { "Sec-Fetch-Site": site, ...listed };
    expect(decide("/api/v1/roles", headers)).toMatchObject({ origin: listed.Origin });
    expect(decide("/api/v1/calls", headers, { method: "POST" })).toMatchObject({ origin: listed.Origin });
    expect(decide("/_control/v1/clock", headers)).toBe("forbidden");
  });

  it.each(["same-origin", "none"])("is not what a browser marks as %s", (site) => {
    for (const path of anyPath) expect(decide(path, { "Sec-Fetch-Site": site })).toMatchObject({ origin: undefined });
  });
});

it("takes the control token with the scheme Bearer only, in any case", () => {
  const accepts = (credential: string) =>
    decide("/_control/v1/health", { Authorization: credential }, { controlToken: "secret" }) !== "forbidden";
  const accepted = ["Bearer secret", "bearer secret", "BEARER secret", "bEaReR  secret"];
  const refused = [
    "secret",
    "Basic secret",
    "Bearersecret",
    "Bearer Secret",
    "Bearer",
    "Token secret",
    "Bearer secret x",
  ];
  expect([...accepted, ...refused].filter(accepts)).toEqual(accepted);
});

it("distinguishes a missing control token from a wrong one", () => {
  const detailOf = (target: string, headers: Record<string, string>) => {
    const head = { method: "GET", target, headers: { host: "localhost", ...headers }, rawHeaders: [] };
    const decision = admit({ ...head, localAddress: undefined }, { ...rules, controlToken: "secret" });
    return "detail" in decision ? decision.detail : undefined;
  };
  const advice = "Send the one that the server printed: as Authorization: Bearer …, or with --control-token.";
  expect(detailOf("/_control/v1/clock", {})).toBe(`The control token is missing. ${advice}`);
  expect(detailOf("/_control/v1/clock", { authorization: "Bearer other" })).toBe(
    `The control token is wrong. ${advice}`,
  );
  expect(detailOf("/_control/v1/events/stream?token=other", {})).toBe(`The control token is wrong. ${advice}`);
});

it("says how to allow a host and an origin, and how else to use the control plane", () => {
  const unnamed = "A page of another site sent this without an Origin header. Use fetch() or XMLHttpRequest there.";
  const detailOf = (headers: Record<string, string>, target = "/") => {
    const head = { method: "GET", target, headers, rawHeaders: [], localAddress: undefined };
    const decision = admit(head, rules);
    return "detail" in decision ? decision.detail : undefined;
  };
  expect(detailOf({ host: "10.0.2.2:4010" })).toBe(
    'Host "10.0.2.2" is not allowed. Add it with --allow-host 10.0.2.2.',
  );
  expect(detailOf({ host: "mock", origin: "http://a.test" })).toBe(
    'Origin "http://a.test" is not allowed. Add it with --cors-origin http://a.test.',
  );
  const image = { host: "mock", "sec-fetch-site": "cross-site" };
  expect(detailOf(image)).toBe(`${unnamed} Add it with --cors-origin <the page's origin>.`);
  expect(detailOf({ ...image, referer: "http://a.test/page" })).toBe(
    `${unnamed} Add it with --cors-origin http://a.test.`,
  );
  expect(detailOf({ ...image, referer: "http://localhost:5173/" })).toBe(unnamed);
  expect(detailOf({ host: "mock", origin: "null" })).toContain("The page has no origin");
  expect(detailOf({ host: "mock", origin: "http://a.test" }, "/_control/v1/events/stream")).toBe(
    "The control plane does not accept requests from pages of other sites. " +
      "Change things from the command line; read them through the proxy of the page's own server.",
  );
});
