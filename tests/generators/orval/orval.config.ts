import { defineConfig } from "orval";

const input = "openapi.json";

// Types and zod schemas are two outputs: with `schemas: { type: "zod" }`, Orval 8.38.0 imports a `…Response` of `default` that it
// does not write.
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
