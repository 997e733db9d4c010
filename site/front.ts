import type { Page } from "../build/markdown.ts";

/**
 * The front page with its programs and outputs, which stand in one place each: `<!-- examples/x.ts -->` becomes the program,
 * `<!-- docs/why.md, An answer is lost -->` the output below that heading.
 *
 * @throws Error if there is no such heading, or no output below it.
 */
export function frontPage(text: string, read: (path: string) => string): Page {
  const filled = text
    .replace(/<!-- (examples\/\S+\.ts) -->/g, (_, path: string) => `\`\`\`ts\n${read(path)}\`\`\``)
    .replace(/<!-- (docs\/\S+\.md), (.+) -->/g, (_, path: string, heading: string) => {
      const [, section = ""] = read(path).split(`\n## ${heading}\n`);
      const [output] = /^```text\n[\s\S]*?^```/m.exec(section.split(/^## /m)[0] ?? "") ?? [];
      if (output === undefined) throw new Error(`${path} has no output below "${heading}".`);
      return output;
    });
  return { path: "index.md", text: filled };
}
