// The table of failures: what each proves of the request, and how that is known. M: seen by tests/runtimes or with
// Node 20 to 26, Bun 1.1 to 1.4, Deno 2.9, workerd and Chromium 156, beside a server that counted what reached it.
import { describe, expect, it } from "vitest";
import { outcomeOfFailure } from "../src/send/result.ts";

type Row = readonly [code: string, syscall: string | undefined, why: string];

const notSent: readonly Row[] = [
  // A connection that was never made. The system call tells, whatever the code.
  ["ECONNREFUSED", "connect", "M: a closed port"],
  ["EHOSTUNREACH", "connect", "M: no route to the host"],
  ["ENETUNREACH", "connect", "M: no route to its network"],
  ["EACCES", "connect", "M: forbidden by this machine"],
  ["ETIMEDOUT", "connect", "an address that Node gave up, e.g. one of several"],
  ["ECONNRESET", "connect", "M: reset before Node knew that it was connected"],
  // A name that was never resolved.
  ["ENOTFOUND", "getaddrinfo", "M: no such host, in Node and in Bun from 1.4"],
  ["EAI_AGAIN", "getaddrinfo", "no resolver answers"],
  ["ENOTFOUND", "queryA", "c-ares, where a lookup of one's own asks it"],
  ["ECONNREFUSED", "queryA", "c-ares: the resolver's port is closed"],
  // Codes that come without a system call.
  ["ECONNREFUSED", undefined, "M: Bun 1.4.5, which sends a POST once"],
  ["ENOTFOUND", undefined, "a wrapped error"],
  ["EAI_AGAIN", undefined, "a wrapped error"],
  ["UND_ERR_CONNECT_TIMEOUT", undefined, "M: undici's limit for TCP and TLS together"],
  ["UND_ERR_PRX_TLS", undefined, "undici: the proxy's certificate is for another host"],
  // Certificates that are not trusted. Node and Bun verify them before the first byte of a request (M: 0 bytes came).
  ["DEPTH_ZERO_SELF_SIGNED_CERT", undefined, "M"],
  ["ERR_TLS_CERT_ALTNAME_INVALID", undefined, "M: another host's"],
  ["UNABLE_TO_VERIFY_LEAF_SIGNATURE", undefined, "the chain is not sent whole"],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", undefined, "its authority is not known here"],
  ["CERT_HAS_EXPIRED", undefined, ""],
  ["INVALID_CA", undefined, "an authority that is none"],
];

const unknown: readonly Row[] = [
  // A connection that was made: the request, or a part of it, may have come through.
  ["ECONNRESET", "read", "M: reset after the request was read"],
  ["ECONNRESET", "write", "M: reset at once, reported by Node 26 while writing"],
  ["ECONNRESET", undefined, "M: Bun, for every connection that was lost, also after the request was read"],
  ["ETIMEDOUT", "read", "M: the server had read the request, then its packets were lost"],
  ["ETIMEDOUT", undefined, "before or after: nothing tells"],
  ["ECONNREFUSED", "read", "a firewall that begins to reject while an answer is awaited"],
  ["EHOSTUNREACH", undefined, "M: Bun says so of a connection that was not made, but does not say when"],
  ["EPIPE", undefined, "closed in the middle"],
  // TLS. A server may refuse a client's certificate after TLS 1.3 let the request out.
  ["EPROTO", undefined, "M: Bun, for a handshake, but also for a client certificate that came too late"],
  ["ERR_SSL_WRONG_VERSION_NUMBER", undefined, "M: a plain port; but any record may be broken so"],
  ["ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED", undefined, "comes after the request"],
  // undici.
  ["UND_ERR_SOCKET", undefined, "M: closed, also after the request was read"],
  ["UND_ERR_HEADERS_TIMEOUT", undefined, "sent, and no answer"],
  ["UND_ERR_REQ_RETRY", undefined, "sent more than once"],
  ["UND_ERR_ABORTED", undefined, "at any time; also a proxy that opens no tunnel"],
  ["UND_ERR_DESTROYED", undefined, "ends what is under way, too"],
  ["HPE_INVALID_CONSTANT", undefined, "M: answered, though not in HTTP"],
  // Bun.
  ["ConnectionRefused", undefined, "M: Bun before 1.3.14 sends a lost POST again, and says so if that is refused"],
  // Names that only look like those above.
  ["UNABLE_TO_GET_RESPONSE", undefined, "in a fetch of one's own"],
  ["ECONNREFUSED_BY_POLICY", undefined, "in a fetch of one's own"],
  ["ECONNREFUSED", "reconnect", "in a fetch of one's own"],
];

