import { contents } from "./contents.ts";

/** A line of the sidebar. */
export interface Item {
  readonly text: string;
  readonly link?: string;
  readonly items?: Item[];
  readonly collapsed?: boolean;
}

/**
 * The sidebar of the site: the first part and that of the page are open. `titles` names the pages by their path without `.md`.
 */
export function sidebar(titles: Readonly<Record<string, string>>): Item[] {
  return contents.map(({ title, pages }, index) => ({
    text: title,
    collapsed: index > 0,
    items: pages.map((page) => ({ text: titles[page] ?? page, link: `/${page.replace(/index$/, "")}` })),
  }));
}
