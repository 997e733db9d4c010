import { defineConfig } from "orval";

const input = "openapi.json";

export default defineConfig({
  client: {
    input,
    output: {
      target: "client/client.ts",
      schemas: "client/model",
      client: "fetch",
      baseUrl: { runtime: "process.env.CALL_TRANSFER_BASE_URL" },
    },
  },
  schemas: {
    input,
    output: { target: "client/schemas.ts", client: "zod", override: { zod: { generateEachHttpStatus: true } } },
  },
});
