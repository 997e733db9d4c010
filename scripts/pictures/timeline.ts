// The drawing of this project: what happened, on lines of time. As HTML for the site, where texts keep their size on a phone, and as
// SVG for a README.

/** What happened at a time or for some time. The names are those of the colours. */
export type Kind = "refused" | "wait" | "ring" | "declined" | "taken" | "answered" | "talk";

/** A part of a track. */
export interface Part {
  /** Seconds. */
  readonly from: number;
  readonly to: number;
  readonly kind: Kind;
  readonly text: string;
}

export interface Track {
  readonly name: string;
  readonly parts: readonly Part[];
}

export interface Timeline {
  /** What it shows, for those who do not see it. */
  readonly description: string;
  /** Seconds from its left to its right. */
  readonly secs: number;
  /** Seconds that have a label. */
  readonly ticks: readonly number[];
  readonly tracks: readonly Track[];
}

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
const short = (value: number) => String(Number(value.toFixed(2)));

/** The time line as HTML, with the classes of the site's `timeline.css`. */
export function timelineHtml({ description, secs, ticks, tracks }: Timeline): string {
  const percent = (at: number) => `${short((at / secs) * 100)}%`;
  const partHtml = ({ from, to, kind, text }: Part) =>
    `<span class="part ${kind}" style="left:${percent(from)};width:${percent(to - from)}">${escaped(text)}</span>`;
  const rows = tracks.map(
    ({ name, parts }) =>
      `<div class="track"><span class="track-name">${escaped(name)}</span><span class="track-line">${parts.map(partHtml).join("")}</span></div>`,
  );
  const labels = ticks.map((at) => `<span class="tick" style="left:${percent(at)}">${at} s</span>`).join("");
  const axis = `<div class="track axis"><span class="track-name"></span><span class="track-line">${labels}</span></div>`;
  return `<div class="time-line" role="img" aria-label="${escaped(description)}">${rows.join("")}${axis}</div>`;
}

const [nameWidth, lineWidth, rowHeight, barHeight, edge] = [132, 560, 36, 24, 20];
/** Text, ground and edge of each kind, in the light theme and in the dark one. They are the inspector's. */
const colours: Readonly<Record<Kind, readonly [text: string, ground: string]>> = {
  refused: ["#b02a22,#ff9189", "#fcebe9,#331a19"],
  wait: ["#56616f,#9aa5b3", "#edf0f3,#20262d"],
  ring: ["#8a4f00,#e3a955", "#fcf1df,#2e2312"],
  declined: ["#b02a22,#ff9189", "#fcebe9,#331a19"],
  taken: ["#56616f,#9aa5b3", "#edf0f3,#20262d"],
  answered: ["#1a6e41,#62cb90", "#e6f4ec,#14291e"],
  talk: ["#2253c3,#8ab0ff", "#e9effc,#18243a"],
};

/** Ground, names, ticks and lines of the page in each theme. */
const page = [
  ["#ffffff", "#18212c", "#56616f", "#e0e4ea"],
  ["#171c22", "#e5e9ee", "#9aa5b3", "#29313a"],
] as const;

/** The time line as an SVG that follows the theme of its reader. */
export function timelineSvg(title: string, { description, secs, ticks, tracks }: Timeline): string {
  const [width, height] = [nameWidth + lineWidth + 2 * edge, tracks.length * rowHeight + 28 + edge];
  const x = (at: number) => nameWidth + edge + (at / secs) * lineWidth;
  const used = new Set(tracks.flatMap(({ parts }) => parts.map(({ kind }) => kind)));
  /** The rules of a theme: 0 is the light one, 1 the dark one. */
  const rules = (theme: 0 | 1) => {
    const [ground, name, muted, line] = page[theme];
    const kinds = [...used].map((kind) => {
      const [text, back] = colours[kind].map((both) => both.split(",")[theme]);
      return `.${kind}{fill:${back};stroke:${text}}.${kind}-text{fill:${text}}`;
    });
    return `.ground{fill:${ground}}.name{fill:${name}}.muted{fill:${muted};font-weight:400}.line{stroke:${line}}\n${kinds.join("\n")}`;
  };
  const partSvg = ({ from, to, kind, text }: Part, y: number) => {
    const [start, end] = [x(from), x(to)];
    const shape = `<rect class="${kind}" x="${short(start + 0.5)}" y="${y + 0.5}" width="${short(end - start - 1)}" height="${barHeight - 1}" rx="4"/>`;
    return `${shape}<text class="${kind}-text" x="${short(start + 10)}" y="${y + 16.5}">${escaped(text)}</text>`;
  };
  const rows = tracks.map(({ name, parts }, index) => {
    const y = edge / 2 + index * rowHeight + 6;
    const line = `<path class="line" d="M${x(0)} ${y + barHeight / 2}H${x(secs)}"/>`;
    return `<text class="name" x="${edge}" y="${y + 17}">${escaped(name)}</text>${line}${parts.map((part) => partSvg(part, y)).join("")}`;
  });
  const axis = ticks.map((at) => `<text class="muted" x="${short(x(at))}" y="${height - 14}">${at} s</text>`).join("");
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-labelledby="title description">
<title id="title">${escaped(title)}</title>
<desc id="description">${escaped(description)}</desc>
<style>text{font:12.5px system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;font-weight:600}
${rules(0)}
@media(prefers-color-scheme:dark){${rules(1)}}</style>
<rect class="ground" width="${width}" height="${height}" rx="8"/>
${rows.join("\n")}
${axis}
</svg>
`;
}
