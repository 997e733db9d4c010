export { createMcpServer } from "./server/create-mcp-server.ts";
export type { McpServerOptions } from "./server/options.ts";
