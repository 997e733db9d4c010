// Proxies of nodeFetch, by option and by environment.
import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { connect } from "node:net";
import { createServer as createTlsServer } from "node:tls";
import { afterEach, describe, expect, it, vi } from "vitest";
import { proxyChoice } from "../../src/node/proxy.ts";
import { nodeFetch } from "../../src/node.ts";
import { certify, closeAll, fetchOf, listen, placementError } from "./servers.ts";

afterEach(closeAll);

const own = certify("localhost");
const other = certify("other.example");

/** Starts a proxy that opens tunnels, answers plain requests itself, and notes what it is asked for. */
async function startProxy(answer = "200 Connection Established") {
  const asked: string[] = [];
  const note = ({ method, url, headers }: IncomingMessage) =>
    asked.push(
      [method, url, headers.host, headers["proxy-authorization"] ?? "-", headers.authorization ?? "-"].join(" "),
    );
  const server = createHttpServer((request, response) => {
    note(request);
    response.end("from the proxy");
  });
  server.on("connect", (request, socket, head) => {
    note(request);
    if (!answer.startsWith("200")) return socket.end(`HTTP/1.1 ${answer}\r\n\r\n`);
    const { port } = new URL(`http://${request.url}`);
    const target = connect(Number(port), "127.0.0.1", () => {
      socket.write(`HTTP/1.1 ${answer}\r\n\r\n`);
      target.write(head);
      target.pipe(socket).pipe(target);
    });
    for (const one of [socket, target]) one.on("error", () => target.destroy());
  });
  const port = await listen(server);
  return { asked, port, url: `http://user:p%40ss@127.0.0.1:${port}` };
}

const basic = `Basic ${Buffer.from("user:p@ss").toString("base64")}`;
const headers = { authorization: "Bearer secret" };

async function startTarget(certificate = own): Promise<string> {
  const server = createHttpsServer(certificate, (request, response) => response.end(request.headers.authorization));
  return `https://localhost:${await listen(server)}`;
}

describe("a proxy", () => {
  it("gets http requests with the whole URL", async () => {
    const { asked, url } = await startProxy();
    const response = await fetchOf({ proxy: url })("http://api.example.com/path?a=1", { headers });
    expect(await response.text()).toBe("from the proxy");
    expect(asked).toEqual([`GET http://api.example.com/path?a=1 api.example.com ${basic} Bearer secret`]);
  });

  it("opens one tunnel for several https requests, and never sees their headers", async () => {
    const { asked, url } = await startProxy();
    const target = await startTarget();
    const send = fetchOf({ proxy: url, tls: { ca: own.cert } });
    for (let n = 0; n < 3; n += 1) expect(await (await send(target, { headers })).text()).toBe("Bearer secret");
    const { host } = new URL(target);
    expect(asked).toEqual([`CONNECT ${host} ${host} ${basic} -`]);
  });

  it("over https opens tunnels too", async () => {
    const { port } = await startProxy();
    const front = createTlsServer(own, (socket) => {
      const behind = connect(port, "127.0.0.1");
      socket.pipe(behind).pipe(socket);
      for (const one of [socket, behind]) one.on("error", () => behind.destroy());
    });
    const proxy = `https://localhost:${await listen(front)}`;
    const response = await fetchOf({ proxy, tls: { ca: own.cert } })(await startTarget(), { headers });
    expect(await response.text()).toBe("Bearer secret");
  });

  it.each([
    ["opens no tunnel", "403 Forbidden", "the proxy opened no tunnel: it answered 403"],
    ["demands a password", "407 Proxy Authentication Required", "it answered 407"],
  ])("that %s leaves a placement unsent", async (_, answer, message) => {
    const { url } = await startProxy(answer);
    const error = await placementError("https://api.example.com", fetchOf({ proxy: url }));
    expect(error).toMatchObject({ outcome: "not_sent", message: expect.stringContaining(message) });
  });

  it("is asked for an IPv6 address in brackets", async () => {
    const { asked, url } = await startProxy("403 Forbidden");
    await placementError("https://[::1]:4010", fetchOf({ proxy: url }));
    expect(asked).toEqual([`CONNECT [::1]:4010 [::1]:4010 ${basic} -`]);
  });

  it("opens a tunnel for a client's certificate that is none, which leaves a placement unsent", async () => {
    const { url } = await startProxy();
    const error = await placementError(
      await startTarget(),
      fetchOf({ proxy: url, tls: { cert: "none", key: "none" } }),
    );
    expect(error).toMatchObject({ outcome: "not_sent" });
  });

  it("that answers nothing leaves a placement unsent", async () => {
    const server = createHttpServer();
    server.on("connect", () => {});
    const proxy = `http://127.0.0.1:${await listen(server)}`;
    const error = await placementError("https://api.example.com", fetchOf({ proxy, connectTimeoutMs: 50 }));
    expect(error).toMatchObject({ outcome: "not_sent", message: expect.stringMatching(/within 50 ms/) });
  });

  it("that is opening a tunnel when close() ends all connections leaves a placement unsent", async () => {
    const server = createHttpServer();
    const asked = once(server, "connect");
    const fetch = fetchOf({ proxy: `http://127.0.0.1:${await listen(server)}` });
    const error = placementError("https://api.example.com", fetch);
    const [, socket] = await asked;
    const ended = once(socket, "end");
    socket.resume();
    fetch.close();
    expect(await error).toMatchObject({ outcome: "not_sent" });
    await ended;
  });

  it("leads to a server with a wrong certificate, which leaves a placement unsent", async () => {
    const { url } = await startProxy();
    const target = await startTarget(other);
    const error = await placementError(target, fetchOf({ proxy: url, tls: { ca: other.cert } }));
    expect(error).toMatchObject({ outcome: "not_sent", cause: { cause: { code: "ERR_TLS_CERT_ALTNAME_INVALID" } } });
  });

  it("of the environment is used unless the option says otherwise", async () => {
    const { asked, url } = await startProxy();
    for (const name of ["http_proxy", "https_proxy", "no_proxy", "NO_PROXY"]) vi.stubEnv(name, "");
    vi.stubEnv("HTTP_PROXY", url);
    const send = nodeFetch();
    expect(await (await send("http://api.example.com")).text()).toBe("from the proxy");
    send.close();
    const server = createHttpServer((_, response) => response.end("direct"));
    const target = `http://127.0.0.1:${await listen(server)}`;
    expect(await (await fetchOf()(target)).text()).toBe("direct");
    expect(asked).toHaveLength(1);
  });

  it.each(["socks5://127.0.0.1:1", "http://user:secret@:x", "http://user:50%secret@127.0.0.1:1"])(
    "at %s is refused without its address in the message",
    (proxy) => {
      expect(() => nodeFetch({ proxy })).toThrow(/^The option proxy (?!.*secret)/);
    },
  );
});

