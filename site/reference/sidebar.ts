import type { Item } from "../sidebar.ts";
import { packages } from "./entries.ts";

/** A sidebar for the pages of each package, by their path. `titles` names all pages by their path without `.md`. */
export function referenceSidebars(titles: Readonly<Record<string, string>>): Record<string, Item[]> {
  const paths = Object.keys(titles);
  return Object.fromEntries(
    packages.map((name) => {
      const entriesOfPackage = paths
        .filter((path) => path.startsWith(`reference/${name}/`) && path.endsWith("/index"))
        .map((path) => path.replace(/index$/, ""))
        .sort();
      const groups = entriesOfPackage.map((path) => groupOf(path, titles));
      return [`/reference/${name}/`, [{ text: "All packages", link: "/reference/" }, ...groups]];
    }),
  );
}

const kinds: readonly (readonly [folder: string, title: string])[] = [
  ["functions", "Functions"],
  ["classes", "Classes"],
  ["interfaces", "Interfaces"],
];

function groupOf(folder: string, titles: Readonly<Record<string, string>>): Item {
  const items = kinds.flatMap(([kind, text]) => {
    const inKind = Object.entries(titles).filter(([path]) => path.startsWith(`${folder}${kind}/`));
    const links = inKind.map(([path, title]) => ({ text: title, link: `/${path}` }));
    links.sort((left, right) => (left.text.toLowerCase() < right.text.toLowerCase() ? -1 : 1));
    return links.length > 0 ? [{ text, collapsed: true, items: links }] : [];
  });
  return { text: folder.replace(/^reference\/(.*)\/$/, "$1"), link: `/${folder}`, items };
}
