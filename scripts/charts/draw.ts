// Draws bar charts as SVG. They follow the reader's light or dark theme, and contain no script and no outside font.

/** What a bar stands for, which decides its colour. */
export type Kind = "ours" | "peer" | "floor";

/** One bar. */
export interface Bar {
  readonly name: string;
  readonly value: number;
  /** The value as it is shown, with its unit. */
  readonly text: string;
  readonly kind: Kind;
}

/** Bars that share a scale. */
export interface Panel {
  readonly title: string;
  /** What the values are. */
  readonly unit: string;
  readonly bars: readonly Bar[];
}

/** A picture of panels, two in a row. */
export interface Chart {
  readonly title: string;
  /** What the colours mean. */
  readonly legend: Readonly<Partial<Record<Kind, string>>>;
  /** Which value is better, if it is the same for all panels. */
  readonly better?: "higher" | "lower";
  readonly panels: readonly Panel[];
}

// The width of a page's text beside its outline, so that the browser does not make the letters smaller.
const [width, margin, gap] = [620, 20, 28];
const panelWidth = (width - 2 * margin - gap) / 2;
const [legendHeight, titleHeight, rowHeight, barHeight, valueWidth] = [40, 48, 36, 12, 74];
const longestBar = panelWidth - valueWidth;
/** Roughly, the width of a letter of the legend. */
const letterWidth = 6.4;

const style = `
text{font:13px -apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;fill:#3d444d}
.title{font-size:15px;font-weight:600;fill:#1f2328}
.unit{font-size:12px;fill:#59636e}
.ours{font-weight:600;fill:#1f2328}
.value{font-variant-numeric:tabular-nums}
rect.peer{fill:#9aa4af}
rect.ours{fill:#0969da}
rect.floor{fill:#d1d9e0}
.sheet{fill:#fff}
@media(prefers-color-scheme:dark){
text{fill:#c3cad3}
.title,.ours{fill:#f0f6fc}
.unit{fill:#9198a1}
rect.peer{fill:#7d8590}
rect.ours{fill:#4493f8}
rect.floor{fill:#4b535d}
.sheet{fill:#151b23}
}`;

const escaped = (text: string): string => text.replace(/[&<>"]/g, (character) => `&#${character.charCodeAt(0)};`);
const text = (x: number, y: number, kind: string, content: string): string =>
  `<text x="${rounded(x)}" y="${rounded(y)}" class="${kind}">${escaped(content)}</text>`;
const rounded = (value: number): number => Math.round(value * 10) / 10;
const rectangle = (x: number, y: number, length: number, kind: Kind): string =>
  `<rect x="${rounded(x)}" y="${rounded(y)}" width="${rounded(length)}" height="${barHeight}" rx="2" class="${kind}"/>`;

function drawPanel({ title, unit, bars }: Panel, left: number, top: number): string[] {
  const largest = Math.max(...bars.map(({ value }) => value));
  return [
    text(left, top + 15, "title", title),
    text(left, top + 33, "unit", unit),
    ...bars.flatMap((bar, index) => {
      const y = top + titleHeight + index * rowHeight;
      const length = Math.max(2, (bar.value / largest) * longestBar);
      const weight = bar.kind === "ours" ? "ours" : "";
      return [
        text(left, y + 11, weight, bar.name),
        rectangle(left, y + 16, length, bar.kind),
        text(left + length + 8, y + 26.5, `${weight} value`.trim(), bar.text),
      ];
    }),
  ];
}

function drawLegend({ legend, better }: Chart): string[] {
  let left = margin;
  const items = Object.entries(legend).flatMap(([kind, label]) => {
    const item = [
      rectangle(left, margin, barHeight, kind as Kind),
      text(left + barHeight + 7, margin + 10.5, kind === "ours" ? "ours" : "", label),
    ];
    left += barHeight + 7 + label.length * letterWidth + 16;
    return item;
  });
  if (better === undefined) return items;
  const x = width - margin;
  return [...items, `<text x="${x}" y="${margin + 10.5}" class="unit" text-anchor="end">${better} is better</text>`];
}

/** All figures in words, for readers who do not see the bars. */
const inWords = ({ panels }: Chart): string =>
  panels
    .map(
      ({ title, unit, bars }) => `${title} (${unit}): ${bars.map(({ name, text }) => `${name} ${text}`).join(", ")}.`,
    )
    .join(" ");

/** Draws a chart. The same chart gives the same bytes. */
export function drawChart(chart: Chart): string {
  const { title, panels } = chart;
  let top = margin + legendHeight;
  const parts: string[] = [];
  for (let first = 0; first < panels.length; first += 2) {
    const row = panels.slice(first, first + 2);
    for (const [column, panel] of row.entries())
      parts.push(...drawPanel(panel, margin + column * (panelWidth + gap), top));
    top += titleHeight + Math.max(...row.map(({ bars }) => bars.length)) * rowHeight + gap / 2;
  }
  const height = top + margin - gap / 2;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-labelledby="title desc">
<title id="title">${escaped(title)}</title>
<desc id="desc">${escaped(inWords(chart))}</desc>
<style>${style}
</style>
<rect class="sheet" width="${width}" height="${height}" rx="8"/>
${[...drawLegend(chart), ...parts].join("\n")}
</svg>
`;
}
