// Turns the measurements of one run into figures, and the figures into a page.
import { versionOf } from "./clients.mjs";

export const us = "@call-transfer/sdk";
export const peerNames = ["stripe", "openai", "@anthropic-ai/sdk", "retell-sdk"];

/** The figures: the value of every client, the lower the better, with a limit for the SDK and the reason for a peer that is ahead. */
export function figuresOf({ loopback, inProcess, sizes }) {
  const speed = (results) => Object.fromEntries(results.map(({ name, beside }) => [name, beside.value]));
  const ownIn = (results) => results.find(({ name }) => name === us).beside;
  const size = (value) => Object.fromEntries(Object.entries(sizes).map(([name, of]) => [name, value(of)]));
  return [
    {
      ...{ title: "One GET over loopback", unit: "×", of: "relative to bare fetch", limit: 1.45, digits: 2 },
      values: speed(loopback),
      interval: ownIn(loopback),
      why: "stripe takes `node:http` on Node by default, which costs less than `fetch`.",
    },
    {
      ...{ title: "One GET without a network", unit: "×", of: "relative to bare fetch", limit: 1.8, digits: 2 },
      values: speed(inProcess),
      interval: ownIn(inProcess),
    },
    {
      ...{ title: "Bundle of everything", unit: " kB", of: "minified, after gzip", limit: 19.2, digits: 1 },
      values: size(({ whole }) => whole),
      why: "[what the bytes are](../../docs/decisions/0005-limits-for-size-and-speed.md): unknown outcomes, their search, errors that say what to do.",
    },
    {
      ...{ title: "Bundle for one operation", unit: " kB", of: "minified, after gzip", limit: 16.7, digits: 1 },
      values: size(({ whole, one }) => one ?? whole),
      why: "one operation brings the whole way of a request, and so nearly all of that.",
    },
    {
      ...{ title: "import()", unit: "×", of: "processor time, relative to retell-sdk", limit: 0.35, digits: 2 },
      values: size((of) => of.import / sizes["retell-sdk"].import),
    },
    {
      ...{ title: "Installation", unit: " MB", of: "on disk, with dependencies", digits: 1 },
      values: size(({ megabytes }) => megabytes),
    },
    {
      title: "Packages installed",
      unit: "",
      of: "with dependencies",
      digits: 0,
      values: size(({ packages }) => packages),
      why: "`openapi-fetch` sends what the types of the document allow, and brings its own types.",
    },
    {
      ...{ title: "Memory of tsc", unit: "×", of: "one line of use, relative to an empty program", digits: 2 },
      values: size(({ compiler }) => compiler),
    },
  ].map((figure) => ({ ...figure, ...verdictOf(figure) }));
}

/** The variants of a peer count as one: the best of them is compared. */
const variantsOf = (name, values) => Object.keys(values).filter((key) => key === name || key.startsWith(`${name} (`));
const bestOf = (name, values) => Math.min(...variantsOf(name, values).map((key) => values[key]));

function verdictOf({ values, limit = Number.POSITIVE_INFINITY, digits }) {
  // What a reader cannot see in the printed figure does not decide.
  const rounded = (value) => Number(value.toFixed(digits));
  const ahead = peerNames.filter((name) => rounded(bestOf(name, values)) < rounded(values[us]));
  return { ahead, met: rounded(values[us]) <= limit };
}

/** Peers that do better than the SDK in a row of the table of behaviours. */
export const betterIn = ({ cells }) => peerNames.filter((name) => cells[name].value < cells[us].value);

const shown = ({ digits, unit }, value) => (value === undefined ? "–" : `${value.toFixed(digits)}${unit}`);

const table = (head, rows) =>
  [
    `| ${head.join(" | ")} |`,
    `|${head.map(() => "---|").join("")}`,
    ...rows.map((cells) => `| ${cells.join(" | ")} |`),
  ].join("\n");

const worstFirst = (rows, better) => rows.toSorted((a, b) => better(b).length - better(a).length);

const verdict = (better, otherwise) => (better.length > 0 ? `behind ${better.join(", ")}` : otherwise);

