export { type PrismServer, type PrismServerOptions, startPrismServer } from "./server/prism.ts";
export { type MockServer, type MockServerOptions, startMockServer } from "./server/server.ts";
