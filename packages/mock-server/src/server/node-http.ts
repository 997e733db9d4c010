import { createRequire } from "node:module";

/** The module `node:http`. An `import` of it reads its export `WebSocket`, and so loads Node's whole `fetch` at the start. */
export const http: typeof import("node:http") = createRequire(import.meta.url)("node:http");
