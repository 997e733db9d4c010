// Who may import whom: the packages, the folders inside them, and no circles. `npm test` runs it.

const packages = ["spec", "sdk", "backend", "inspector", "mock-server", "contract", "mcp"];
/** The source of a package, or of a folder in it, such as `backend/model`. */
const source = (name) => `^packages/${name.replace(/[^/]+/, "$&/src")}/`;
const folders = (name, list) => `${source(name)}(?:${list.join("|")})/`;

/** What a package may import besides itself. */
const packageArrows = {
  spec: [],
  sdk: [],
  backend: ["spec"],
  inspector: ["backend", "spec"],
  "mock-server": ["backend", "inspector", "spec"],
  contract: ["sdk", "spec"],
  mcp: ["sdk", "backend", "spec"],
};

/** Folders in layers: a folder may import those that stand before it in its row. Some folders have layers of their own. */
export const layers = {
  sdk: ["generated", "utils", "errors", "options", "send", "core", "resources", "query"],
  backend: ["generated", "utils", "model", "rules", "faults", "platform", "http", "data", "control"],
  inspector: ["data", "parts", "screens"],
  contract: ["facts", "document", "fixtures", "suite", "cases", "coverage", "remote"],
  "mock-server": ["net", "web", "worker", "attack", "store", "server", "fixtures", "log", "cli"],
  mcp: ["resources", "tools", "server", "cli"],
};
const forbid = (name, comment, from, to) => ({ name, severity: "error", comment, from, to });

/** What stands above the packages, the lowest first: each may import those before it. */
const rooms = ["scripts", "site", "tests", "lab"];
const outside = (...names) => `^(?:${names.join("|")})/`;
const buildConfigurations = "^packages/[^/]+/(?:tsup|vite)[.]config[.]ts$";
/** What has packages of its own, which only checks install, or is resolved after a copy. */
const installedApart =
  "^(?:site|lab/(?:bench|fire)|tests/(?:hosting|receiving|runtimes|generators/[^/]+|packages/(?:consumers|runners)))/|^tests/packages/recipes/";

const packageRules = packages.map((name) =>
  forbid(
    `package-${name}`,
    `${name} may import only ${[name, ...packageArrows[name]].join(", ")} (docs/architecture.md).`,
    // Generated files may re-export types of another package; the builds take them in.
    {
      path: `^packages/${name}/${["contract", "inspector"].includes(name) ? "src" : "(?:src|tests)"}/`,
      pathNot: "[.]gen[.]ts$",
    },
    { path: "^packages/", pathNot: `^packages/(?:${[name, ...packageArrows[name]].join("|")})/` },
  ),
);

const layerRules = Object.entries(layers).flatMap(([name, list]) => [
  ...list
    .slice(0, -1)
    .map((folder, index) =>
      forbid(
        `${name.replace("/", "-")}-${folder}`,
        `${folder}/ may not import the folders above it: ${list.slice(index + 1).join(", ")}.`,
        { path: folders(name, [folder]) },
        { path: folders(name, list.slice(index + 1)) },
      ),
    ),
  forbid(
    `${name.replace("/", "-")}-root`,
    "A folder may not import the files beside it, which put the folders together.",
    { path: folders(name, list) },
    { path: `${source(name)}[^/]+$` },
  ),
]);

