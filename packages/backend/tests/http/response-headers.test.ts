import { type ErrorCode, errorCodes } from "@call-transfer/spec";
import { describe, expect, it } from "vitest";
import { createBackend } from "../../src/backend.ts";
import { demo } from "../../src/data/demo-seed.ts";
import { errorResponse } from "../../src/http/respond.ts";
import { createSandboxRegistry } from "../../src/sandboxes.ts";
import { send } from "../test-client.ts";

const rotation = `POST /transfers/destinations/${demo.destinations.app}/rotate-secret`;
const token = { role: "owner" };
const destination = { id: "d0000000-0000-4000-8000-0000000000ff", accountId: demo.accountId, name: "App", kind: "app" };

describe("WWW-Authenticate", () => {
  const codes = (Object.keys(errorCodes) as ErrorCode[]).map((code) => [code, errorCodes[code].mockStatus] as const);

  it.each(codes)(
    "of an answer with %s and the status %i names the scheme if it is 401, and nothing else",
    async (code, status) => {
      const backend = createBackend({ faults: [{ do: { code } }] });
      const { headers } = await send(backend, "GET /roles");
      expect(headers.get("www-authenticate")).toBe(status === 401 ? "Bearer" : null);
      expect(errorResponse(code, "").headers.get("www-authenticate")).toBe(headers.get("www-authenticate"));
    },
  );

  it("is in the answers of the check of the credential", async () => {
    const { headers } = await send(createBackend(), "GET /roles", { token: null });
    expect(headers.get("www-authenticate")).toBe("Bearer");
  });
});

describe("Cache-Control", () => {
  it("forbids to store the new secret of a rotation", async () => {
    const { status, headers } = await send(createBackend(), rotation);
    expect([status, headers.get("cache-control")]).toEqual([200, "no-store"]);
  });

  it.each([
    ["POST", "/credentials/access-tokens", token],
    ["POST", "/credentials/api-keys", {}],
    ["POST", "/records/destinations", destination],
    ["GET", `/records/destinations?id=${demo.destinations.app}`, undefined],
    ["GET", "/records/apiKeys", undefined],
    ["GET", "/faults?redact=true", undefined],
    ["GET", "/clock", undefined],
    ["DELETE", "/records/users/nobody", undefined],
    ["POST", "/sandboxes", { name: "other" }],
  ])("forbids to store the answer of the control plane to %s %s", async (method, path, body) => {
    const init = body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
    const { headers, status } = await createSandboxRegistry().fetch(`http://mock.test/_control/v1${path}`, {
      method,
      ...init,
    });
    expect(headers.get("cache-control")).toBe("no-store");
    expect(status).toBe(path.endsWith("nobody") ? 404 : method === "POST" ? 201 : 200);
  });
});
