import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { operations } from "@call-transfer/spec";
import { expect, it, onTestFinished } from "vitest";
import { freePort } from "../../build/free-port.ts";
import { lineOfPage, runPrism } from "./prism.ts";

it("Prism checks the traffic of an API by our document, as the page starts it", async () => {
  const platform = createServer((_, response) =>
    response
      .writeHead(200, { "content-type": "application/json" })
      .end('{"roles":[{"role":"owner","permissions":"all"}]}'),
  );
  platform.listen(0, "127.0.0.1");
  onTestFinished(() => void platform.close());
  await once(platform, "listening");
  const port = String(await freePort());
  const target = `http://127.0.0.1:${(platform.address() as AddressInfo).port}`;
  const prism = await runPrism(lineOfPage("docs/mock-server.md", "npx prism proxy"), {
    cwd: fileURLToPath(new URL("../../", import.meta.url)),
    replaced: { "4012": port, "https://staging.example.com": target },
  });
  onTestFinished(() => void prism.kill("SIGKILL"));
  const { path } = operations.listRoles;
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: "Bearer any" } });
  expect([response.status, await response.json()]).toEqual([200, { roles: [{ role: "owner", permissions: "all" }] }]);
  expect(JSON.parse(response.headers.get("sl-violations") ?? "[]")).toMatchObject([
    { location: ["response", "body", "roles", "0", "permissions"], code: "type" },
  ]);
});
