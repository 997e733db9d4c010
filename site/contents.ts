// By its path: VitePress bundles its configuration, which cannot take the sources of a package by name.
import { operations } from "../packages/spec/src/operations.gen.ts";

/** A part of the sidebar. */
export interface Section {
  readonly title: string;
  /** Pages by their path in `docs/`, without `.md`, in the order of reading. A generated page is named by its path on the site. */
  readonly pages: readonly string[];
}

/** Every page of the site that is not one of many of a kind, such as the page of one error code. */
export const contents: readonly Section[] = [
  {
    title: "Start",
    pages: [
      "why",
      "start/call-the-api",
      "start/receive-offers",
      "start/build-a-page",
      "start/test-an-integration",
      "playground",
    ],
  },
  {
    title: "The SDK",
    pages: [
      "sdk",
      "python",
      "authentication",
      "placing-calls",
      "errors",
      "errors/index",
      "paging",
      "other-operations",
      "resilience",
      "observability",
      "frontends",
      "recipes",
      "migrating",
      "runtime-retries",
    ],
  },
  {
    title: "Transfers and webhooks",
    pages: ["transfers", "webhooks", "webhook-stores", "webhooks-python", "attack"],
  },
  {
    title: "Tests",
    pages: ["testing", "time-faults-sandboxes", "backend", "contract-suite"],
  },
  {
    title: "The mock server",
    pages: [
      "mock-server",
      "inspector",
      "mock-server-cli",
      "mock-server-faults",
      "mock-server-stubs",
      "mock-server-webhooks",
      "mock-server-msw",
      "collections",
      "downloads/index",
      "containers",
      "hosting",
    ],
  },
  {
    title: "AI assistants",
    pages: ["mcp"],
  },
  {
    title: "The platform",
    pages: ["specification", "assumptions", "compatibility"],
  },
  {
    title: "API",
    pages: [
      "reference/api/index",
      "reference/api/try",
      ...Object.keys(operations).map((id) => `reference/api/${id}`),
      "reference/api/webhook-transfer-offer",
      "reference/control/index",
    ],
  },
  {
    title: "Packages",
    pages: [
      "reference/index",
      "reference/sdk/index",
      "reference/sdk/webhooks/index",
      "reference/backend/index",
      "reference/mock-server/index",
      "reference/contract/index",
      "reference/mcp/index",
      "reference/spec/index",
    ],
  },
  {
    title: "The project",
    pages: ["performance", "architecture", "decisions/index", "contract-coverage", "releasing"],
  },
];
