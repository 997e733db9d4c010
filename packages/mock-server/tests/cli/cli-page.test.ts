import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { demo } from "@call-transfer/backend";
import { operations } from "@call-transfer/spec";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { commands } from "../../src/cli/commands.ts";
import { program } from "../../src/cli/output.ts";
import { startMockServer } from "../../src/server/server.ts";
import { runIn } from "./run-line.ts";

/** Operations of the control plane that only `api` calls, and why. */
const byApi: Readonly<Record<string, string>> = {
  getHealth: "a probe for containers; every command says when no server is there",
  listAvailability: "the inspector shows it; records lists the members",
  getPolicies: "updatePolicies shows them too; the inspector explains them",
  listStubs: "the inspector lists them, and requests names the one that answered",
  addStub: "the file of --stubs says it once; tests send it to the control plane",
  deleteStubs: "the file of --stubs says it once; tests send it to the control plane",
};

const page = fileURLToPath(new URL("../../../../docs/mock-server-cli.md", import.meta.url));
const mostLines = 8;

interface ControlDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId?: string }>>>>;
}

describe("docs/mock-server-cli.md", () => {
  let rendered = "";
  let listed: readonly string[] = [];
  const used = new Set<string>();
  const ran: string[] = [];
  const folder = mkdtempSync(join(tmpdir(), "call-transfer-page-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  beforeAll(async () => {
    vi.stubEnv("TZ", "UTC");
    // Durations are of real time.
    vi.spyOn(performance, "now").mockReturnValue(0);
    const server = await startMockServer({
      port: 0,
      dataFile: join(folder, "mock.db"),
      clockMode: "frozen",
      now: "2026-03-02T12:00:00Z",
    });
    const { url } = server;
    try {
      const document = (await (await fetch(`${url}/_control/v1/openapi.json`)).json()) as ControlDocument;
      const templates = Object.entries(document.paths).flatMap(([path, item]) =>
        Object.entries(item).flatMap(([method, { operationId }]) =>
          operationId === undefined ? [] : [{ id: operationId, form: formOf(method, path) }],
        ),
      );
      listed = templates.map(({ id }) => id);
      await useTheApi(url);
      const real = fetch;
      vi.stubGlobal("fetch", (input: RequestInfo | URL, init?: RequestInit) => {
        const method = input instanceof Request ? input.method : (init?.method ?? "GET");
        const { pathname } = new URL(input instanceof Request ? input.url : input);
        const found = templates.find(({ form }) => form.test(`${method} ${pathname}`));
        if (found) used.add(found.id);
        return real(input, init);
      });
      writeFileSync(
        join(folder, "seed.json"),
        JSON.stringify({ contacts: [{ accountId: demo.accountId, number: "+15550200010" }] }),
      );
      rendered = await render(readFileSync(page, "utf8"), async (line) => {
        const words = wordsOf(line);
        ran.push(words[0] ?? "");
        const args = words.map((word) => (/\.(json|db)$/.test(word) ? join(folder, word) : word));
        const { stdout, stderr } = await runIn({ width: 100 }, url, args[0] ?? "", ...args.slice(1));
        expect(stderr).toBe("");
        return stdout.replaceAll(join(folder, "/"), "");
      });
      const following = runIn({}, url, "events", "--follow", "--limit", "1");
      while (!used.has("streamEvents")) await new Promise((resolve) => setImmediate(resolve));
      await runIn({}, url, "clock", "set", "2026-03-04T12:00:00Z");
      await following;
    } finally {
      vi.restoreAllMocks();
      vi.unstubAllGlobals();
      vi.unstubAllEnvs();
      await server.close();
    }
  });

  it("shows what its commands print (npm run record)", async () => {
    await expect(rendered).toMatchFileSnapshot(page);
  });

  it("shows each command", () => {
    expect(commands.map(({ name }) => name).filter((name) => !ran.includes(name))).toEqual([]);
  });

  it("reaches every operation of the control plane but those left out with a reason", () => {
    const left = listed.filter((id) => !used.has(id));
    expect(left.toSorted()).toEqual(Object.keys(byApi).sort());
  });
});

/** Requests to show: one that succeeds, one that fails, and one that matches no operation. */
async function useTheApi(url: string): Promise<void> {
  const send = async (method: string, path: string, body?: unknown) => {
    const headers = { authorization: `Bearer ${demo.apiKey}`, "content-type": "application/json" };
    await (
      await fetch(`${url}${path}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) })
    ).text();
  };
  await send("GET", operations.listRoles.path);
  await send("POST", operations.createCall.path, { flowId: demo.flows.published, toNumber: demo.recipients.anyone });
  await send("GET", operations.listCalls.path.replace("calls", "call"));
}

/** The page with each line that begins with `$` followed by what it prints, shortened. */
async function render(text: string, run: (line: string) => Promise<string>): Promise<string> {
  const parts = text.split(/(```console\n.*?```)/s);
  const done: string[] = [];
  for (const part of parts) {
    const [, block] = /^```console\n(.*?)```$/s.exec(part) ?? [];
    if (block === undefined) {
      done.push(part);
      continue;
    }
    const outputs: string[] = [];
    for (const [, line = ""] of block.matchAll(/^\$ call-transfer-mock (.+)$/gm)) {
      const printed = stable(await run(line))
        .trimEnd()
        .split("\n");
      const start = printed
        .slice(0, mostLines - 2)
        .join("\n")
        .trimEnd();
      const shown = printed.length > mostLines ? `${start}\n…` : printed.join("\n");
      outputs.push(`$ call-transfer-mock ${line}\n${shown}\n`);
    }
    done.push(`\`\`\`console\n${outputs.join("\n")}\`\`\``);
  }
  return done.join("");
}

/** Replaces what differs between runs and machines. */
function stable(text: string): string {
  return (
    text
      .replace(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g, "eyJ…")
      // The page's own commands leave the address out.
      .replace(/ --url http:\/\/127\.0\.0\.1:\d+/g, "")
      .replace(/127\.0\.0\.1:\d+/g, "127.0.0.1:4010")
      .replace(/:\d\d\.\d{3}Z, running/g, ":00.000Z, running")
      .replaceAll(program, "call-transfer-mock")
  );
}

function wordsOf(line: string): string[] {
  return [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(
    ([, ...parts]) => parts.find((part) => part !== undefined) ?? "",
  );
}

function formOf(method: string, path: string): RegExp {
  return new RegExp(`^${method.toUpperCase()} ${path.replace(/\{\w+\}/g, "[^/]+")}$`);
}
