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

const { listRoles, createCall, createDestinationGroup } = operations;
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
/** One entry for each value, named after it. */
const each = (about: string, values: readonly string[], bytes: (value: string) => string): HostileRequest[] =>
  values.map((value) => ({ name: `${about} ${JSON.stringify(value.slice(0, 60))}`, bytes: bytes(value) }));

/** What Node's parser refuses, and what the server does about it. The parser itself is Node's. */
const framing: HostileRequest[] = [
  { name: "bytes that are not HTTP", bytes: "\x00\x01\x02\x03\r\n\r\n" },
  { name: "a TLS greeting", bytes: "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" },
  { name: "the preface of HTTP/2", bytes: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" },
  { name: "a bare LF after the first line", bytes: `GET ${roles} HTTP/1.1\nHost: evil.test\n\n` },
  { name: "a folded header", bytes: lines(`GET ${roles} HTTP/1.1`, local, "X: a", " b") },
  {
    name: "many headers over the limit",
    bytes: get(roles, key, ...Array.from({ length: 3000 }, (_, i) => `X-${i}: ${i}`)),
  },
  { name: "a URL over the limit", bytes: get(`/${"a".repeat(20_000)}`, key) },
  { name: "a header that never ends", bytes: `GET ${roles} HTTP/1.1\r\n${local}\r\nX: y`, breaksOff: true },
  { name: "a body that never comes", bytes: sized("100"), breaksOff: true },
  { name: "a chunk that never comes", bytes: chunked("ff\r\n{"), breaksOff: true },
  ...each("length", ["-1", "two", String(2 ** 21), String(2 ** 40)], sized),
  {
    name: "a length and chunks",
    bytes: `${lines(`POST ${calls} HTTP/1.1`, local, key, json, "Content-Length: 4", "Transfer-Encoding: chunked")}0\r\n\r\n`,
  },
  { name: "trailers over the limit", bytes: chunked(`2\r\n{}\r\n0\r\nX: ${"x".repeat(20_000)}\r\n\r\n`) },
  { name: "a chunked body over 1 MiB", bytes: chunked(`200000\r\n${" ".repeat(2 ** 21)}\r\n0\r\n\r\n`) },
  { name: "a body over 1 MiB", bytes: post(groups, group({ name: "x".repeat(2 ** 20) })) },
  { name: "an unknown expectation", bytes: get(roles, key, "Expect: a miracle") },
  { name: "a tunnel", bytes: lines("CONNECT evil.test:443 HTTP/1.1", "Host: evil.test:443") },
  { name: "a web socket", bytes: get("/x", "Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13") },
];

const hosts: HostileRequest[] = [
  ...each(
    "host",
    [
      "evil.test",
      "localhost.evil.test",
      "127.0.0.1.nip.example",
      "localhost@evil.test",
      "evil.test#localhost",
      "evil.test/localhost",
      "localhost.",
      "localhost:99999",
      "localhost:",
      "2130706433",
      "[::ffff:7f00:1]",
      "[::1",
      "169.254.169.254",
      "",
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
      "http://[",
      "*",
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
      "/api/v2/roles",
      `${roles}/`,
      `/${roles}`,
      "/API/V1/ROLES",
      "/api/v1/%72oles%00",
      `${roles}%2f..`,
      `${roles};a=b`,
      "/api/v1/../../etc/passwd",
      "/api/v1/%2e%2e/%2e%2e/etc/passwd",
      "/api/v1/%zz",
      "/api/v1/%c0%ae%c0%ae/",
      "/api/v1/__proto__",
      "/_control/v1/nothing",
      "/_control/v1/../../etc/passwd",
      "/_control/v1/records/__proto__",
      "/_sandbox/nowhere/api/v1/roles",
      "/_sandbox/__proto__/api/v1/roles",
    ],
    (path) => get(path, key),
  ),
  ...each("sandbox", ["nowhere", "__proto__", "../default", "a,b", "\x7f".repeat(3)], (name) =>
    get(roles, key, `X-Sandbox: ${name}`),
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
      "{",
      "{}",
      "[]",
      "null",
      '{"name":1,}',
      "\xef\xbb\xbf{}",
      "\xff\xfe{\x00}\x00",
      '{"name":"\xff"}',
      '{"name":"\x01"}',
      '{"__proto__":{"admin":true}}',
      '{"constructor":{"prototype":{}}}',
      `${'{"a":'.repeat(65)}1${"}".repeat(65)}`,
      `${"[".repeat(100_000)}${"]".repeat(100_000)}`,
      '{"name":1e999}',
    ],
    (body) => post(groups, body),
  ),
];

/** Every hostile request. */
export const hostileCorpus: readonly HostileRequest[] = [...framing, ...hosts, ...origins, ...paths, ...bodies];
