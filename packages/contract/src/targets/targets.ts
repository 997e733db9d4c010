import type { TargetRunner } from "../runner.ts";

/**
 * Every target by name, in the order in which they run. Each is loaded only when it is asked for, since some bring a
 * browser or a server of others along.
 */
export const targets: Readonly<Record<string, () => Promise<TargetRunner>>> = {
  "in-process": async () => (await import("./in-process.ts")).inProcess,
  http: async () => (await import("./http.ts")).http,
  msw: async () => (await import("./msw.ts")).msw,
  "msw-2": async () => (await import("./msw.ts")).msw2,
  "msw-browser": async () => (await import("./msw-browser.ts")).mswBrowser,
  prism: async () => (await import("./prism.ts")).prism,
  "prism-proxy": async () => (await import("./prism-proxy.ts")).prismProxy,
};
