export { createMcpServer } from "./server/create-mcp-server.ts";
export { OptionError } from "./server/option-error.ts";
export type { McpServerOptions, MockServerAddress, PlatformOptions } from "./server/options.ts";
export type { SaveSecret } from "./tools/operation-tools.ts";