const coded = (code: unknown, syscall?: unknown, more: ErrorOptions = {}): Error =>
  Object.assign(new Error("failed", more), { code }, syscall !== undefined && { syscall });
const failed = (cause: unknown): TypeError => new TypeError("fetch failed", { cause });
const refused = coded("ECONNREFUSED", "connect");
const reset = coded("ECONNRESET", "read");

describe("a failure's code", () => {
  it.each(notSent)("%s in %s proves that nothing was sent (%s)", (code, syscall) => {
    expect(outcomeOfFailure(failed(coded(code, syscall)))).toBe("not_sent");
    expect(outcomeOfFailure(coded(code, syscall))).toBe("not_sent");
  });

  it.each(unknown)("%s in %s proves nothing (%s)", (code, syscall) => {
    expect(outcomeOfFailure(failed(coded(code, syscall)))).toBe("unknown");
    expect(outcomeOfFailure(coded(code, syscall))).toBe("unknown");
  });
});

describe("a failure without a readable code proves nothing", () => {
  it.each([
    ["of a browser", new TypeError("Failed to fetch")],
    ["of Node, for a port that fetch refuses", failed(new Error("bad port"))],
    ["of Deno, though it names the connection", failed(new Error("client error (Connect): Connection refused"))],
    [
      "of workerd, though it calls it retryable",
      Object.assign(new Error("Network connection lost."), { retryable: true }),
    ],
    ["that is a DOMException, whose code is a number", new DOMException("failed", "NetworkError")],
    ["that is text", "ECONNREFUSED"],
    ["that is null", null],
    ["that is undefined", undefined],
    ["whose cause is null", failed(null)],
  ])("%s", (_, error) => {
    expect(outcomeOfFailure(error)).toBe("unknown");
  });

  it.each([111, true, null, {}, ["ECONNREFUSED"]])("whose code, or system call, is %j", (code) => {
    expect(outcomeOfFailure(failed(coded(code)))).toBe("unknown");
    expect(outcomeOfFailure(failed(coded("ECONNREFUSED", code)))).toBe("unknown");
  });
});

describe("several addresses", () => {
  const tried = (...parts: unknown[]) => failed(new AggregateError(parts));

  it("prove that nothing was sent when each of them does", () => {
    expect(outcomeOfFailure(tried(refused, coded("ENETUNREACH", "connect")))).toBe("not_sent");
    expect(outcomeOfFailure(tried(refused))).toBe("not_sent");
    expect(outcomeOfFailure(new AggregateError([refused, failed(refused)]))).toBe("not_sent");
  });

  it("prove nothing when one of them does not, whatever the outer code", () => {
    expect(outcomeOfFailure(tried(refused, reset))).toBe("unknown");
    expect(outcomeOfFailure(tried(reset, refused))).toBe("unknown");
    const whole = Object.assign(new AggregateError([refused, reset]), { code: "ECONNREFUSED" });
    expect(outcomeOfFailure(failed(whole))).toBe("unknown");
  });

  it("prove nothing when there are none", () => {
    expect(outcomeOfFailure(tried())).toBe("unknown");
    expect(outcomeOfFailure(Object.assign(new AggregateError([]), { code: "ECONNREFUSED" }))).toBe("unknown");
  });
});

describe("causes of causes", () => {
  it("are found through errors without a code", () => {
    expect(outcomeOfFailure(failed(failed(refused)))).toBe("not_sent");
    expect(outcomeOfFailure(failed(failed(reset)))).toBe("unknown");
  });

  it("must agree with the errors around them", () => {
    expect(outcomeOfFailure(coded("ECONNREFUSED", "connect", { cause: reset }))).toBe("unknown");
    expect(outcomeOfFailure(coded("UND_ERR_REQ_RETRY", undefined, { cause: refused }))).toBe("unknown");
    expect(outcomeOfFailure(coded("UND_ERR_PRX_TLS", undefined, { cause: coded("CERT_HAS_EXPIRED") }))).toBe(
      "not_sent",
    );
  });

  it("prove nothing when they are nested endlessly", () => {
    const circle = Object.assign(new Error("failed"), { code: "ECONNREFUSED" });
    circle.cause = circle;
    expect(outcomeOfFailure(circle)).toBe("unknown");
  });
});
