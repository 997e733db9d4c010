import type { Page } from "../build/markdown.ts";
import { retriesOf, ringsOf } from "../scripts/pictures/example-timelines.ts";
import { type Timeline, timelineHtml } from "../scripts/pictures/timeline.ts";

/** Where the front page takes its programs and what they print from. */
export interface FrontSources {
  /** The text of a file of the repository. */
  readonly read: (path: string) => string;
  /** The lines that a program prints. */
  readonly outputOf: (path: string) => Promise<readonly string[]>;
}

const timelines: Readonly<Record<string, (lines: readonly string[]) => Timeline>> = {
  "examples/retried-call.ts": retriesOf,
  "examples/group-ringing.ts": ringsOf,
};

/** The output below a heading of a page. */
function outputBelow(path: string, heading: string, text: string): string {
  const [, section = ""] = text.split(`\n## ${heading}\n`);
  const [, output] = /^```text\n([\s\S]*?)^```/m.exec(section.split(/^## /m)[0] ?? "") ?? [];
  if (output === undefined) throw new Error(`${path} has no output below "${heading}".`);
  return output;
}

/** How many calls each client of an output placed, as a chart with its caveat. */
export function callsChart(output: string): string {
  const clients = [...output.matchAll(/^(\S.*)\n {2}calls placed: (\d+)\n {2}(.*)$/gm)];
  if (clients.length === 0) throw new Error("The output names no client with its calls.");
  const rows = clients.map(([, name = "", count = "", end = ""]) => {
    const rings = Array.from({ length: Number(count) }, () => '<span class="call"></span>').join("");
    const isOwn = name === "this SDK";
    return `<tr${isOwn ? ' class="own"' : ""}><th scope="row">${name}</th><td class="calls"><span aria-hidden="true">${rings}</span> ${count}</td><td><code>${end}</code></td></tr>`;
  });
  return `<figure class="calls-chart"><table><thead><tr><th scope="col">Client</th><th scope="col">Calls placed</th><th scope="col">What the program learns</th></tr></thead><tbody>${rows.join("")}</tbody></table>
<figcaption>One <code>create</code> each, with the default retries. The other three are made for APIs where a repetition does little harm, and with <code>maxRetries: 0</code> they place one call as well.</figcaption></figure>`;
}

/**
 * The front page with its programs, outputs and drawings, which are made from what stands in one place each:
 * `<!-- examples/x.ts -->` becomes the program, `output of` and `timeline of` before its path become what it prints, and
 * `<!-- chart of docs/why.md, An answer is lost -->` the calls of the output below that heading.
 *
 * @throws Error if there is no such heading, or no output below it.
 */
export async function frontPage(text: string, { read, outputOf }: FrontSources): Promise<Page> {
  let filled = text
    .replace(/<!-- (examples\/\S+\.ts) -->/g, (_, path: string) => `\`\`\`ts\n${read(path)}\`\`\``)
    .replace(/<!-- chart of (docs\/\S+\.md), (.+) -->/g, (_, path: string, heading: string) =>
      callsChart(outputBelow(path, heading, read(path))),
    );
  for (const [comment, what, path = ""] of text.matchAll(/<!-- (output|timeline) of (\S+) -->/g)) {
    const lines = await outputOf(path);
    const timeline = timelines[path];
    if (what === "timeline" && timeline === undefined) throw new Error(`${path} has no time line in site/front.ts.`);
    const drawn =
      what === "timeline" && timeline ? timelineHtml(timeline(lines)) : `\`\`\`text\n${lines.join("\n")}\n\`\`\``;
    filled = filled.replace(comment, () => drawn);
  }
  return { path: "index.md", text: filled };
}
