// The page of all packages and names, and what stands at the top of the page of an entry.
import type { Page } from "../../build/markdown.ts";
import { packages } from "./entries.ts";

/** The purpose of each entry, and the page that explains it. */
const entries: Readonly<Record<string, readonly [text: string, guide: string]>> = {
  spec: ["The contract of the API: OpenAPI document, types, operations and error codes.", "specification"],
  "spec/schemas": ["zod schemas of the requests and the resources.", "specification"],
  "spec/validate": ["Checks the body of every success in the SDK's client.", "sdk"],
  sdk: ["The client: typed errors, safe retries and paging.", "sdk"],
  "sdk/otel": ["Traces and metrics by OpenTelemetry.", "observability"],
  "sdk/query": ["Options for TanStack Query.", "frontends"],
  "sdk/raw": ["The typed client of openapi-fetch over the SDK's retries.", "sdk"],
  "sdk/webhooks": ["Verifies webhooks, and handles each event once.", "webhooks"],
  "sdk/webhooks/postgres": ["An inbox in PostgreSQL.", "webhook-stores"],
  "sdk/webhooks/redis": ["An event store in Redis.", "webhook-stores"],
  backend: ["The platform's behaviour as a `fetch` function on a virtual clock.", "backend"],
  "backend/conformance": ["Cases that check a store of your own for the backend's state.", "backend"],
  "backend/msw": ["The backend as handlers of MSW.", "mock-server-msw"],
  "mock-server": ["Starts the mock server or Prism from a program.", "mock-server"],
  "mock-server/attack": ["Attacks a receiver of webhooks.", "attack"],
  "mock-server/backend": ["The backend in one process, for tests without a server.", "testing"],
  "mock-server/inspector": ["Shows the inspector in a page of your own.", "inspector"],
  "mock-server/msw": ["The backend as handlers of MSW.", "mock-server-msw"],
  "mock-server/playwright": ["Fixtures for Playwright.", "testing"],
  "mock-server/vitest": ["Fixtures for Vitest.", "testing"],
  "mock-server/worker": ["Hosts the mock server as a Cloudflare Worker.", "hosting"],
  contract: ["The contract suite, to run against any target.", "contract-suite"],
  "contract/webhooks": ["Cases that check an event store of your own.", "webhook-stores"],
  mcp: ["An MCP server, which gives the API to AI assistants.", "mcp"],
};

const entryOf = (path: string): string => path.replace(/\/index\.md$/, "").replace(/^reference\//, "");

/** The page of an entry with what it is for. Other pages stay as they are. */
export function introduced(page: Page): Page {
  if (!page.path.endsWith("/index.md")) return page;
  const name = entryOf(page.path);
  const [text, guide] = known(name);
  const toRoot = "../".repeat(page.path.split("/").length - 1);
  const lead = `${text} See [the guide](${toRoot}${guide}.md).`;
  return { ...page, text: page.text.replace(/^# .*$/m, (title) => `${title}\n\n${lead}`) };
}

/** The purpose of an entry, and the page that explains it. Throws if the table has none. */
export function known(name: string): readonly [string, string] {
  const entry = entries[name];
  if (!entry) throw new Error(`Say in site/reference/overview.ts what the entry @call-transfer/${name} is for.`);
  return entry;
}

interface Name {
  readonly name: string;
  readonly entry: string;
  readonly target: string;
}

/** The names that an entry declares. Those that it takes from another package are listed there. */
export function namesIn({ path, text }: Page): Name[] {
  const entry = entryOf(path);
  const folder = path.replace(/index\.md$/, "");
  const own = text.split(/^## References$/m)[0] ?? "";
  const linked = [...own.matchAll(/^\| \[(\w+)\]\(([^)]+)\) \|/gm)].map(([, name = "", target = ""]) => ({
    name,
    target,
  }));
  const inPage = [...own.matchAll(/^### (\w+)(?:\(\))? \{#([\w-]+)\}$/gm)].map(([, name = "", anchor]) => ({
    name,
    target: `index.md#${anchor}`,
  }));
  return [...linked, ...inPage].map(({ name, target }) => ({ name, entry, target: folder + target }));
}

/** The page of all entries and all names. The search finds names there. */
export function overview(raw: readonly Page[]): Page {
  const sections = packages.map((name) => {
    const paths = raw
      .map(({ path }) => path)
      .filter((path) => path.endsWith("index.md") && path.startsWith(`${name}/`));
    const rows = paths
      .sort(byEntry)
      .map((path) => `| [\`@call-transfer/${entryOf(path)}\`](${path}) | ${known(entryOf(path))[0]} |`);
    return rows.join("\n");
  });
  const names = raw.filter(({ path }) => path.endsWith("index.md")).flatMap(namesIn);
  const letters = Map.groupBy(names.sort(byName), ({ name }) => name[0]?.toUpperCase() ?? "");
  const lists = [...letters].map(([letter, list]) => {
    const links = list.map(({ name, entry, target }) => `- [\`${name}\`](${target}) \`${entry}\``);
    return `### ${letter}\n\n${links.join("\n")}\n`;
  });
  const text = `---
outline: [2, 3]
pageClass: reference
---

# Packages

Each entry of each package, with everything that it exports.

| Entry | What it is for |
| --- | --- |
${sections.join("\n")}

## All names

<div class="names">

${lists.join("\n")}
</div>
`;
  return { path: "reference/index.md", text };
}

const byEntry = (left: string, right: string): number => (entryOf(left) < entryOf(right) ? -1 : 1);

const byName = (left: Name, right: Name): number => {
  const key = ({ name, entry }: Name) => `${name.toLowerCase()} ${entry}`;
  return key(left) < key(right) ? -1 : 1;
};
