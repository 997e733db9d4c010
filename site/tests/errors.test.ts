import { execFile } from "node:child_process";
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { createBackend, demo } from "@call-transfer/backend";
import { startMockServer } from "@call-transfer/mock-server";
import { ApiError, CallTransfer, OutcomeUnknownError } from "@call-transfer/sdk";
import {
  type ErrorCode,
  errorCodes,
  fieldErrorCodes,
  fieldErrorCodesByPattern,
  limits,
  type OperationId,
  operations,
} from "@call-transfer/spec";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { codes as specifiedCodes } from "../../packages/contract/src/facts/codes.ts";
import { invoke } from "../../packages/contract/src/suite/client.ts";
import { runLine } from "../../packages/mock-server/tests/cli/run-line.ts";
import { tsc } from "../../scripts/tsc.ts";
import { recipes } from "../error-program.ts";
import { type Idempotency, reactionText, retryClassNames } from "../error-retries.ts";
import { errorPages } from "../errors.ts";
import { resolved, sampleOf, serverUrl } from "../samples.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const codes = Object.keys(errorCodes) as ErrorCode[];
const allCodes: readonly string[] = [...codes, ...fieldErrorCodes];
const isFieldCode = (code: string): boolean => (fieldErrorCodes as readonly string[]).includes(code);
const pages = new Map(errorPages().map(({ path, text }) => [path.slice("errors/".length, -".md".length), text]));
const textOf = (code: string): string => pages.get(code) ?? "";

/** The blocks of a language in a page, in its order. */
const blocksOf = (code: string, language: string): string[] =>
  [...textOf(code).matchAll(new RegExp(`^\`\`\`${language}\n(.*?)^\`\`\``, "gms"))].map(([, text = ""]) => text);

it("each code has a page with its name as the title, and a place in the list", () => {
  expect([...pages.keys()].sort()).toEqual(["index", ...allCodes].sort());
  for (const code of allCodes) {
    expect(textOf(code)).toMatch(new RegExp(`^# ${code}$`, "m"));
    expect(textOf("index")).toContain(`| [${code}](${code}.md) |`);
  }
});

