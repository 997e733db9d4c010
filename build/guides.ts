// The pages that the tarball of a package has beside its code: the guides of its version, llms.txt, and its own pages. Links
// lead to the repository as it was at that version, and commands install that major.
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { basename, join, posix } from "node:path";
import { outsideCode, type Page, summaryOf, titleOf, withLinks } from "./markdown.ts";

/** What a package's pages state of its package.json. */
export interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly repository: { readonly url: string };
}

interface Contents {
  /** The command that installs or starts it, up to the version. */
  readonly install: string;
  /** Pages by their path in `docs/`, without `.md`, in the order of reading. */
  readonly guides: readonly string[];
  /** What goes wrong most easily, one sentence or two each. */
  readonly traps: readonly string[];
}

const specificationPages = ["specification", "assumptions"];
const sdkPages = [
  ...["start/call-the-api", "start/receive-offers", "start/build-a-page", "sdk", "authentication", "placing-calls"],
  ...[
    "errors",
    "paging",
    "other-operations",
    "resilience",
    "runtime-retries",
    "observability",
    "frontends",
    "webhooks",
    "webhook-stores",
  ],
  ...["recipes", "migrating"],
];
const testPages = ["testing", "time-faults-sandboxes", "transfers"];
const serverPages = [
  ...["mock-server", "mock-server-cli", "mock-server-faults", "mock-server-stubs"],
  ...["mock-server-webhooks", "mock-server-msw", "inspector", "attack", "collections", "containers", "hosting"],
];

/** By the folder in `packages/`. */
const contents: Readonly<Record<string, Contents>> = {
  spec: {
    install: "npm install @call-transfer/spec",
    guides: specificationPages,
    traps: [
      "A list of values with `x-open-enum` may grow. Do not refuse a value that it lacks.",
      "`@call-transfer/spec/schemas` and `/validate` need zod 4, which you install yourself.",
    ],
  },
  sdk: {
    install: "npm install @call-transfer/sdk",
    guides: sdkPages,
    traps: [
      "A placed call rings a phone. `OutcomeUnknownError` means that it may have been placed: call `error.reconcile()`, and do not place it again on your own.",
      "The client already retries where a retry can do no harm. Put no retries of your own around it.",
      "A placement is initiated, queued, or of a type that this version does not know. Check `type` before you read `callId` or `position`.",
      "API keys are for servers. A page or an app uses an access token and names the account.",
      "Webhooks are verified on the raw body. Put the handler before any body parser.",
      "A webhook may arrive more than once. The handler answers copies within one process. Several processes need a shared `store`.",
      "Error codes and enumerations may grow. Keep a default branch.",
    ],
  },
  backend: {
    install: "npm install --save-dev @call-transfer/backend",
    guides: [...testPages, "backend", "mock-server-msw"],
    traps: [
      "The clock stands still until you advance it, so no call ends by itself.",
      "Create one backend for each test. A shared one makes tests depend on each other.",
      "Where the specification is silent, the backend follows the project's assumptions. The real platform may differ.",
    ],
  },
  "mock-server": {
    install: "npm install --save-dev @call-transfer/mock-server",
    guides: ["start/test-an-integration", ...testPages, ...serverPages],
    traps: [
      "The state is gone when the server stops, unless it was started with `--data-file`.",
      "Tests that run side by side need a sandbox each: use the fixtures of `/vitest` or `/playwright`, or `--auto-sandboxes`.",
      "With `--clock frozen`, no call ends and no webhook is sent again until the command `clock advance`.",
      "`/_control/v1` and everything that it offers belong to the mock. The real platform does not have it.",
    ],
  },
  contract: {
    install: "npm install --save-dev @call-transfer/contract",
    guides: ["contract-suite", "assumptions"],
    traps: [
      "Without options the suite only reads. `--allow-changes` changes records, and `--allow-calls` rings real phones.",
      "A differing assumption does not fail the run, because the specification does not define it.",
    ],
  },
  mcp: {
    install: "npx -y @call-transfer/mcp",
    guides: [
      ...["mcp", ...sdkPages, "start/test-an-integration", ...testPages, "backend", ...serverPages, "contract-suite"],
      ...specificationPages,
    ],
    traps: [
      "By default the tools act on a mock. With `--base-url` they act on the real platform, where calls ring real phones.",
      "The clock of a new mock stands still. Move it with `mock_advance_clock`.",
      "After `Outcome: unknown`, do not place the call again. Find out what happened, and let the user decide.",
    ],
  },
};

/** The pages of `docs/` that some package carries, by their path there without `.md`. */
export const guidePages = (): string[] => [...new Set(Object.values(contents).flatMap(({ guides }) => guides))];