/** @type {import("dependency-cruiser").IConfiguration} */
export default {
  forbidden: [
    ...packageRules,
    ...layerRules,
    forbid(
      "backend-control-client",
      "A command loads the client of the control plane, so it may not lead to the rest of the backend.",
      { path: `${source("backend")}control-client[.]ts$` },
      {
        path: source("backend"),
        pathNot: folders("backend", ["generated", "utils"]),
        dependencyTypesNot: ["type-only"],
      },
    ),
    forbid(
      "sdk-webhooks",
      "The webhook entry stands alone: it may not load the client.",
      { path: folders("sdk", ["webhooks"]) },
      { path: source("sdk"), pathNot: folders("sdk", ["webhooks", "generated", "utils"]) },
    ),
    forbid(
      "sdk-otel",
      "The OpenTelemetry entry loads nothing of the client but its version.",
      { path: `${source("sdk")}otel` },
      {
        path: source("sdk"),
        pathNot: `${source("sdk")}(?:otel|generated)/`,
        dependencyTypesNot: ["type-only"],
      },
    ),
    forbid(
      "sdk-optional-peers",
      "Only the OpenTelemetry entry may import OpenTelemetry, which is an optional peer.",
      { path: source("sdk"), pathNot: `${source("sdk")}otel` },
      { path: `node_modules/@opentelemetry/|${source("sdk")}otel` },
    ),
    forbid(
      "mock-server-optional-peers",
      "Only the entries of the test runners may import the fixtures.",
      { path: source("mock-server"), pathNot: `${source("mock-server")}(?:fixtures/|vitest|playwright)` },
      { path: `node_modules/(?:vitest|@playwright)/|${source("mock-server")}(?:fixtures/|vitest|playwright)` },
    ),
    forbid(
      "inspector",
      "The inspector runs in a page: it imports itself, the client of the control plane, the contract, and types of the backend.",
      { path: source("inspector") },
      {
        path: "^packages/",
        pathNot: `${source("inspector")}|${source("backend")}control-client|^packages/spec/`,
        dependencyTypesNot: ["type-only"],
      },
    ),
    forbid(
      "inspector-tests",
      "The tests of the page start the mock server by its command.",
      { path: "^packages/inspector/tests/" },
      { path: "^packages/mock-server/" },
    ),
    forbid(
      "mock-server-inspector",
      "The server knows nothing of its page. Only the entry for pages of apps names it.",
      { path: source("mock-server"), pathNot: `${source("mock-server")}inspector[.]ts$` },
      { path: "^packages/inspector/" },
    ),
    forbid(
      "pages-and-workers",
      "Pages and Cloudflare Workers have no modules of Node.",
      { path: `^packages/(?:inspector/src|mock-server/src/(?:web|worker))/` },
      { dependencyTypes: ["core"] },
    ),
    forbid(
      "everywhere",
      "spec, sdk and backend run everywhere, so they import no module of Node.",
      { path: "^packages/(?:spec|sdk|backend)/src/" },
      { dependencyTypes: ["core"] },
    ),
    forbid(
      "no-tests",
      "Published code may not import tests or the suite's own runs.",
      { path: "^packages/[^/]+/src/" },
      { path: "^packages/[^/]+/(?:targets|tests)/" },
    ),
    forbid(
      "packages-only",
      "A package may not import files outside packages/, except what its build needs. Tests may start the command that build/ bundles, a browser and the Worker of tests/hosting, and ask for a port.",
      { path: "^packages/", pathNot: buildConfigurations },
      {
        path: outside(...rooms, "build", "examples"),
        pathNot: "^(?:build/(?:browser|command-file|free-port)|tests/hosting/workerd)[.]ts$",
      },
    ),
    forbid(
      "build-configurations",
      "The configuration of a package's build may import build/ and what stands beside it.",
      { path: buildConfigurations },
      { path: outside(...rooms, "examples", "packages/[^/]+/(?:src|tests|targets)") },
    ),
    forbid(
      "build-below",
      "build/ stands below everything.",
      { path: "^build/" },
      { path: outside(...rooms, "packages") },
    ),
    ...rooms.map((name, index) =>
      forbid(
        `below-${name}`,
        `Only ${[name, ...rooms.slice(index + 1)].join(", ")} may import ${name}/.`,
        { path: outside(...rooms.slice(0, index), "examples") },
        { path: outside(name) },
      ),
    ),
    forbid("site-alone", "The site and its tests may not import tests/.", { path: "^site/" }, { path: "^tests/" }),
    forbid(
      "no-circle",
      "Modules may not import each other in a circle, not even for types.",
      { path: "^packages/[^/]+/src/" },
      { circular: true },
    ),
    forbid(
      "no-circle-outside",
      "Outside of packages, modules may not import each other in a circle, not even for types.",
      { path: outside(...rooms, "build") },
      { circular: true },
    ),
    {
      ...forbid(
        "no-folder-circle",
        "Folders may not import each other in a circle, not even for types.",
        { path: "^packages/[^/]+/src/" },
        { circular: true },
      ),
      scope: "folder",
    },
    forbid(
      "resolvable",
      "Every import must lead to a file or a package.",
      { pathNot: installedApart },
      { couldNotResolve: true },
    ),
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "/(?:dist|[.]cache|[.]pages)/" },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
    enhancedResolveOptions: {
      conditionNames: ["@call-transfer/source", "import", "types", "node", "default"],
      exportsFields: ["exports"],
    },
  },
};
