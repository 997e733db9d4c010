import { createBackend, demo } from "@call-transfer/backend";
import { CallTransfer } from "@call-transfer/sdk";
import { operations } from "@call-transfer/spec";
import { describe, expect, it } from "vitest";
import { type ApiRequest, curlOf, literal, sdkCallOf, sdkCodeOf } from "../src/data/code/request-code.ts";

const base = "http://127.0.0.1:4010";
const { createCall, deleteMemberHours, listCalls } = operations;
const place: ApiRequest = {
  method: createCall.method,
  url: base + createCall.path,
  headers: { authorization: "Bearer svc_live_1", "content-type": "application/json", "user-agent": "x", host: "h" },
  body: { toNumber: "+1555", note: "it's" },
  operationId: createCall.id,
};

describe("the command for a shell", () => {
  it("has method, address, headers and body, and leaves out what curl writes itself", () => {
    expect(curlOf(place).split(" \\\n  ")).toEqual([
      `curl -X POST ${base}${createCall.path}`,
      "-H 'authorization: Bearer svc_live_1'",
      "-H 'content-type: application/json'",
      `--data-raw '{"toNumber":"+1555","note":"it'\\''s"}'`,
    ]);
  });

  it("reads a hidden credential from the environment", () => {
    const hidden = { ...place, headers: { authorization: "Bearer [redacted]" } };
    expect(curlOf(hidden)).toContain('-H "authorization: Bearer $CALL_TRANSFER_API_KEY"');
    expect(curlOf({ ...hidden, headers: { ...hidden.headers, "x-account-id": "a" } })).toContain(
      '-H "authorization: Bearer $CALL_TRANSFER_ACCESS_TOKEN"',
    );
  });

  it("reads the hidden token of the control plane from the environment", () => {
    const headers = { authorization: "Bearer [redacted]", "x-account-id": "a" };
    for (const prefix of ["", "/_sandbox/one"]) {
      const control = { method: "GET", url: `${base}${prefix}/_control/v1/clock`, headers };
      expect(curlOf(control)).toContain('-H "authorization: Bearer $CALL_TRANSFER_CONTROL_TOKEN"');
    }
  });

  it("quotes what a shell would run", () => {
    const hostile = { ...place, url: `${base}/$(reboot)?a=1&b=\`x\``, headers: { "x-a": "$HOME; '" }, body: undefined };
    expect(curlOf(hostile)).toBe(`curl -X POST '${base}/$(reboot)?a=1&b=\`x\`' \\\n  -H 'x-a: $HOME; '\\'''`);
  });

  it("runs nothing of a credential that looks like a hidden one", () => {
    const hostile = { ...place, headers: { authorization: "Bearer $(reboot)[redacted]" } };
    expect(curlOf(hostile)).toContain("-H 'authorization: Bearer $(reboot)[redacted]'");
  });

  it("says that a body is missing", () => {
    const long = { ...place, body: undefined, headers: { "content-length": "90000" } };
    expect(curlOf(long)).toMatch(/^# The journal does not have the body/);
  });
});

describe("the program with the SDK", () => {
  it("has the method, its parameters in order, and the credential from the environment", () => {
    expect(sdkCodeOf(place)).toBe(`import { CallTransfer } from "@call-transfer/sdk";

const client = new CallTransfer({
  baseUrl: "${base}",
  apiKey: process.env.CALL_TRANSFER_API_KEY,
});
const result = await client.calls.create({
  toNumber: "+1555",
  note: "it's",
});
console.log(result);
`);
  });

  it("takes the account of a token, and the prefix of a sandbox", () => {
    const url = `${base}/_sandbox/one${listCalls.path}?limit=2&status=busy`;
    const code = sdkCodeOf({
      method: "GET",
      url,
      headers: { authorization: "Bearer eyJx", "x-account-id": "a-1" },
      operationId: "listCalls",
    });
    expect(code).toContain(`baseUrl: "${base}/_sandbox/one"`);
    expect(code).toContain('accountId: "a-1"');
    expect(code).toContain('client.calls.list({\n  limit: 2,\n  status: "busy",\n})');
  });

  it("takes the values of the path", () => {
    const url = base + deleteMemberHours.path.replace("{memberId}", "a%2Fb");
    const call = sdkCallOf({ method: "DELETE", url, headers: {}, operationId: "deleteMemberHours" });
    expect(call).toBe('client.members.deleteHours("a/b")');
  });

  it("is there for every operation, and for no other request", () => {
    for (const { id, method, path, resource, sdkMethod } of Object.values(operations))
      expect(sdkCallOf({ method, url: base + path, headers: {}, operationId: id })).toContain(
        `client.${resource}.${sdkMethod}(`,
      );
    expect(sdkCodeOf({ ...place, operationId: undefined })).toBeUndefined();
    expect(sdkCodeOf({ ...place, operationId: "toString" })).toBeUndefined();
  });

  it("gets the same answer again from a snapshot that was taken before the request", async () => {
    const clientOf = ({ fetch }: Pick<ReturnType<typeof createBackend>, "fetch">) =>
      new CallTransfer({ baseUrl: base, apiKey: demo.apiKey, fetch });
    const backend = createBackend();
    const snapshot = JSON.parse(JSON.stringify(backend.snapshot()));
    const { flows, numbers, recipients } = demo;
    const body = { flowId: flows.published, fromNumber: numbers.working, toNumber: recipients.anyone };
    const answer = await clientOf(backend).calls.create(body);
    const { method, path, headers = {}, requestBody, operationId } = backend.journal.get(1, { reveal: true }) ?? {};
    const request = { method: method ?? "", url: `${base}${path}`, headers, body: requestBody, operationId };
    await backend.clock.advance({ by: 3_600_000 });

    const restored = createBackend();
    restored.restore(snapshot);
    const call = new Function("client", `return ${sdkCallOf(request)}`);
    expect(await call(clientOf(restored))).toEqual(answer);
  });
});

describe("a JSON value as JavaScript", () => {
  it.each([[null], [1], ["a\n`$b`"], [[]], [{}], [{ a: [1, { "b-c": null }], ["__proto__"]: 1 }]])(
    "is %j again",
    (value) => {
      expect(new Function(`return ${literal(value)};`)()).toEqual(value);
    },
  );
});

it("takes an invalid escape in an address as it is", () => {
  const { id, method, path } = deleteMemberHours;
  const url = base + path.replace(/\{[^}]+\}/, "%E0%zz");
  expect(sdkCallOf({ method, url, headers: {}, operationId: id })).toContain('"%E0%zz"');
});