describe("the environment", () => {
  const hostFor = (target: string, environment: Record<string, string>) =>
    proxyChoice(undefined, environment)(new URL(target))?.url.host;

  it.each([
    ["http://a.test", { HTTP_PROXY: "http://p:1", HTTPS_PROXY: "http://q:2" }, "p:1"],
    ["https://a.test", { HTTP_PROXY: "http://p:1", HTTPS_PROXY: "http://q:2" }, "q:2"],
    ["https://a.test", { HTTP_PROXY: "http://p:1" }, undefined],
    ["http://a.test", { HTTP_PROXY: "http://p:1", http_proxy: "http://q:2" }, "q:2"],
    ["http://a.test", { HTTP_PROXY: "p:1" }, "p:1"],
    ["http://a.test", { HTTP_PROXY: "" }, undefined],
  ])("for %s and %j chooses %s", (target, environment, host) => {
    expect(hostFor(target, environment)).toBe(host);
  });

  it.each([
    ["a.test", "http://a.test", true],
    ["a.test", "http://b.a.test", true],
    [".a.test", "http://b.a.test", true],
    ["*.a.test", "http://b.a.test", true],
    ["A.TEST", "http://a.test", true],
    ["a.test", "http://ba.test", false],
    ["x, a.test", "http://a.test", true],
    ["x a.test", "http://a.test", true],
    ["*", "http://a.test", true],
    ["a.test:80", "http://a.test", true],
    ["a.test:8080", "http://a.test", false],
    ["127.0.0.1", "http://127.0.0.1:4010", true],
    ["::1", "http://[::1]:4010", true],
    ["[::1]:4010", "http://[::1]:4010", true],
    ["", "http://a.test", false],
  ])("with NO_PROXY=%s leaves out %s: %s", (entries, target, isDirect) => {
    expect(hostFor(target, { HTTP_PROXY: "http://p:1", NO_PROXY: entries }) === undefined).toBe(isDirect);
  });
});

it.each<[entry: string, host: string, isDirect: boolean]>([
  ["10.0.0.0/8", "10.1.2.3", true],
  ["10.0.0.0/8", "11.1.2.3", false],
  ["192.168.1.128/25", "192.168.1.129", true],
  ["192.168.1.128/25", "192.168.1.127", false],
  ["0.0.0.0/0", "203.0.113.9", true],
  ["fd00::/8", "[fd12::1]", true],
  ["fd00::/8", "[fe80::1]", false],
  ["10.0.0.0/33", "10.0.0.1", false],
  ["10.0.0.0/", "10.0.0.1", false],
  ["10.0.0.0/8", "10.example.com", false],
  ["fd00::/8", "10.0.0.1", false],
])("NO_PROXY=%s: a request to %s goes directly: %s", (entry, host, isDirect) => {
  const proxyOf = proxyChoice(undefined, { HTTP_PROXY: "http://proxy.example:3128", NO_PROXY: `a.example,${entry}` });
  expect(proxyOf(new URL(`http://${host}/`)) === undefined).toBe(isDirect);
});
