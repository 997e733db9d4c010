// The sidebars of the site. They name every page that is not one of many of a kind, such as the page of one error code.
// By its path: VitePress bundles its configuration, which cannot take the sources of a package by name.
import { operations } from "../packages/spec/src/operations.gen.ts";

/** The packages in the order of the reference. Types that several packages export are documented in the first of them. */
export const packages = ["spec", "sdk", "backend", "mock-server", "contract", "mcp"] as const;

/** Titles of pages by their paths without `.md`. */
type Titles = Readonly<Record<string, string>>;

/** A line of a sidebar. */
interface Item {
  readonly text: string;
  readonly link?: string;
  readonly items?: Item[];
  readonly collapsed?: boolean;
}

/** Pages by their path in `docs/`, or on the site if they are generated, without `.md`, in the order of reading. */
export const contents: Readonly<Record<string, readonly string[]>> = {
  Start: [
    ...["why", "start/call-the-api", "start/receive-offers", "start/build-a-page", "start/test-an-integration"],
    "playground",
  ],
  "The SDK": [
    ...["sdk", "python", "authentication", "placing-calls", "errors", "errors/index", "paging", "other-operations"],
    ...["resilience", "observability", "frontends", "recipes", "migrating", "runtime-retries"],
  ],
  "Transfers and webhooks": ["transfers", "webhooks", "webhook-stores", "webhooks-python", "attack"],
  Tests: ["testing", "time-faults-sandboxes", "backend", "contract-suite"],
  "The mock server": [
    ...["mock-server", "inspector", "mock-server-cli", "mock-server-faults", "mock-server-stubs"],
    ...["mock-server-webhooks", "mock-server-msw", "collections", "containers", "hosting"],
  ],
  "AI assistants": ["mcp"],
  "The platform": ["specification", "assumptions", "compatibility"],
  API: [
    "reference/api/index",
    ...Object.keys(operations).map((id) => `reference/api/${id}`),
    ...["reference/api/webhook-transfer-offer", "reference/control/index"],
  ],
  Packages: ["reference/index", ...packages.map((name) => `reference/${name}/index`)],
  "The project": ["performance", "architecture", "decisions/index", "contract-coverage", "releasing"],
};

/** The sidebar of the guides: the first part and that of the page are open. */
export const sidebar = (titles: Titles): Item[] =>
  Object.entries(contents).map(([text, pages], index) => ({
    text,
    collapsed: index > 0,
    items: pages.map((page) => ({ text: titles[page] ?? page, link: `/${page.replace(/index$/, "")}` })),
  }));

const byText = (one: Item, other: Item): number => (one.text.toLowerCase() < other.text.toLowerCase() ? -1 : 1);

/** A sidebar for the pages of each package, by their path: its entries, and in them its names by kind. */
export function referenceSidebars(titles: Titles): Record<string, Item[]> {
  const itemsIn = (folder: string): Item[] =>
    Object.entries(titles)
      .filter(([path]) => path.startsWith(folder))
      .map(([path, text]) => ({ text, link: `/${path}` }))
      .sort(byText);
  const entry = (folder: string): Item => ({
    text: folder.replace(/^reference\/(.*)\/$/, "$1"),
    link: `/${folder}`,
    items: ["Functions", "Classes", "Interfaces"]
      .map((text) => ({ text, collapsed: true, items: itemsIn(`${folder}${text.toLowerCase()}/`) }))
      .filter(({ items }) => items.length > 0),
  });
  return Object.fromEntries(
    packages.map((name) => {
      const root = `reference/${name}/`;
      const folders = Object.keys(titles).filter((path) => path.startsWith(root) && path.endsWith("/index"));
      const entries = folders.map((path) => path.replace(/index$/, "")).sort();
      return [`/${root}`, [{ text: "All packages", link: "/reference/" }, ...entries.map(entry)]];
    }),
  );
}
