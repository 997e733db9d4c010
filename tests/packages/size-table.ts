// Writes the SDK's bundle sizes into every page that states them. They stand once, in sizes.json.

/** Bundle sizes in kB of 1,000 bytes, rounded to 0.1, by the names in the table of the SDK's README. */
export type Sizes = Readonly<Record<string, string>>;

/** Names of the bundles that other pages state, too. */
export const everything = "everything";
export const smallest = "`CallTransferCore` and the smallest operation";
export const largest = "`CallTransferCore` and the largest operation";

const start = "<!-- sizes, written by `npm run record -- sizes` -->";
const end = "<!-- end of sizes -->";

function sizeOf(sizes: Sizes, name: string): string {
  const size = sizes[name];
  if (size === undefined) throw new Error(`There is no size of ${name}.`);
  return size;
}

/** Replaces what stands between two texts. */
function between(page: string, before: string, after: string, text: string): string {
  const from = page.indexOf(before) + before.length;
  const to = page.indexOf(after, from);
  if (from < before.length || to < 0) throw new Error(`The page does not say "${before}… ${after}".`);
  return page.slice(0, from) + text + page.slice(to);
}

/** The page with the sizes as the table between its two comments. */
export function withTable(page: string, sizes: Sizes): string {
  const rows = Object.entries(sizes).map(([name, size]) => `| ${name} | ${size} kB |\n`);
  return between(page, start, end, `\n\n| In a bundle | Size |\n|---|---|\n${rows.join("")}\n`);
}

/** The page with the sizes in a comparison with other SDKs. */
export function withComparison(page: string, sizes: Sizes): string {
  const whole = between(page, "| Bundle of everything, minified, after gzip | ", " kB |", sizeOf(sizes, everything));
  return between(whole, "| Bundle for one operation, minified, after gzip | ", " kB |", sizeOf(sizes, smallest));
}

/** Every page that states a size of the SDK, with the function that writes it. */
export const pagesWithSizes: Readonly<Record<string, (page: string, sizes: Sizes) => string>> = {
  "packages/sdk/README.md": withTable,
  "docs/performance.md": withComparison,
};
