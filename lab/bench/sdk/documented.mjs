// Rows of the table that are not measured: what the packages' own pages, types and package.json say.
const [yes, no] = [0, 1];

const row = (question, cells) => ({
  question,
  isRead: true,
  cells: Object.fromEntries(Object.entries(cells).map(([name, [text, value]]) => [name, { text, value }])),
});

/** What the sizes' installations show of each package, and what its pages say. */
export function documented(sizes) {
  const names = ["@call-transfer/sdk", "stripe", "openai", "@anthropic-ai/sdk", "retell-sdk"];
  const from = (cell) => Object.fromEntries(names.map((name) => [name, cell(sizes[name], name)]));
  const own = (entries) => (entries.length > 0 ? [`entry \`${entries[0].replace("./", "/")}\``, yes] : ["no", no]);
  const isNamed = (type) => /^(?:Response<)?[A-Z]\w*/.test(type);
  return [
    {
      ...row(
        "Type of a result on hover",
        from(({ type }) => shown(type, isNamed(type))),
      ),
      isRead: false,
    },
    {
      ...row(
        "CommonJS and ESM",
        from(({ formats }) => (formats ? ["both", yes] : ["one", no])),
      ),
      isRead: false,
    },
    row("OpenTelemetry", {
      ...from(({ otel }) => own(otel)),
      "@anthropic-ai/sdk": ["option `openTelemetry`", yes],
    }),
    row(
      "TanStack Query",
      from(({ query }) => own(query)),
    ),
    row("Verifies webhooks", {
      "@call-transfer/sdk": ["entry `/webhooks`", yes],
      stripe: ["`stripe.webhooks`", yes],
      openai: ["`client.webhooks`", yes],
      "@anthropic-ai/sdk": ["`client.beta.webhooks`", yes],
      "retell-sdk": ["`Retell.verify`", yes],
    }),
    row("Runs in", {
      "@call-transfer/sdk": ["Node, Bun, Deno, Workers, browsers", yes],
      stripe: ["Node, Bun, Deno, Workers", no],
      openai: ["Node, Bun, Deno, Workers, browsers", yes],
      "@anthropic-ai/sdk": ["Node, Bun, Deno, Workers, browsers", yes],
      "retell-sdk": ["Node, Bun, Deno, Workers, browsers", yes],
    }),
  ];
}

function shown(type, isNamed) {
  const short = type.length > 40 ? `${type.slice(0, 37)}…` : type;
  return [`\`${short.replaceAll("|", "\\|")}\``, isNamed ? yes : no];
}
