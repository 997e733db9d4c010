import { browserHere } from "../../../build/browser.ts";
import type { TargetRunner } from "./runner.ts";

/**
 * Every target by name, in the order in which they run. Each is loaded on demand, because some need a browser or other
 * servers; undefined without a browser, which has been reported then.
 */
export const targets: Readonly<Record<string, () => Promise<TargetRunner | undefined>>> = {
  "in-process": async () => (await import("./in-process.ts")).inProcess,
  http: async () => (await import("./http.ts")).http,
  sqlite: async () => (await import("./sqlite.ts")).sqlite,
  msw: async () => (await import("./msw.ts")).msw,
  "msw-2": async () => (await import("./msw.ts")).msw2,
  "msw-browser": async () => ((await browserHere()) ? (await import("./msw-browser.ts")).mswBrowser : undefined),
  prism: async () => (await import("./prism.ts")).prism,
};

/** The targets of a run that names none. The others answer like one of these, with another client or server in between. */
export const defaultTargets: readonly string[] = ["in-process", "http", "sqlite", "msw"];

/** Targets that run only when they are named, since they need what the workspace does not install. */
export const namedTargets: typeof targets = {
  "python-sync": async () => (await import("./python.ts")).pythonSync,
  "python-async": async () => (await import("./python.ts")).pythonAsync,
  "durable-object": async () => (await import("./http.ts")).durableObject,
};
