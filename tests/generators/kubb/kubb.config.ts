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
    pluginClient({ client: "fetch", parser: "zod", bundle: true, dataReturnType: "full" }),
  ],
});
