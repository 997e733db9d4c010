export { type PrismServer, type PrismServerOptions, startPrismServer } from "./server/prism.ts";
export { type MockServer, startMockServer } from "./server/server.ts";
export type { MockServerOptions } from "./server/server-options.ts";
export type { TlsOptions } from "./server/tls.ts";
export { StoreError } from "./store/store-error.ts";
