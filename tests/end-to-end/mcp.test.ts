import { readFileSync } from "node:fs";
import { createBackend, demo } from "@call-transfer/backend";
import { createMcpServer, type McpServerOptions } from "@call-transfer/mcp";
import { startMockServer } from "@call-transfer/mock-server";
import { type OperationId, operations } from "@call-transfer/spec";
import { Client, InMemoryTransport, type Tool } from "@modelcontextprotocol/client";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { accounts, start } from "../../packages/contract/src/fixtures/names.ts";
import { world } from "../../packages/contract/src/fixtures/world.ts";
import { validInput } from "../../packages/contract/src/suite/client.ts";
import description from "../../packages/mcp/package.json" with { type: "json" };
import { commandOptions } from "../../packages/mcp/src/cli/options.ts";
import { toolName } from "../../packages/mcp/src/tools/tool.ts";
import { responseSchemas } from "../../packages/spec/src/response-schemas.gen.ts";

const page = readFileSync(new URL("../../docs/mcp.md", import.meta.url), "utf8");

/** An official client of a server with these options. */
async function connect(options?: McpServerOptions): Promise<Client> {
  const server = await createMcpServer(options);
  const [one, other] = InMemoryTransport.createLinkedPair();
  await server.connect(one);
  const client = new Client({ name: "tests", version: "1.0.0" });
  await client.connect(other);
  onTestFinished(() => client.close());
  return client;
}

const platform = { client: { baseUrl: "https://api.example.com", apiKey: "key" } };

describe("docs/mcp.md", () => {
  it("lists every tool, those of the API with their hints and what they need (npm run record)", async () => {
    const { tools } = await (await connect()).listTools();
    const { structuredContent } = await (await connect({ platform })).callTool({ name: "describe_server" });
    const { notOffered } = structuredContent as { notOffered: { name: string; requires: string[] }[] };
    const needs = ({ name }: Tool): string => {
      const requires = notOffered.find((tool) => tool.name === name)?.requires ?? [];
      return requires.map((option) => `\`${option.replace(/ .*/, "")}\``).join(", ") || "offered";
    };
    const hintsOf = ({ readOnlyHint, destructiveHint, idempotentHint }: Tool["annotations"] & object): string =>
      readOnlyHint
        ? "read-only"
        : [destructiveHint && "destructive", idempotentHint && "idempotent"].filter(Boolean).join(", ") || "changes";
    const isOfMock = ({ name }: Tool) => name.startsWith("mock_");
    const rows = tools
      .filter((tool) => !isOfMock(tool))
      .map((tool) => `| \`${tool.name}\` | ${tool.title} | ${hintsOf(tool.annotations ?? {})} | ${needs(tool)} |`);
    const head = "| Tool | What it does | Hints | On the real platform |\n|---|---|---|---|";
    const ofMocks = tools.filter(isOfMock).map(({ name }) => `\`${name}\``);
    const table = `<!-- tools -->\n\n${head}\n${rows.join("\n")}\n\nOn a mock also: ${ofMocks.join(", ")}.\n\n<!-- end of tools -->`;
    const written = page.replace(/<!-- tools -->.*<!-- end of tools -->/s, () => table);
    await expect(written).toMatchFileSnapshot("../../docs/mcp.md");
  });

  it("shows configurations that the command accepts, of the present major", () => {
    const blocks = [...page.matchAll(/```json\n(.*?)```/gs)].map(([, text = ""]) => JSON.parse(text));
    expect(blocks.length).toBeGreaterThan(3);
    for (const { mcpServers, servers = mcpServers } of blocks) {
      const { command, args } = servers["call-transfer"];
      expect([command, ...args.slice(0, 2)]).toEqual([
        "npx",
        "-y",
        `@call-transfer/mcp@${description.version.split(".", 1)}`,
      ]);
      expect(commandOptions(args.slice(2), {})).toBeTypeOf("object");
    }
  });

  it("shows what the session prints", async () => {
    const log = vi.spyOn(console, "log").mockReturnValue();
    await import("../../examples/mcp.ts");
    // Ids of events are random, and a window begins by the time that the program took.
    const comparable = (text: string) =>
      text
        .trim()
        .replace(/"eventId":"[^"]+"/g, '"eventId":"…"')
        .replace(/(listed since )\S+Z/, "$1…Z");
    const [, printed = ""] = /```text\n(.*?)```/s.exec(page) ?? [];
    expect(comparable(log.mock.calls.flat().join("\n"))).toBe(comparable(printed));
  });
});

describe.each(Object.keys(operations) as OperationId[])("the tool %s, in the world of the examples", (id) => {
  /** Calls the tool with the example of its operation. */
  async function call() {
    const backend = createBackend({ seed: world, now: start, controlPlane: true });
    const client = await connect({
      backend,
      apiKey: backend.credentials.createApiKey({ accountId: accounts.home }).key,
    });
    const { path, query, body } = validInput(id);
    const answer = await client.callTool({
      name: toolName(id),
      arguments: { ...path, ...query, ...Object(body) },
    });
    return {
      ...answer,
      text: answer.content.map((block) => (block.type === "text" ? block.text : "")).join(),
      backend,
    };
  }

  it("returns what the API returns", async () => {
    const { backend, isError = false, structuredContent, text } = await call();
    expect(isError).toBe(false);
    const [request] = backend.requests.list();
    expect(request).toMatchObject({ operationId: id, status: operations[id].successes[0]?.status });
    if (!Object.hasOwn(responseSchemas, id)) return;
    const schema = responseSchemas[id as keyof typeof responseSchemas];
    expect(schema.safeParse(structuredContent)).toMatchObject({ success: true });
    expect(JSON.parse(text)).toEqual(structuredContent);
  });
});

it("a misspelt argument of a tool is refused before anything is sent", async () => {
  const backend = createBackend({ controlPlane: true });
  const client = await connect({ backend, apiKey: demo.apiKey });
  const answer = await client.callTool({ name: "list_calls", arguments: { ofset: 1 } });
  expect(answer.isError).toBe(true);
  expect(JSON.stringify(answer.content)).toContain("The tool has no argument ofset.");
  expect(backend.requests.list()).toEqual([]);
});

describe("a running mock server", () => {
  it("is controlled with its token, in the sandbox that is named", async () => {
    const mock = await startMockServer({ port: 0, controlToken: "control-token-of-a-test", autoSandboxes: true });
    onTestFinished(() => mock.close());
    const address = { url: mock.url, controlToken: "control-token-of-a-test", sandbox: "assistant" };
    await expect(createMcpServer({ mockServer: { ...address, controlToken: undefined } })).rejects.toThrow("token");
    const client = await connect({ mockServer: address });
    const { isError } = await client.callTool({ name: "mock_add_fault", arguments: { text: "listRoles conflict" } });
    expect(isError).toBeFalsy();
    expect(await client.callTool({ name: "list_roles" })).toMatchObject({ isError: true });
    const elsewhere = await connect({ mockServer: { ...address, sandbox: undefined } });
    expect((await elsewhere.callTool({ name: "list_roles" })).isError).toBeFalsy();
    const { structuredContent } = await client.callTool({ name: "mock_list_requests" });
    expect(structuredContent).toMatchObject({ requests: [{ operationId: "listRoles", status: 409 }] });
  });
});
