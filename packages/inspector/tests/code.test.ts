import { createBackend, demo } from "@call-transfer/backend";
import { CallTransfer } from "@call-transfer/sdk";
import { operations } from "@call-transfer/spec";
import { signal } from "@preact/signals";
import { describe, expect, it } from "vitest";
import {
  type ApiRequest,
  appliesTo,
  curlOf,
  literal,
  pythonLiteral,
  pythonOf,
  sdkCallOf,
  shellCommand,
  shellText,
  typescriptOf,
} from "../src/data/code.ts";
import type { ActiveFault } from "../src/data/control.ts";

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
      '-H "authorization: Bearer $CALL_TRANSFER_ACCESS_TOKEN_OWNER"',
    );
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
    expect(curlOf(long)).toMatch(/^# The body was not kept/);
  });
});

describe("the program with the SDK", () => {
  it("has the method, its parameters in order, and the credential from the environment", () => {
    expect(typescriptOf(place)).toBe(`import { CallTransfer } from "@call-transfer/sdk";

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
    const code = typescriptOf({
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
    expect(typescriptOf({ ...place, operationId: undefined })).toBeUndefined();
    expect(typescriptOf({ ...place, operationId: "toString" })).toBeUndefined();
  });

  it("does what the request did", async () => {
    const { fetch } = createBackend();
    const client = new CallTransfer({ baseUrl: base, apiKey: demo.apiKey, fetch });
    const { flows, numbers, recipients } = demo;
    const body = { flowId: flows.published, fromNumber: numbers.working, toNumber: recipients.anyone };
    const call = new Function("client", `return ${sdkCallOf({ ...place, body })}`);
    expect(await call(client)).toMatchObject({ type: "initiated" });
  });
});

describe("the Python program with the SDK", () => {
  it("has the method in snake case, its parameters by name, and the credential from the environment", () => {
    const { createDestinationGroup } = operations;
    const members = [{ destinationId: "d-1", ringTimeoutSecs: 20 }];
    const group = { method: "POST", url: base + createDestinationGroup.path, operationId: createDestinationGroup.id };
    expect(pythonOf({ ...place, ...group, body: { name: "Front desk", members } })).toBe(`import os

from call_transfer import CallTransfer

client = CallTransfer(
    base_url="${base}",
    api_key=os.environ["CALL_TRANSFER_API_KEY"],
)
result = client.destination_groups.create(
    name="Front desk",
    members=[
        {
            "destination_id": "d-1",
            "ring_timeout_secs": 20,
        },
    ],
)
print(result)
`);
  });

  it("takes the values of the path and the query, and the token of the role", () => {
    const headers = { authorization: "Bearer [redacted]", "x-account-id": "a-1" };
    const url = `${base}/_sandbox/one${listCalls.path}?limit=2&startDate=2026-03-01`;
    const code = pythonOf({ method: "GET", url, headers, operationId: "listCalls", role: "agent" });
    expect(code).toContain(`base_url="${base}/_sandbox/one"`);
    expect(code).toContain('access_token=os.environ["CALL_TRANSFER_ACCESS_TOKEN_AGENT"]');
    expect(code).toContain('account_id="a-1"');
    expect(code).toContain('client.calls.list(\n    limit=2,\n    start_date="2026-03-01",\n).first_page()');
    const hours = base + deleteMemberHours.path.replace("{memberId}", "m-1");
    const removal = { method: "DELETE", url: hours, headers: {}, operationId: "deleteMemberHours" };
    expect(pythonOf(removal)).toContain('client.members.delete_hours(\n    "m-1",\n)');
  });

  it("writes each JSON value as Python", () => {
    expect(pythonLiteral({ a: null, bC: true, d: [false, 1.5, "x"], e: [], f: {} })).toBe(
      '{\n    "a": None,\n    "b_c": True,\n    "d": [\n        False,\n        1.5,\n        "x",\n    ],\n    "e": [],\n    "f": {},\n}',
    );
  });
});

it.each([
  ["* queue_full 3 times", "3 more requests", "2 more requests"],
  ["* 503, pass 2 times", "4 more requests", "3 more requests"],
  ["webhooks sign wrong_secret once", "1 more webhook", "1 more webhook"],
])("the fault %s still applies to %s, and after a request to %s", async (text, first, second) => {
  const backend = createBackend();
  backend.faults.add(text);
  const shown = () => backend.faults.list().map((fault) => appliesTo(fault as ActiveFault))[0];
  expect(shown()).toBe(first);
  await backend.fetch(
    new Request(base + (text.startsWith("*") ? listCalls.path : createCall.path), {
      method: text.startsWith("*") ? "GET" : "POST",
    }),
  );
  expect(shown()).toBe(second);
});

describe("a command of the mock server", () => {
  const program = "npm -s start --";
  const source = { baseUrl: base, address: base, program, fetch, follow: () => () => {} };

  it("begins as the server was started, and names the server, and the sandbox unless it is the default one", () => {
    expect(shellCommand({ source, sandbox: signal("default") }, "webhooks trigger")).toBe(
      `npm -s start -- webhooks trigger --url ${base}`,
    );
    expect(shellCommand({ source, sandbox: signal("checkout") }, "webhooks trigger")).toMatch(/ --sandbox checkout$/);
  });

  it("keeps a shell from reading a name as more than one word", () => {
    expect(shellText("Night $(rm) `x` it's!")).toBe("'Night $(rm) `x` it'\\''s!'");
    expect(shellText("Reception")).toBe("Reception");
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