describe("the programs", () => {
  mkdirSync(join(root, ".cache"), { recursive: true });
  const folder = mkdtempSync(join(root, ".cache/error-pages-"));
  const programs = allCodes.flatMap((code) => {
    const outputs = blocksOf(code, "text");
    return blocksOf(code, "ts").map((text, index) => {
      const file = join(folder, `${code}-${index}.ts`);
      writeFileSync(file, text);
      return { code, index, file, output: outputs[index] };
    });
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(programs)(
    "of $code ($index) gets that error and prints what the page shows",
    async ({ code, file, output }) => {
      const log = vi.spyOn(console, "log").mockReturnValue();
      await import(pathToFileURL(file).href);
      expect(log.mock.calls.map((words) => `${words.join(" ")}\n`).join("")).toBe(output);
      expect(output).toContain(` ${code} `);
    },
  );

  it("compile", async () => {
    const config = { extends: "../../tsconfig.base.json", include: ["*.ts"] };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    const run = promisify(execFile)(process.execPath, [...tsc, "-p", folder], { cwd: root });
    const { stdout } = await run.catch((failed: { stdout: string }) => failed);
    expect(stdout).toBe("");
  });
});

describe("the commands", () => {
  let server: Awaited<ReturnType<typeof startMockServer>>;
  beforeAll(async () => {
    server = await startMockServer({ port: 0 });
  });
  afterAll(() => server.close());

  const prefix = "npx @call-transfer/mock-server ";
  const wordsOf = (line: string) =>
    [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? "");

  /** Runs the lines of a block: our commands in this process, curl as a program. Returns what curl printed last. */
  async function runBlock(block: string): Promise<string> {
    const env: Record<string, string | undefined> = { ...process.env };
    let printed = "";
    for (const line of block.trimEnd().split(/(?<!\\)\n/)) {
      const [, name, command] = /^([A-Z]+)=\$\((.*)\)$/.exec(line) ?? [];
      const own = command ?? line;
      if (own.startsWith(prefix)) {
        const [first = "", ...rest] = wordsOf(own.slice(prefix.length));
        const { stdout, stderr } = await runLine(server.url, first, ...rest);
        expect(stderr).toBe("");
        if (name !== undefined) env[name] = stdout;
      } else {
        expect(line).toMatch(/^curl /);
        const here = line.replaceAll(serverUrl, server.url);
        printed = (await promisify(execFile)("sh", ["-c", `${here} --silent --show-error`], { env })).stdout;
      }
    }
    return printed;
  }

  const blocks = allCodes.flatMap((code) => blocksOf(code, "sh").map((block, index) => ({ code, index, block })));
  // The programs above get every code, so that some commands are enough.
  it.each(blocks.filter((_, index) => index % 3 === 0))(
    "of $code ($index) get that error from the server",
    async ({ code, block }) => {
      await runLine(server.url, "sandbox", "reset");
      const body = JSON.parse(await runBlock(block));
      const found = isFieldCode(code) ? body.errors.map((one: { code: string }) => one.code) : [body.code];
      expect(found).toContain(code);
    },
  );
});

describe("the rules", () => {
  const sources = globSync(["packages/backend/src/{http,rules}/**/*.ts", "packages/backend/src/routes.ts"], {
    cwd: root,
  });
  const text = sources.map((path) => readFileSync(join(root, path), "utf8")).join("\n");
  const named = (pattern: RegExp) => [...text.matchAll(pattern)].map(([, code = ""]) => code);
  const shown = Object.keys(recipes).filter((code) => recipes[code]?.how !== undefined);

  it("of the backend that answer a code of the specification each have a request on its page", () => {
    // internal_error is the answer to a defect of the backend itself.
    const answered = new Set(named(/problem\("(\w+)"/g).filter((code) => code !== "internal_error"));
    const causes = new Set(shown.filter((code) => code in errorCodes));
    expect(causes.difference(answered)).toEqual(new Set());
    const lacking = [...answered.difference(causes)].filter((code) => code in specifiedCodes);
    expect(lacking, "Write a request for each of these into site/error-recipes.yaml").toEqual([]);
  });

  it("of the backend that answer a field code each have a request on its page", () => {
    const literals = named(/code: "(\w+)"/g).filter((code) => isFieldCode(code));
    const answered = new Set([...literals, ...Object.values(fieldErrorCodesByPattern)]);
    expect(shown.filter((code) => !(code in errorCodes)).sort()).toEqual([...answered].sort());
  });
});

describe("what the SDK does", () => {
  const operationOf = (of: Idempotency): OperationId =>
    (Object.keys(operations) as OperationId[]).find((id) => operations[id].idempotency === of) ?? "listRoles";
  /** Waits are over at once. */
  const clock = {
    now: () => Date.now(),
    setTimeout: (callback: () => void, ms = 0) => setTimeout(callback, ms > 60_000 ? ms : 0),
    clearTimeout,
  };

  /** Sends a request of a class whose first answer is the code, and says what came of it in the words of the page. */
  async function reaction(code: ErrorCode, idempotency: Idempotency): Promise<string> {
    const backend = createBackend({ faults: [{ do: { code }, when: { times: limits.clientMaxRetries } }] });
    const { apiKey } = demo;
    const client = new CallTransfer({
      baseUrl: "http://localhost",
      apiKey,
      fetch: backend.fetch,
      clock,
      timeoutMs: 90_000,
    });
    const operation = operationOf(idempotency);
    const { path = {}, query = {}, body } = resolved(sampleOf(operation)) as Parameters<typeof invoke>[2];
    try {
      await invoke(client, operation, { path, query, body });
      return `sends the request again, up to ${backend.requests.list().length - 1} times`;
    } catch (error) {
      expect(backend.requests.list().length).toBe(1);
      if (error instanceof OutcomeUnknownError) return "throws `OutcomeUnknownError`";
      expect(error).toBeInstanceOf(ApiError);
      expect(textOf(code)).toContain(`\`${(error as ApiError).name}\``);
      return "throws the error";
    }
  }

  it.each(codes)("after %s is what its page says", async (code) => {
    const reactions = await Promise.all(retryClassNames.map(async (name) => [name, await reaction(code, name)]));
    expect(textOf(code)).toContain(`\n${reactionText(Object.fromEntries(reactions))}\n`);
  });

  it("after a code is to renew the token only where the page says so", async () => {
    const renewed = await Promise.all(
      codes.map(async (code) => {
        const backend = createBackend({ faults: [{ do: { code } }] });
        const token = await backend.credentials.createAccessToken({ userId: demo.users.owner });
        const accessToken = vi.fn(async (_options: { forceRefresh: boolean }) => token);
        const options = {
          baseUrl: "http://localhost",
          fetch: backend.fetch,
          accountId: demo.accountId,
          maxRetries: 0,
        };
        await new CallTransfer({ ...options, accessToken }).roles.list().result();
        return accessToken.mock.calls.some(([{ forceRefresh }]) => forceRefresh);
      }),
    );
    expect(codes.filter((_, index) => renewed[index])).toEqual(
      codes.filter((code) => textOf(code).includes("If `accessToken` is a function")),
    );
  });
});
