// Starts the packed MCP server's command as a client does, and calls a tool of the API and one of the mock, and reads a guide.
import { join } from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

/** What is wrong with the command in a project where the package is installed. */
export async function mcpProblems(project: string): Promise<string[]> {
  const command = join(project, "node_modules", ".bin", "call-transfer-mcp");
  const client = new Client({ name: "check-packed", version: "1.0.0" });
  try {
    await client.connect(new StdioClientTransport({ command, cwd: project, stderr: "ignore" }));
    const { structuredContent: roles } = await client.callTool({ name: "list_roles" });
    const { structuredContent: clock } = await client.callTool({ name: "mock_get_clock" });
    const { resources } = await client.listResources();
    const { contents } = await client.readResource({ uri: "call-transfer://guides/placing-calls" });
    return [
      ...(resources.length > 30 && JSON.stringify(contents).includes("# Placing calls safely")
        ? []
        : ["does not serve the guides that it carries. Read them with an MCP client."]),
      ...(Object.hasOwn(Object(roles), "roles") ? [] : ["answers list_roles without roles. Run the command by hand."]),
      ...(Object.hasOwn(Object(clock), "now")
        ? []
        : ["answers mock_get_clock without a time. Run the command by hand."]),
    ];
  } catch (error) {
    return [`does not serve an MCP client: ${error instanceof Error ? error.message : String(error)}`];
  } finally {
    await client.close();
  }
}
