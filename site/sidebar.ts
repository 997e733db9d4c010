import { contents } from "./contents.ts";

/** A line of the sidebar. */
export interface Item {
  readonly text: string;
  readonly link?: string;
  readonly items?: Item[];
  readonly collapsed?: boolean;
}

/** The sidebar of the site. `titles` names the pages by their path without `.md`. */
export function sidebar(titles: Readonly<Record<string, string>>): Item[] {
  return contents.map(({ title, pages }) => ({
    text: title,
    items: pages.map((page) => ({ text: titles[page] ?? page, link: `/${page.replace(/index$/, "")}` })),
  }));
}
