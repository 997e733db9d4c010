export { createMcpServer } from "./server/create-mcp-server.ts";
export { OptionError } from "./server/option-error.ts";
export type { McpServerOptions } from "./server/options.ts";
