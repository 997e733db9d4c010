// The charts docs/images/performance-*.svg, from the result files of lab/bench/.
import { readFileSync } from "node:fs";
import { type Chart, drawChart } from "./draw.ts";
import { dataChart, mockServerChart, sdkChart, webhooksChart } from "./results.ts";

const charts: Readonly<Record<string, (results: string) => Chart>> = {
  sdk: sdkChart,
  "mock-server": mockServerChart,
  data: dataChart,
  webhooks: webhooksChart,
};

/** Every chart: where it is kept, and the chart of the present results. */
export const drawnCharts = Object.entries(charts).map(([name, chartOf]) => ({
  path: `docs/images/performance-${name}.svg`,
  draw: () => drawChart(chartOf(readFileSync(new URL(`../../lab/bench/results-${name}.md`, import.meta.url), "utf8"))),
}));
