export { type MockServer, type MockServerOptions, startMockServer } from "./server.ts";