function figureTable(figures) {
  const columns = [us, ...peerNames, "openapi-fetch"];
  const rows = worstFirst(figures, ({ ahead }) => ahead).map((figure) => [
    `${figure.title}: ${figure.of}`,
    ...columns.map((name) => {
      const texts = variantsOf(name, figure.values).map((key) => shown(figure, figure.values[key]));
      return texts.length > 0 ? texts.join(" / ") : "–";
    }),
    verdict(figure.ahead, "first"),
  ]);
  return table(["Figure", ...columns.map((name) => `\`${name}\``), "Result"], rows);
}

function behaviourTable(rows) {
  const columns = [us, ...peerNames];
  const body = worstFirst(rows, betterIn).map((row) => {
    const cells = columns.map((name) => row.cells[name].text);
    return [`${row.question}${row.isRead ? " (read)" : ""}`, ...cells, verdict(betterIn(row), "none better")];
  });
  return table(["", ...columns.map((name) => `\`${name}\``), "Result"], body);
}

/** What this SDK may take at most, with the intervals of what was measured. */
function limitTable(figures) {
  const rows = figures
    .filter(({ limit }) => limit !== undefined)
    .map((figure) => {
      const { title, of, values, interval, limit, met } = figure;
      const range = interval && ` (${interval.low.toFixed(figure.digits)} to ${interval.high.toFixed(figure.digits)})`;
      const measured = `${shown(figure, values[us])}${range ?? ""}`;
      return [`${title}: ${of}`, measured, `≤ ${limit}${figure.unit}`, met ? "met" : "missed"];
    });
  return table(["Of this SDK", "Measured", "Wanted", ""], rows);
}

/** Why another is ahead, a line for each figure. */
const reasons = (figures) =>
  figures
    .filter(({ ahead }) => ahead.length > 0)
    .map(({ title, ahead, why }) => `- **${title}**, behind ${ahead.join(", ")}: ${why ?? "no reason is given."}`)
    .join("\n");

const versions = () => [...peerNames, "openapi-fetch"].map((name) => `${name} ${versionOf(name)}`).join(", ");

/** The lines that a customer sees in docs/sdk.md. */
export function summary(figures) {
  const titles = [
    "One GET over loopback",
    "Bundle of everything",
    "Bundle for one operation",
    "import()",
    "Installation",
  ];
  const columns = [us, ...peerNames];
  const rows = titles.map((title) => {
    const figure = figures.find((one) => one.title === title);
    return [`${title}: ${figure.of}`, ...columns.map((name) => shown(figure, figure.values[name]))];
  });
  return table(["", ...columns.map((name) => `\`${name}\``)], rows);
}

export function page({ node, circumstances, behaviours }, figures) {
  return `# The SDK beside others

Written by \`npm run lab -- bench sdk\`. One run ${circumstances}, with Node ${node}:
${versions()}.
Lower is better everywhere. Rows in which another SDK is ahead come first.

## Speed and size

${figureTable(figures)}

${limitTable(figures)}

${reasons(figures)}
- **Over loopback**, a client in its own process reads one small JSON response from \`node:http\` in another. Every SDK
  calls one simple reading method with its defaults, and bare \`fetch\` has \`AbortSignal.timeout(60_000)\` and \`json()\`. The
  clients take turns every few milliseconds. The figure is the median of the ratios of each round, in brackets with its
  interval of 95 % within this run.
- **Without a network**, the SDK gets a \`fetch\` that returns a new \`Response\`. Its figure is relative to a
  bare call of that function.
- **Two figures** of stripe over loopback are of its default on Node, which uses \`node:http\`, and of its \`fetch\` client, the
  one for other runtimes. Only the \`fetch\` client can be measured without a network.
- **Bundles** are esbuild's for browsers, minified, after \`gzip -9\`. Everything is \`export *\`. One operation is what an
  application writes that makes one reading call; where a package offers no such import, it is everything. Those of
  \`@call-transfer/sdk\` are kept up to date by \`npm run check -- customers size\`.
- **\`import()\`** is the processor time of a new process, the fastest of many in turns.
- **openapi-fetch** is no peer but a floor: it has no retries, timeouts, error classes or pages.

## Behaviour

Small programs make one call against a server that behaves badly, and write down what happens. Rows with "(read)" repeat
what the packages' pages and types say.

${behaviourTable(behaviours)}
`;
}
