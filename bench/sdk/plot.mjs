// Draws the figures as bars: one panel a figure, the SDK in colour. The picture follows the reader's light or dark theme.
import { shown, us } from "./report.mjs";

const [width, columns, gap, margin] = [880, 2, 36, 28];
const panelWidth = (width - 2 * margin - gap) / columns;
const [titleHeight, rowHeight, barHeight, labelWidth, valueWidth] = [54, 24, 14, 150, 62];
const barWidth = panelWidth - labelWidth - valueWidth;

const style = `
  text { font: 13px -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; fill: #3d444d; }
  .title { font-size: 15px; font-weight: 600; fill: #1f2328; }
  .unit { font-size: 12px; fill: #656d76; }
  .us { font-weight: 600; fill: #1f2328; }
  .value { font-variant-numeric: tabular-nums; }
  .floor { fill: #656d76; }
  rect { fill: #b6bec8; }
  rect.us { fill: #0969da; }
  rect.floor { fill: #dfe3e8; }
  .sheet { fill: #ffffff; }
  @media (prefers-color-scheme: dark) {
    text { fill: #c3cad3; }
    .title, .us { fill: #f0f6fc; }
    .unit, .floor { fill: #9198a1; }
    rect { fill: #59636e; }
    rect.us { fill: #4493f8; }
    rect.floor { fill: #353c45; }
    .sheet { fill: #0d1117; }
  }`;

const escaped = (text) => text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
const text = (x, y, kind, content, anchor = "start") =>
  `<text x="${x}" y="${y}" class="${kind}" text-anchor="${anchor}">${escaped(content)}</text>`;

const kindOf = (name) => (name === us ? "us" : ["fetch", "openapi-fetch"].includes(name) ? "floor" : "peer");

function panel(figure, left, top) {
  const entries = Object.entries(figure.values).filter(([, value]) => value !== undefined);
  const rows = entries.toSorted(([, a], [, b]) => a - b);
  const largest = Math.max(...rows.map(([, value]) => value));
  const bars = rows.map(([name, value], index) => {
    const y = top + titleHeight + index * rowHeight;
    const length = Math.max(2, (value / largest) * barWidth);
    const start = left + labelWidth;
    const kind = kindOf(name);
    return [
      text(start - 10, y + 11.5, kind, name, "end"),
      `<rect x="${start}" y="${y}" width="${length.toFixed(1)}" height="${barHeight}" rx="2" class="${kind}"/>`,
      text((start + length + 8).toFixed(1), y + 11.5, `${kind} value`, shown(figure, value)),
    ].join("\n");
  });
  return [text(left, top + 16, "title", figure.title), text(left, top + 35, "unit", figure.of), ...bars].join("\n");
}

const legend = [
  ["us", "this SDK"],
  ["peer", "other SDKs"],
  ["floor", "no SDK: without retries, errors and pages"],
];

/** What the colours mean, in one line. */
function heading(top) {
  let left = margin + 136;
  const items = legend.map(([kind, label]) => {
    const swatch = `<rect x="${left}" y="${top}" width="${barHeight}" height="${barHeight}" rx="2" class="${kind}"/>`;
    const item = `${swatch}\n${text(left + barHeight + 7, top + 11.5, kind === "us" ? "" : kind, label)}`;
    left += barHeight + 7 + label.length * 6.5 + 24;
    return item;
  });
  return [text(margin, top + 11.5, "us", "Lower is better"), ...items].join("\n");
}

/** The picture of all figures, as SVG. */
export function plot(figures) {
  let top = margin + 44;
  const panels = [];
  for (let first = 0; first < figures.length; first += columns) {
    const row = figures.slice(first, first + columns);
    row.forEach((figure, column) => {
      panels.push(panel(figure, margin + column * (panelWidth + gap), top));
    });
    const longest = Math.max(
      ...row.map(({ values }) => Object.values(values).filter((value) => value !== undefined).length),
    );
    top += titleHeight + longest * rowHeight + gap;
  }
  const height = top - gap + margin - (rowHeight - barHeight);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">
<title>The SDK beside other TypeScript SDKs; lower is better</title>
<style>${style}
</style>
<rect class="sheet" width="${width}" height="${height}"/>
${heading(margin)}
${panels.join("\n")}
</svg>
`;
}
