import type { DefaultTheme, MarkdownEnv, MarkdownRenderer } from "vitepress";

/** Splits a text into words, as the search does by itself. A name such as not_found is a word, too. It runs in the browser. */
const tokenize = (text: string): string[] => [
  ...text.split(/[\n\r\p{Z}\p{P}]+/u),
  ...(text.match(/[a-z\d]+(?:_[a-z\d]+)+/g) ?? []),
];

/** The words of what a reader looks for. A name such as not_found is one word: its parts would find others. It runs in the browser. */
const tokenizeQuery = (text: string): string[] => text.split(/[\n\r\p{Z}]+|(?!_)\p{P}+/u);

/**
 * How much a page counts if it has a word: the guide that explains a topic before others, guides before pages of one error code
 * and of the project, and the names of the packages last. It runs in the browser, so it holds its table.
 *
 * @param id The address of a section.
 */
function boostDocument(id: string, term: string): number {
  // A topic is named by the beginning of its word.
  const guides: Readonly<Record<string, string>> = {
    authenticat: "/authentication",
    clock: "/time-faults-sandboxes",
    docker: "/containers",
    error: "/errors",
    fault: "/mock-server-faults",
    group: "/transfers",
    idempoten: "/placing-calls",
    key: "/authentication",
    limit: "/resilience",
    logg: "/observability",
    msw: "/mock-server-msw",
    paging: "/paging",
    plac: "/placing-calls",
    python: "/python",
    rate: "/resilience",
    reconcil: "/placing-calls",
    retr: "/resilience",
    ring: "/transfers",
    sandbox: "/time-faults-sandboxes",
    signature: "/webhooks",
    timeout: "/resilience",
    token: "/authentication",
    trac: "/observability",
    transfer: "/transfers",
    webhook: "/webhooks",
  };
  const page = id.replace(/^.*?(\/[^/]*(?:\/[^#]*)?)#.*$/, "$1");
  const isCode = term.includes("_");
  // A code of one word, such as conflict, is one only to the page of its name.
  if (page.endsWith(`/errors/${term}`)) return 8;
  if (/\/errors\/./.test(page)) return isCode ? 4 : 0.4;
  if (Object.keys(guides).some((word) => term.startsWith(word) && guides[word] === page)) return 8;
  if (/\/reference\/api\//.test(page)) return 2;
  if (/\/(?:reference|decisions)\//.test(page)) return 0.3;
  return /\/(?:architecture|assumptions|contract-coverage|releasing|specification)$/.test(page) ? 0.4 : 1;
}

/** Words such as "a" and "of" are no beginnings of others. It runs in the browser. */
const prefix = (term: string): boolean => term.length > 2;

/** Code as it is highlighted, but without the colours. */
const withoutColours = (code: string): string => code.replaceAll("&", "&#x26;").replaceAll("<", "&#x3C;");

/**
 * Renders a page for the index, which takes its words only. Code is not highlighted, which takes most of the time. Pages are
 * rendered with the same settings in between, so this is not async.
 */
function renderWords(text: string, env: MarkdownEnv, markdown: MarkdownRenderer): string {
  const { highlight } = markdown.options;
  markdown.options.highlight = withoutColours;
  try {
    const html = markdown.render(text, env);
    return env.frontmatter?.search === false ? "" : html;
  } finally {
    markdown.options.highlight = highlight;
  }
}

/** The search of the site. */
export const searchOptions: DefaultTheme.LocalSearchOptions = {
  _render: renderWords,
  detailedView: true,
  miniSearch: { options: { tokenize }, searchOptions: { boostDocument, prefix, tokenize: tokenizeQuery } },
};
