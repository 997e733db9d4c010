// Writes the bundle sizes into a page.

/** A bundle as a page names it, and its size in kB of 1,000 bytes. */
interface Size {
  readonly name: string;
  readonly value: number;
}

const start = "<!-- sizes, written by `npm run check:size -- --write` -->";
const end = "<!-- end of sizes -->";

/** The page with the sizes, rounded to 0.1 kB, as the table between its two comments. */
export function withSizes(page: string, sizes: readonly Size[]): string {
  const [from, to] = [page.indexOf(start), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`The page has no table of sizes. Write ${start} and ${end} into it.`);
  const rows = sizes.map(({ name, value }) => `| ${name} | ${value.toFixed(1)} kB |\n`);
  const table = `| In a bundle | Size |\n|---|---|\n${rows.join("")}`;
  return `${page.slice(0, from)}${start}\n\n${table}\n${page.slice(to)}`;
}
