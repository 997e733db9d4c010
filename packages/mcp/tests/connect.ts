import { createBackend, demo } from "@call-transfer/backend";
import type { ApiKeyOptions } from "@call-transfer/sdk";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { onTestFinished } from "vitest";
import { createMcpServer, type McpServerOptions } from "../src/index.ts";
import type { PlatformOptions } from "../src/server/options.ts";

/** A call that the demo data allows. */
export const aCall = {
  flowId: demo.flows.published,
  fromNumber: demo.numbers.working,
  toNumber: demo.recipients.anyone,
};

/** What a tool returned. */
export interface Answer {
  readonly isError: boolean;
  /** The text of all blocks. */
  readonly text: string;
  readonly data: Record<string, unknown>;
}

/** An official client that is connected to a server with these options. */
export async function connect(options?: McpServerOptions) {
  const server = await createMcpServer(options);
  const [one, other] = InMemoryTransport.createLinkedPair();
  await server.connect(one);
  const client = new Client({ name: "tests", version: "1.0.0" });
  await client.connect(other);
  onTestFinished(() => client.close());
  return {
    client,
    tools: async () => (await client.listTools()).tools,
    async call(name: string, given: object = {}): Promise<Answer> {
      const {
        isError = false,
        content,
        structuredContent,
      } = await client.callTool({
        name,
        arguments: { ...given },
      });
      const text = content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
      return { isError, text, data: (structuredContent ?? {}) as Record<string, unknown> };
    },
  };
}

/** A backend, and a client whose server acts on it as on a mock. */
export async function connectToMock() {
  const backend = createBackend({ controlPlane: true });
  return { backend, ...(await connect({ backend })) };
}

/** Platform options whose client has an API key. */
export interface ApiPlatformOptions extends PlatformOptions {
  readonly client?: ApiKeyOptions | undefined;
}

/** A backend, and a client whose server takes it for a real platform. */
export async function connectToPlatform({ client, ...permissions }: ApiPlatformOptions = {}) {
  const backend = createBackend();
  const own = { baseUrl: "https://api.example.com", apiKey: demo.apiKey, fetch: backend.fetch, ...client };
  return { backend, ...(await connect({ platform: { client: own, ...permissions } })) };
}
