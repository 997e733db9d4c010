// Reads the result files of lab/bench/ into charts.
import { tablesIn } from "../markdown.ts";
import type { Bar, Chart, Kind, Panel } from "./draw.ts";

type Row = Readonly<Record<string, string>>;

/** The rows of the table whose first column has this title. */
function rowsOf(results: string, first: string): readonly Row[] {
  const table = tablesIn(results).find(({ rows: [row = {}] }) => Object.keys(row)[0] === first);
  if (table === undefined) throw new Error(`The results have no table whose first column is "${first}".`);
  return table.rows;
}

/** The number at the start of a cell, such as 1.25 of `1.25×` and 77761 of `77,761 (1.00×)`. */
function numberIn(cell: string): number {
  const value = Number.parseFloat(cell.replaceAll(",", ""));
  if (Number.isNaN(value)) throw new Error(`The cell "${cell}" begins with no number.`);
  return value;
}

const plain = (name: string): string => name.replaceAll("`", "");
const shortest = (bars: readonly Bar[]): readonly Bar[] => bars.toSorted((a, b) => a.value - b.value);

const sdkKinds: Readonly<Record<string, Kind>> = { "@call-transfer/sdk": "ours", "openapi-fetch": "floor" };

const secondOf: Readonly<Record<string, string>> = {
  stripe: "its fetch client",
};

/** The bars of a client's cell. One has two ways to send, and so sometimes two figures. */
function sdkBars(name: string, cell: string): readonly Bar[] {
  const texts = cell.split(" / ").filter((text) => text !== "–");
  return texts.map((text, index) => ({
    name: index === 0 ? name : `${name}, ${secondOf[name]}`,
    value: numberIn(text),
    text,
    kind: sdkKinds[name] ?? "peer",
  }));
}

/** The chart of lab/bench/results-sdk.md. */
export function sdkChart(results: string): Chart {
  const panels = rowsOf(results, "Figure").map(({ Figure = "", Result: _, ...cells }): Panel => {
    const [, title = "", unit = ""] = /^(.+): (.+)$/.exec(Figure) ?? [];
    const bars = shortest(Object.entries(cells).flatMap(([name, cell]) => sdkBars(plain(name), cell)));
    return { title, unit, bars };
  });
  const legend = { ours: "this SDK", peer: "other SDKs", floor: "without retries, errors and pages" };
  return { title: "The SDK beside other SDKs", better: "lower", legend, panels };
}

const serverKinds: Readonly<Record<string, Kind>> = { prism: "peer", "node:http": "floor", hono: "floor" };

/** The chart of lab/bench/results-mock-server.md. */
export function mockServerChart(results: string): Chart {
  const rows = rowsOf(results, "Requests a second");
  const panel = (column: string, title: string, unit: string): Panel => ({
    ...{ title, unit },
    bars: rows.map(({ "Requests a second": name = "", [column]: cell = "" }) => ({
      ...{ name: name === "prism" ? "Prism" : name === "hono" ? "Hono" : name, value: numberIn(cell) },
      ...{
        text: /^\d+$/.test(cell) ? numberIn(cell).toLocaleString("en-US") : cell,
        kind: serverKinds[name] ?? "ours",
      },
    })),
  });
  return {
    title: "The mock server beside Prism and bare servers",
    legend: { ours: "this mock server", peer: "Prism, without state", floor: "without checks and state" },
    panels: [
      panel("GET", "GET", "requests a second; higher is better"),
      panel("POST", "POST", "requests a second; higher is better"),
      panel("start to first answer", "Start", "time to the first answer; lower is better"),
    ],
  };
}

/** The chart of lab/bench/results-data.md. */
export function dataChart(results: string): Chart {
  const panels = rowsOf(results, "Processor time of a request").map((row): Panel => {
    const { "Processor time of a request": title = "", "in memory": memory = "", "with a data file": file = "" } = row;
    const bars: Bar[] = [
      { name: "in memory", value: numberIn(memory), text: memory, kind: "floor" },
      { name: "with a data file", value: numberIn(file), text: file, kind: "ours" },
    ];
    return { title, unit: "processor time of a request", bars };
  });
  const legend: Chart["legend"] = { ours: "with a data file", floor: "in memory" };
  return { title: "What a data file costs the mock server", better: "lower", legend, panels };
}

/** The chart of lab/bench/results-webhooks.md. */
export function webhooksChart(results: string): Chart {
  const rows = rowsOf(results, "");
  const columns = Object.keys(rows[0] ?? {}).slice(1);
  const panels = columns.map(
    (title): Panel => ({
      ...{ title, unit: "webhooks a second" },
      bars: rows.map(({ "": name = "", [title]: cell = "" }) => ({
        ...{ name, value: numberIn(cell), text: cell.split(" (")[0] ?? "" },
        kind: name.startsWith("stripe") ? "peer" : "ours",
      })),
    }),
  );
  return {
    title: "Webhooks a second",
    better: "higher",
    legend: { ours: "this SDK", peer: "stripe, which only verifies" },
    panels,
  };
}
