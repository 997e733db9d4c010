// Requests that a server must reject, as bytes (latin1). Tests send each over its own socket.
import { demo } from "@call-transfer/backend";
import { operations } from "@call-transfer/spec";

/** A request that must not succeed. */
export interface HostileRequest {
  readonly name: string;
  readonly bytes: string;
  /** Whether the client closes the connection before the request is complete. */
  readonly breaksOff?: true;
}

const { listRoles, listCalls, createCall, createDestinationGroup, rotateDestinationSecret, getMemberAvailability } =
  operations;
const [roles, calls, groups] = [listRoles.path, createCall.path, createDestinationGroup.path];
const key = `Authorization: Bearer ${demo.apiKey}`;
const json = "Content-Type: application/json";
const local = "Host: localhost";

const lines = (...parts: string[]) => `${parts.join("\r\n")}\r\n\r\n`;
const get = (target: string, ...headers: string[]) => lines(`GET ${target} HTTP/1.1`, local, ...headers);
const send = (method: string, target: string, body: string, ...headers: string[]) =>
  `${lines(`${method} ${target} HTTP/1.1`, local, `Content-Length: ${body.length}`, ...headers)}${body}`;
const post = (target: string, body: string, ...headers: string[]) => send("POST", target, body, key, json, ...headers);
const chunked = (body: string) =>
  `${lines(`POST ${calls} HTTP/1.1`, local, key, json, "Transfer-Encoding: chunked")}${body}`;
const sized = (length: string) => `${lines(`POST ${calls} HTTP/1.1`, local, key, json, `Content-Length: ${length}`)}{}`;
const group = (changes: object) =>
  JSON.stringify({ name: "Hostile", members: [{ destinationId: demo.destinations.phone }], ...changes });
const call = (changes: object) =>
  JSON.stringify({
    flowId: demo.flows.published,
    fromNumber: demo.numbers.working,
    toNumber: demo.recipients.anyone,
    ...changes,
  });
