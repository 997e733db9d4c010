import { describe, expect, it } from "vitest";
import { contractMajor } from "../../src/generated/contract.gen.ts";
import { refuseOtherContract } from "../../src/http/process-request.ts";
import { createBackend } from "../../src/index.ts";
import { send } from "../test-client.ts";

const detailFor = (agent: string | undefined, major: number, tag = "") =>
  refuseOtherContract(new Headers(agent === undefined ? {} : { "user-agent": agent }), { major, tag })?.problem.detail;

describe("a client's contract", () => {
  it.each([
    [undefined],
    ["curl/8.5.0"],
    ["call-transfer-sdk/1.4.0 node/24.21.0"],
    ["front-desk/2.1 call-transfer-sdk/3.0.0 (contract 2) node/24.21.0"],
    ["call-transfer-python/2.1.0 (contract 2) python/3.11"],
    ["my-call-transfer-sdk/9.0.0 (contract 9)"],
  ])("is accepted if it is the server's, or unknown: %s", (agent) => {
    expect(detailFor(agent, 2)).toBeUndefined();
  });

  it("is refused if it is older, with the SDK to install", () => {
    expect(detailFor("call-transfer-sdk/1.4.0 (contract 1) node/24.21.0", 2)).toBe(
      "The client is made for contract 1, and this server serves contract 2. Update the client: npm install @call-transfer/sdk@^2",
    );
  });

  it("is refused if it is older and in Python, with the package to install", () => {
    expect(detailFor("call-transfer-python/1.4.0 (contract 1) python/3.14", 2)).toBe(
      "The client is made for contract 1, and this server serves contract 2. Update the client: pip install --upgrade call-transfer",
    );
  });

  it("is refused if it is newer, with the mock server to install", () => {
    expect(detailFor("call-transfer-sdk/2.0.0 (contract 2)", 1)).toBe(
      "The client is made for contract 2, and this server serves contract 1. Update this server: npm install --save-dev @call-transfer/mock-server@latest",
    );
  });

  it.each([
    ["call-transfer-sdk/1.4.0 (contract 1)", "npm install @call-transfer/sdk@next"],
    ["call-transfer-python/1.4.0 (contract 1)", "pip install --upgrade --pre call-transfer"],
  ])("is refused by a prerelease of the next major with what installs then: %s", (agent, install) => {
    expect(detailFor(agent, 2, "next")).toMatch(`Update the client: ${install}`);
  });

  it.each([
    ["sdk/2.0.0-next.1", "next"],
    ["sdk/2.0.0-alpha.0", "alpha"],
    ["python/2.0.0.dev1", "next"],
    ["python/3.0.0a0", "alpha"],
    ["python/2.0.0b1", "beta"],
    ["python/2.0.0rc1", "rc"],
    // The major is released before prereleases of its minors.
    ["sdk/2.1.0-next.0", "latest"],
    ["python/2.1.0.dev0", "latest"],
  ])("is refused if it is a newer prerelease, with the tag of the mock server: %s", (client, tag) => {
    expect(detailFor(`call-transfer-${client} (contract 2)`, 1)).toMatch(
      new RegExp(`npm install --save-dev @call-transfer/mock-server@${tag}$`),
    );
  });

  it("decides before anything else of a request", async () => {
    const backend = createBackend();
    const ask = (major: number) =>
      send(backend, "GET /roles", { headers: { "user-agent": `call-transfer-sdk/9.0.0 (contract ${major})` } });
    expect((await ask(contractMajor)).status).toBe(200);
    const refused = await ask(contractMajor + 1);
    expect([refused.status, refused.body]).toEqual([400, expect.objectContaining({ code: "bad_request" })]);
  });
});
