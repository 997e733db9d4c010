import { fileURLToPath } from "node:url";
import type { NextConfig } from "next";

export default {
  // The packages are installed in the folder above, where Next.js would not look for them.
  turbopack: { root: fileURLToPath(new URL("..", import.meta.url)) },
} satisfies NextConfig;
