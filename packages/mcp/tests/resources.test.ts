import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errorCodes } from "@call-transfer/spec";
import document from "@call-transfer/spec/openapi.json" with { type: "json" };
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { type Guide, guidesIn } from "../src/resources/resources.ts";
import { serverFor } from "../src/server/create-mcp-server.ts";
import { openTarget } from "../src/server/target.ts";
import { connect, connectToPlatform } from "./connect.ts";

const guideOf = (name: string): Guide => ({
  name,
  title: `About ${name}`,
  description: `What ${name} is.`,
  text: () => `# About ${name}\n`,
});

/** An official client of a server whose package carries these guides. */
async function connectWith(...names: string[]): Promise<Client> {
  const server = serverFor(await openTarget(), names.map(guideOf));
  const [one, other] = InMemoryTransport.createLinkedPair();
  await server.connect(one);
  const client = new Client({ name: "tests", version: "1.0.0" });
  await client.connect(other);
  onTestFinished(() => client.close());
  return client;
}

async function textAt(client: Client, uri: string): Promise<string> {
  const { contents } = await client.readResource({ uri });
  return contents.map((content) => ("text" in content ? content.text : "")).join();
}

describe("guides", () => {
  it("are listed with title and subject, and can be read", async () => {
    const client = await connectWith("sdk", "paging");
    const { resources } = await client.listResources();
    const listed = resources.filter(({ uri }) => uri.startsWith("call-transfer://guides/"));
    expect(listed).toMatchObject([
      { uri: "call-transfer://guides/sdk", title: "About sdk", description: "What sdk is.", mimeType: "text/markdown" },
      { uri: "call-transfer://guides/paging" },
    ]);
    expect(await textAt(client, "call-transfer://guides/paging")).toBe("# About paging\n");
    await expect(textAt(client, "call-transfer://guides/gone")).rejects.toThrow("call-transfer://guides/gone");
  });

  it("are those that the llms.txt of the package lists", () => {
    const folder = mkdtempSync(join(tmpdir(), "call-transfer-mcp-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    expect(guidesIn(folder)).toEqual([]);
    mkdirSync(join(folder, "guides"));
    writeFileSync(join(folder, "guides", "paging.md"), "# Paging\n");
    writeFileSync(join(folder, "llms.txt"), "## Traps\n\n- One.\n\n- [Paging](guides/paging.md): Reads lists.\n");
    const [guide, ...others] = guidesIn(folder);
    expect(guide).toMatchObject({ name: "paging", title: "Paging", description: "Reads lists." });
    expect([guide?.text(), others]).toEqual(["# Paging\n", []]);
  });
});

describe("error codes", () => {
  it("say one by one what they mean and which operations return them", async () => {
    const { client } = await connect();
    const { resourceTemplates } = await client.listResourceTemplates();
    expect(resourceTemplates).toMatchObject([{ uriTemplate: "call-transfer://errors/{code}" }]);
    const text = await textAt(client, "call-transfer://errors/contact_on_dnc_list");
    expect(text).toContain(errorCodes.contact_on_dnc_list.meaning);
    expect(text).toContain("Status: 422");
    expect(text).toContain("Returned by `createCall`.");
  });

  it("are completed, and an unknown one leads to the list", async () => {
    const { client } = await connect();
    const ref = { type: "ref/resource" as const, uri: "call-transfer://errors/{code}" };
    const { completion } = await client.complete({ ref, argument: { name: "code", value: "contact_" } });
    expect(completion.values).toContain("contact_on_dnc_list");
    expect(await textAt(client, "call-transfer://errors")).toContain("| `contact_on_dnc_list` | 422 |");
    await expect(textAt(client, "call-transfer://errors/gone")).rejects.toThrow("Read call-transfer://errors for all");
  });
});

it("the document of the API is there", async () => {
  const { client } = await connect();
  expect(JSON.parse(await textAt(client, "call-transfer://openapi.json"))).toEqual(document);
});

describe("the instructions", () => {
  it("name only tools and resources that are there", async () => {
    const client = await connectWith("sdk", "placing-calls", "webhooks", "testing");
    const words = client.getInstructions() ?? "";
    const { resources } = await client.listResources();
    const { tools } = await client.listTools();
    const { resourceTemplates } = await client.listResourceTemplates();
    const there = [...resources.map(({ uri }) => uri), ...resourceTemplates.map(({ uriTemplate }) => uriTemplate)];
    const uris = words.match(/call-transfer:\/\/\S*[^\s.,]/g) ?? [];
    expect(uris.length).toBeGreaterThan(5);
    expect(there).toEqual(expect.arrayContaining(uris));
    const named = words.match(/\bmock_\w+|\bcreate_call\b/g) ?? [];
    expect(named.length).toBeGreaterThan(4);
    expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(named));
  });

  it("leave out guides that the package does not carry, and tools that only a mock has", async () => {
    expect((await connectWith()).getInstructions()).not.toContain("call-transfer://guides");
    expect((await connectToPlatform()).client.getInstructions()).not.toContain("mock_");
  });
});
