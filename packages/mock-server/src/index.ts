export { type PrismServer, type PrismServerOptions, startPrismServer } from "./prism.ts";
export { type MockServer, type MockServerOptions, startMockServer } from "./server.ts";