/**
 * Returns the pages of a package's tarball by their path in it: its own with links by tag, and guides and llms.txt if it has
 * any.
 *
 * @param root The folder of the repository.
 * @param folder The package's folder in `packages/`.
 */
export function packedPages(root: string, folder: string, manifest: Manifest): ReadonlyMap<string, string> {
  const read = (path: string): Page => ({ path, text: readFileSync(join(root, path), "utf8") });
  const own = ["README.md", "CHANGELOG.md"].filter((name) => existsSync(join(root, "packages", folder, name)));
  const known = contents[folder];
  const guides = known?.guides.map((name) => read(`docs/${name}.md`)) ?? [];
  const majors = majorsIn(root);
  const packed = (page: Page): string => withMajors(linksByTag(root, folder, manifest, guides, page), majors);
  const pages: [string, string][] = own.map((name) => [name, packed(read(`packages/${folder}/${name}`))]);
  if (known === undefined) return new Map(pages);
  const written = guides.map((guide) => ({ path: pathOf(guide), text: withoutComments(packed(guide)) }));
  return new Map([
    ...pages,
    ...written.map(({ path, text }): [string, string] => [path, text]),
    ["llms.txt", llmsText(known, manifest, written)],
  ]);
}

/** The path of a guide in the tarball. */
const pathOf = ({ path }: Page): string => `guides/${basename(path)}`;

/** Marks such as those that name the file of an example are for the repository's own checks. */
const withoutComments = (text: string): string =>
  outsideCode(text, (prose) => prose.replace(/<!--[\s\S]*?-->\n*/g, ""));

/** The major of each package by its name. */
function majorsIn(root: string): ReadonlyMap<string, string> {
  const files = globSync("packages/*/package.json", { cwd: root });
  const manifests = files.map((file) => JSON.parse(readFileSync(join(root, file), "utf8")) as Manifest);
  return new Map(manifests.map(({ name, version }) => [name, majorOf(version)]));
}

const majorOf = (version: string): string => version.split(".", 1)[0] ?? "";

/** Commands that install a package, or run one that is not installed. */
const installing = /\b(?:npx|npm install|pnpm add|bun add|deno add) [^\n`]*/g;

/** The page with commands that stay right after a later major, because they name the one of this version. */
const withMajors = (text: string, majors: ReadonlyMap<string, string>): string =>
  text.replace(installing, (command) =>
    command.replace(/@call-transfer\/[\w-]+(?![\w@/-])/g, (name) =>
      majors.has(name) ? `${name}@${majors.get(name)}` : name,
    ),
  );

/** A page whose links lead to guides of the same package, and else to the repository at the tag of the version. */
function linksByTag(root: string, folder: string, manifest: Manifest, guides: readonly Page[], page: Page): string {
  const repository = manifest.repository.url.replace(/^git\+|\.git$/g, "");
  const isGuide = guides.includes(page);
  const rewrite = (target: string): string => {
    const [, onMain] = target.startsWith(`${repository}/`) ? (/\/(?:blob|tree)\/main\/(.*)$/.exec(target) ?? []) : [];
    if (onMain === undefined && /^(?:[a-z][a-z\d+.-]*:|\/\/|#)/i.test(target)) return target;
    const [, path = "", anchor = ""] = /^([^#]*)(#.*)?$/.exec(onMain ?? target) ?? [];
    const place = (onMain === undefined ? posix.join(posix.dirname(page.path), path) : path).replace(/\/$/, "");
    const guide = guides.find((other) => other.path === place);
    if (isGuide && guide) return `${basename(guide.path)}${anchor}`;
    if (isGuide && place === `packages/${folder}/README.md`) return `../README.md${anchor}`;
    const found = statSync(join(root, place), { throwIfNoEntry: false });
    if (!found) throw new Error(`${page.path} links to ${target}, which does not exist.`);
    const kind = /\.(?:png|svg)$/.test(place) ? "raw" : found.isDirectory() ? "tree" : "blob";
    return `${repository}/${kind}/${manifest.name}@${manifest.version}/${place}${anchor}`;
  };
  return withLinks(page.text, rewrite);
}

function llmsText(
  { install, traps }: Contents,
  { name, version, description }: Manifest,
  guides: readonly Page[],
): string {
  const listed = guides.map((guide) => `- [${titleOf(guide)}](${guide.path}): ${summaryOf(guide).replace(/:$/, ".")}`);
  return `# ${name} ${version}

> ${description}.

\`\`\`sh
${install}@${majorOf(version)}
\`\`\`

[README.md](README.md) shows it in use. The guides below are those of this version.

## Traps

${traps.map((trap) => `- ${trap}`).join("\n")}

## Guides

${listed.join("\n")}
`;
}