const withId = (path: string, id: string) => path.replace(/\{\w+\}/, id);
const unsigned = (header: object, claims: object) =>
  [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
/** One entry for each value, named after it. */
const each = (about: string, values: readonly string[], bytes: (value: string) => string): HostileRequest[] =>
  values.map((value) => ({ name: `${about} ${JSON.stringify(value.slice(0, 60))}`, bytes: bytes(value) }));

const syntax: HostileRequest[] = [
  { name: "bytes that are not HTTP", bytes: "\x00\x01\x02\x03\r\n\r\n" },
  { name: "a TLS greeting", bytes: "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" },
  { name: "an SSH greeting", bytes: "SSH-2.0-OpenSSH_9.9\r\n" },
  { name: "a SOCKS greeting", bytes: "\x05\x01\x00" },
  { name: "a Redis command", bytes: "*1\r\n$4\r\nPING\r\n" },
  { name: "the preface of HTTP/2", bytes: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" },
  { name: "a response instead of a request", bytes: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n" },
  { name: "HTTP/0.9", bytes: `GET ${roles}\r\n\r\n` },
  ...each("version", ["HTTP/9.9", "HTTP/1.", "HTTP/1.10", "http/1.1", "HTTQ/1.1", "HTTP/-1.1"], (version) =>
    lines(`GET ${roles} ${version}`, local, key),
  ),
  ...each("method", ["get", "G ET", "GET\t", "FOO", "", "G\x00T", "A".repeat(300)], (method) =>
    lines(`${method} ${roles} HTTP/1.1`, local, key),
  ),
  { name: "a bare LF after the first line", bytes: `GET ${roles} HTTP/1.1\nHost: evil.test\n\n` },
  ...each(
    "header",
    ["X y: 1", "X\x00: 1", "X: \x00", "X: a\rb", ": no name", "no colon", " X: folded first", "X\u00e9: 1", "(x): 1"],
    (header) => lines(`GET ${roles} HTTP/1.1`, local, header),
  ),
  { name: "a folded header", bytes: lines(`GET ${roles} HTTP/1.1`, local, "X: a", " b") },
  { name: "one header over the limit", bytes: get(roles, key, `X: ${"x".repeat(20_000)}`) },
  {
    name: "many headers over the limit",
    bytes: get(roles, key, ...Array.from({ length: 3000 }, (_, i) => `X-${i}: ${i}`)),
  },
  { name: "a URL over the limit", bytes: get(`/${"a".repeat(20_000)}`, key) },
  { name: "a header that never ends", bytes: `GET ${roles} HTTP/1.1\r\n${local}\r\nX: y`, breaksOff: true },
  { name: "a first line that never ends", bytes: `GET ${roles}`, breaksOff: true },
  { name: "a body that never comes", bytes: sized("100"), breaksOff: true },
  { name: "a chunk that never comes", bytes: chunked("ff\r\n{"), breaksOff: true },
];

const framing: HostileRequest[] = [
  ...each(
    "length",
    ["-1", "+1", "1e3", "0x10", "99999999999999999999", "2 2", "two", "1,2", "1.0", String(2 ** 21), String(2 ** 40)],
    sized,
  ),
  {
    name: "two lengths",
    bytes: lines(`POST ${calls} HTTP/1.1`, local, key, json, "Content-Length: 2", "Content-Length: 3"),
  },
  {
    name: "a length and chunks",
    bytes: `${lines(`POST ${calls} HTTP/1.1`, local, key, json, "Content-Length: 4", "Transfer-Encoding: chunked")}0\r\n\r\n`,
  },
  ...each(
    "transfer encoding",
    ["xchunked", "chunked, identity", "identity", "gzip", "chunked\x0b", "chunked, chunked"],
    (encoding) => `${lines(`POST ${calls} HTTP/1.1`, local, key, json, `Transfer-Encoding: ${encoding}`)}0\r\n\r\n`,
  ),
  ...each(
    "chunk",
    ["zz\r\n{}\r\n0\r\n\r\n", "-2\r\n{}\r\n", "FFFFFFFFFFFFFFFFF\r\n", "2\r\n{}XX0\r\n\r\n", "2 2\r\n{}\r\n"],
    chunked,
  ),
  { name: "a chunk extension that never ends", bytes: chunked(`2;${"x".repeat(20_000)}\r\n{}\r\n0\r\n\r\n`) },
  { name: "trailers over the limit", bytes: chunked(`2\r\n{}\r\n0\r\nX: ${"x".repeat(20_000)}\r\n\r\n`) },
  { name: "a chunked body over 1 MiB", bytes: chunked(`200000\r\n${" ".repeat(2 ** 21)}\r\n0\r\n\r\n`) },
  { name: "a body over 1 MiB", bytes: post(groups, group({ name: "x".repeat(2 ** 20) })) },
  { name: "an unknown expectation", bytes: get(roles, key, "Expect: a miracle") },
  { name: "a tunnel", bytes: lines("CONNECT evil.test:443 HTTP/1.1", "Host: evil.test:443") },
  { name: "a tunnel to itself", bytes: lines("CONNECT localhost:4010 HTTP/1.1", local) },
  { name: "a web socket", bytes: get("/x", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13") },
  {
    name: "an upgrade to HTTP/2",
    bytes: get("/x", "Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AA"),
  },
];

const hosts: HostileRequest[] = [
  ...each(
    "host",
    [
      "evil.test",
      "evil.test:4010",
      "localhost.evil.test",
      "127.0.0.1.nip.example",
      "localhost@evil.test",
      "evil.test#localhost",
      "evil.test/localhost",
      "localhost, evil.test",
      "localhost.",
      "localhost:99999",
      "localhost:",
      "localhost:port",
      "2130706433",
      "0177.0.0.1",
      "127.1",
      "0x7f.1",
      "[::ffff:7f00:1]",
      "[fe80::1]",
      "[::1",
      "169.254.169.254",
      "0.0.0.0",
      "",
      " ",
      "a b",
      "\u00e9vil.test",
    ],
    (host) => lines(`GET ${roles} HTTP/1.1`, `Host: ${host}`, key),
  ),
  { name: "no host", bytes: lines(`GET ${roles} HTTP/1.1`, key) },
  { name: "no host in HTTP/1.0", bytes: lines(`GET ${roles} HTTP/1.0`, key) },
  { name: "two hosts, the good one first", bytes: get(roles, key, "Host: evil.test") },
  { name: "two hosts, the bad one first", bytes: lines(`GET ${roles} HTTP/1.1`, "Host: evil.test", local, key) },
  ...each(
    "target",
    [
      `http://evil.test${roles}`,
      `http://localhost@evil.test${roles}`,
      `http://user:password@localhost${roles}`,
      `https://localhost${roles}`,
      `ftp://localhost${roles}`,
      "file:///etc/passwd",
      "javascript:alert(1)",
      "http://",
      "http://[",
      "*",
      "?",
      "#",
      `${roles}#fragment`,
      `${roles}\u00e9`,
      `${roles}\x7f`,
      `//evil.test${roles}`,
      `\\\\evil.test${roles}`,
      "",
    ],
    (target) => get(target, key),
  ),
];

const origins: HostileRequest[] = [
  ...each(
    "origin",
    [
      "null",
      "https://evil.test",
      "http://localhost.evil.test",
      "http://localhost:1",
      "https://localhost",
      "file://",
      "*",
      "",
      "http://localhost http://evil.test",
      "HTTP://LOCALHOST",
    ],
    (origin) => get(roles, key, `Origin: ${origin}`),
  ),
  { name: "two origins", bytes: get(roles, key, "Origin: http://localhost", "Origin: http://localhost") },
  ...each("preflight from", ["null", "https://evil.test"], (origin) =>
    lines(`OPTIONS ${calls} HTTP/1.1`, local, `Origin: ${origin}`, "Access-Control-Request-Method: POST"),
  ),
  ...each("control plane from", ["null", "https://evil.test", "http://localhost:5173"], (origin) =>
    send("POST", "/_control/v1/reset", "", `Origin: ${origin}`),
  ),
  ...each("control plane by a site that is", ["cross-site", "same-site", "none-of-yours"], (site) =>
    send("POST", "/_control/v1/reset", "", `Sec-Fetch-Site: ${site}`),
  ),
  ...each(
    "control plane of another site by",
    [
      "/api/../_control/v1/reset",
      "/api/v1/%2e%2e/%2e%2e/_control/v1/reset",
      "/api\\..\\_control/v1/reset",
      "/_sandbox/default/_control/v1/reset",
    ],
    (path) => send("POST", path, "", "Origin: https://evil.test"),
  ),
  {
    name: "a form that seeds the control plane",
    bytes: send("POST", "/_control/v1/seed", "{}", "Content-Type: text/plain"),
  },
];

const paths: HostileRequest[] = [
  ...each(
    "path",
    [
      "/favicon.ico",
      "/api",
      "/api/v1",
      "/api/v2/roles",
      `${roles}/`,
      `/${roles}`,
      `${roles}//`,
      "/API/V1/ROLES",
      "/api/v1/%72oles%00",
      `${roles}%2f..`,
      `${roles};a=b`,
      "/api/v1/../../etc/passwd",
      "/api/v1/%2e%2e/%2e%2e/etc/passwd",
      "/api/v1/%zz",
      "/api/v1/%ff%fe",
      "/api/v1/%c0%ae%c0%ae/",
      "/api/v1/__proto__",
      "/api/v1/constructor",
      "/_control/v1/nothing",
      "/_control/v1/../../etc/passwd",
      "/_control/v1/records/__proto__",
      "/_sandbox/nowhere/api/v1/roles",
      "/_sandbox//api/v1/roles",
      "/_sandbox/__proto__/api/v1/roles",
    ],
    (path) => get(path, key),
  ),
  ...each("sandbox", ["nowhere", "__proto__", "../default", "a,b", "\x7f".repeat(3)], (name) =>
    get(roles, key, `X-Sandbox: ${name}`),
  ),
  ...each(
    "id",
    [
      "..",
      "%2e%2e",
      "%00",
      "%zz",
      "%ff",
      "1",
      "null",
      "a'--",
      "{id}",
      "%3Cscript%3E",
      "x".repeat(2000),
      demo.members.foreign,
    ],
    (id) => get(withId(getMemberAvailability.path, id), key),
  ),
  ...each(
    "method of another path:",
    ["PUT", "PATCH", "DELETE", "TRACE", "PROPFIND", "OPTIONS", "SEARCH", "POST"],
    (method) => lines(`${method} ${roles} HTTP/1.1`, local, key),
  ),
  ...each(
    "query",
    [
      "limit=0",
      "limit=-1",
      "limit=1.5",
      "limit=1e3",
      "limit=999999999999999999999",
      "limit=NaN",
      "limit=%00",
      "limit=1&limit=2",
      "limit=",
      "offset=-1",
      "offset=x",
      "startDate=yesterday",
      "startDate=2026-13-45T00:00:00Z",
      "startDate=1&startDate=2",
    ],
    (query) => get(`${listCalls.path}?${query}`, key),
  ),
];

const credentials: HostileRequest[] = [
  { name: "no credential", bytes: get(roles) },
  ...each(
    "credential",
    [
      "",
      "Bearer",
      "Bearer ",
      "Basic b3duZXI6b3duZXI=",
      demo.apiKey,
      `bearer ${demo.apiKey}x`,
      `Bearer ${demo.apiKey} ${demo.apiKey}`,
      `Bearer ${demo.apiKey},`,
      "Bearer svc_live_",
      "Bearer null",
      "Bearer ..",
      "Bearer \u00e9\u00e9",
      `Bearer ${"a".repeat(12_000)}`,
      `Bearer ${unsigned({ alg: "none" }, { sub: demo.users.owner, exp: 9_999_999_999 })}.`,
      `Bearer ${unsigned({ alg: "HS256" }, { sub: demo.users.owner, exp: 9_999_999_999 })}.AAAA`,
      `Bearer ${unsigned({ alg: "HS256", crit: ["exp"] }, { exp: "never" })}.AAAA`,
      "Bearer __proto__",
    ],
    (credential) => get(roles, `Authorization: ${credential}`),
  ),
  { name: "two credentials", bytes: get(roles, key, `Authorization: Bearer ${demo.foreignApiKey}`) },
  ...each("account", [demo.foreignAccountId, "__proto__", "*", "a".repeat(500)], (account) =>
    get(roles, key, `X-Account-Id: ${account}`),
  ),
];

const bodies: HostileRequest[] = [
  ...each(
    "content type",
    ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonp", "", "*/*"],
    (type) => send("POST", groups, group({}), key, `Content-Type: ${type}`),
  ),
  { name: "no content type", bytes: send("POST", groups, group({}), key) },
  ...each(
    "body",
    [
      "",
      " ",
      "{",
      "{}",
      "[]",
      "null",
      "true",
      '"text"',
      "0",
      "NaN",
      "{'name':1}",
      "{name:1}",
      '{"name":1,}',
      '{"name":1}//',
      "\xef\xbb\xbf{}",
      "\xff\xfe{\x00}\x00",
      '{"name":"\xff"}',
      '{"name":"\x01"}',
      '{"__proto__":{"admin":true}}',
      '{"constructor":{"prototype":{}}}',
      `${'{"a":'.repeat(65)}1${"}".repeat(65)}`,
      "[".repeat(100_000),
      `${"[".repeat(100_000)}${"]".repeat(100_000)}`,
      '{"name":1e999}',
    ],
    (body) => post(groups, body),
  ),
  ...[
    { name: 1 },
    { name: "" },
    { name: null },
    { name: ["a"] },
    { name: demo.groupName },
    { name: "x".repeat(1000) },
    { members: [] },
    { members: {} },
    { members: "phone" },
    { members: [{}] },
    { members: [null] },
    { members: [{ destinationId: demo.destinations.foreign }] },
    { members: [{ destinationId: "__proto__" }] },
    { members: [{ destinationId: demo.destinations.phone, ringTimeoutSecs: -1 }] },
    { members: Array.from({ length: 5000 }, () => ({ destinationId: demo.destinations.phone })) },
    { strategy: "sequential" },
    { strategy: { toString: 1 } },
    { totalTimeoutSecs: 1e9 },
    { totalTimeoutSecs: "30" },
    { totalTimeoutSecs: 10.5 },
  ].map((changes) => ({
    name: `a group with ${JSON.stringify(changes).slice(0, 60)}`,
    bytes: post(groups, group(changes)),
  })),
  ...[
    { flowId: "__proto__" },
    { flowId: demo.flows.foreign },
    { fromNumber: "+1" },
    { fromNumber: demo.numbers.foreign },
    { toNumber: "911" },
    { toNumber: "+1555020000A" },
    { toNumber: "sip:evil@evil.test" },
    { toNumber: `+${"1".repeat(400)}` },
    { providerId: "none" },
  ].map((changes) => ({
    name: `a call with ${JSON.stringify(changes).slice(0, 60)}`,
    bytes: post(calls, call(changes)),
  })),
  {
    name: "a rotation of another account's destination",
    bytes: post(withId(rotateDestinationSecret.path, demo.destinations.foreign), ""),
  },
  ...each("seed", ['{"accounts":1}', '{"nothing":[]}', '{"users":[{"id":1}]}', '{"__proto__":{}}', "[]", "{"], (body) =>
    send("POST", "/_control/v1/seed", body, json),
  ),
  ...each(
    "fault",
    ["{}", '{"do":{"code":"nothing"}}', '{"do":{"status":99}}', '{"do":{"status":200,"headers":{"a b":"c"}}}'],
    (body) => send("POST", "/_control/v1/faults", body, json),
  ),
  ...each("step of the clock", ['{"by":-1}', '{"by":"x"}', '{"to":"x"}', '{"by":1e300}', "{}"], (body) =>
    send("POST", "/_control/v1/clock/advance", body, json),
  ),
];

/** Every hostile request. */
export const hostileCorpus: readonly HostileRequest[] = [
  ...syntax,
  ...framing,
  ...hosts,
  ...origins,
  ...paths,
  ...credentials,
  ...bodies,
];
