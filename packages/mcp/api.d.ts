declare module "@call-transfer/mcp" {
  export { McpServerOptions, createMcpServer };
}

declare interface McpServerOptions {
  readonly backend?: Backend | undefined;
  readonly apiKey?: string | undefined;
  readonly mockServer?: MockServerAddress | undefined;
  readonly platform?: PlatformOptions | undefined;
}

declare interface MockServerAddress {
  readonly url: string;
  readonly controlToken?: string | undefined;
  readonly sandbox?: string | undefined;
  readonly apiKey?: string | undefined;
}

declare interface PlatformOptions {
  readonly client?: ClientOptions | undefined;
  readonly allowCalls?: boolean | undefined;
  readonly allowChanges?: boolean | undefined;
  readonly saveSecret?: SaveSecret | undefined;
}

declare type SaveSecret = (secret: string, about: { readonly operation: string; readonly id: string }) => unknown;
declare const createMcpServer: (options?: McpServerOptions) => Promise<McpServer>;
