import { defineConfig } from "@kubb/core";
import { pluginClient } from "@kubb/plugin-client";
import { pluginOas } from "@kubb/plugin-oas";
import { pluginTs } from "@kubb/plugin-ts";
import { pluginZod } from "@kubb/plugin-zod";

export default defineConfig({
  root: ".",
  input: { path: "openapi.json" },
  output: { path: "client", format: false, lint: false },
  plugins: [
    pluginOas({ validate: true, generators: [] }),
    pluginTs(),
    pluginZod({ version: "4", typed: true }),
    // Kubb 4.39.3 parses an error with the schema of the success, so calls.ts has a client that throws errors before.
    pluginClient({ client: "fetch", parser: "zod", bundle: true, dataReturnType: "full" }),
  ],
});
