import { once } from "node:events";
import { connect } from "node:net";
import { demo } from "@call-transfer/backend";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type MockServer, startMockServer } from "../../src/index.ts";

let server: MockServer;
beforeAll(async () => {
  server = await startMockServer({ port: 0 });
});
afterAll(() => server.close());

/** Sends a request with these header lines as they are. Returns the status and the body. */
async function answerTo(lines: readonly string[]): Promise<{ status: number; body: string }> {
  const socket = connect(server.port, "127.0.0.1");
  let text = "";
  socket.setEncoding("utf8").on("data", (part) => {
    text += part;
  });
  socket.write(["GET /api/v1/roles HTTP/1.1", ...lines, "Connection: close", "", ""].join("\r\n"));
  await once(socket, "close");
  return { status: Number(text.split(" ")[1]), body: text.split("\r\n\r\n")[1] ?? "" };
}

/** What selects the caller, the account, the sandbox and the page of a request: a valid value, and another valid one. */
const selecting = {
  Host: ["localhost", "127.0.0.1"],
  Authorization: [`Bearer ${demo.apiKey}`, `Bearer ${demo.foreignApiKey}`],
  "X-Account-Id": [demo.accountId, demo.foreignAccountId],
  "X-Sandbox": ["default", "other"],
  "Content-Type": ["application/json", "text/plain"],
} as const;
const valid = Object.entries(selecting).map(([name, [value]]) => `${name}: ${value}`);

describe("a request that sends a header of its selection", () => {
  it("once is answered", async () => {
    expect((await answerTo(valid)).status).toBe(200);
  });

  it.each(
    Object.entries(selecting).flatMap(([name, [value, other]]) =>
      [name, name.toLowerCase()].flatMap((second) =>
        [value, other, ""].map((again) => [name, `${second}: ${again}`] as const),
      ),
    ),
  )("%s twice is refused: then as %s", async (name, line) => {
    for (const lines of [
      [...valid, line],
      [line, ...valid],
    ]) {
      const { status, body } = await answerTo(lines);
      expect(status).toBe(400);
      if (name !== "Host") expect(body).toContain(`Duplicate header ${name.toLowerCase()}. Send it once.`);
    }
  });
});
