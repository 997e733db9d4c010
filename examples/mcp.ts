import { createMcpServer } from "@call-transfer/mcp";
import { demo } from "@call-transfer/mock-server/backend";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";

// A server whose tools act on a new mock, and a client in the place of an
// assistant.
const server = await createMcpServer();
const [here, there] = InMemoryTransport.createLinkedPair();
await server.connect(there);
const client = new Client({ name: "example", version: "1.0.0" });
await client.connect(here);

/** Calls a tool, and prints what an assistant would read. */
async function ask(name: string, given: Record<string, unknown>) {
  const { content, structuredContent } = await client.callTool({
    name,
    arguments: given,
  });
  console.log(`\n> ${name} ${JSON.stringify(given)}`);
  if (structuredContent) console.log(JSON.stringify(structuredContent));
  else
    for (const block of content)
      if (block.type === "text") console.log(block.text);
}

const call = {
  flowId: demo.flows.published,
  fromNumber: demo.numbers.working,
  toNumber: demo.recipients.anyone,
};
await ask("create_call", call);
await ask("mock_advance_clock", { by: 60_000 });
await ask("list_calls", { limit: 1 });
await ask("create_call", { ...call, toNumber: demo.recipients.doNotCall });
await ask("mock_add_fault", { text: "createCall process_then_reset" });
await ask("create_call", call);
await client.close();
