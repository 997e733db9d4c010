declare module "@call-transfer/mock-server" {
  export { MockServer, MockServerOptions, PrismServer, PrismServerOptions, startMockServer, startPrismServer };
}

declare interface MockServer {
  readonly url: string;
  readonly port: number;
  readonly controlToken: string | undefined;
  readonly sandboxes: Sandboxes;
  readonly backend: Backend;
  close(): Promise<void>;
}

declare interface MockServerOptions extends SandboxesOptions {
  readonly port?: number;
  readonly host?: string;
  readonly allowedHosts?: readonly string[];
  readonly corsOrigins?: readonly string[];
  readonly forwardWebhooks?: string;
}

declare interface PrismServer {
  readonly url: string;
  readonly port: number;
  close(): Promise<void>;
}

declare interface PrismServerOptions {
  readonly port?: number;
  readonly host?: string;
  readonly cors?: boolean;
  readonly upstream?: string;
}

declare function startMockServer(options?: MockServerOptions): Promise<MockServer>;
declare function startPrismServer(options?: PrismServerOptions): Promise<PrismServer>;
