// Modules of Node that take long to load. An `import` would load all of them, with the parts that nothing uses, at the start.
import { createRequire } from "node:module";

const load = createRequire(import.meta.url);

/** The module `node:http`. An `import` of it reads its export `WebSocket`, and so loads Node's whole `fetch`. */
export const http: typeof import("node:http") = load("node:http");

/** Loads `node:https`, with TLS. Most servers never use it. */
export const loadHttps = (): typeof import("node:https") => load("node:https");

/** Loads `node:crypto`. Most servers never use it. */
export const loadCrypto = (): typeof import("node:crypto") => load("node:crypto");
