// The vectors of the contract package, which every client runs, in whatever language.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { checkPath, expandPath, serializeQuery } from "../src/core/path.ts";
import { ApiError, CallTransfer, InvalidArgumentError, InvalidResponseError, RequestError } from "../src/index.ts";
import { contentTypeOf, effectOf } from "../src/send/result.ts";
import { retryHint } from "../src/send/retry.ts";
import { maskNumbers, redact } from "../src/utils/redact.ts";
import { playScenario, type Scenario } from "./scenarios.ts";
import { clientOf, json } from "./test-server.ts";

interface Named {
  readonly name: string;
}

function cases<Case extends Named>(file: string): readonly Case[] {
  const url = new URL(`../../contract/vectors/${file}.json`, import.meta.url);
  return JSON.parse(readFileSync(url, "utf8")).cases;
}

/** What a function returns, or null where it refuses its argument. */
function orNull<T>(work: () => T): T | null {
  try {
    return work();
  } catch (error) {
    if (error instanceof InvalidArgumentError) return null;
    throw error;
  }
}

interface Hint extends Named {
  readonly now: number;
  readonly retryAfter?: string;
  readonly date?: string;
  readonly meta?: unknown;
  readonly seconds: number | "Infinity" | null;
}

describe("hints", () => {
  it.each(cases<Hint>("hints"))("$name", ({ now, retryAfter, date, meta, seconds }) => {
    const headers = new Headers({
      ...(date && { date }),
      ...(retryAfter !== undefined && { "retry-after": retryAfter }),
    });
    expect(retryHint(meta, headers, now * 1000) ?? null).toBe(seconds === null ? null : Number(seconds));
  });
});

interface Outcome extends Named {
  readonly status: number;
  readonly code?: string;
  readonly contentType?: string;
  readonly trust503Codes?: boolean;
  readonly outcome: string;
}

describe("outcomes", () => {
  it.each(cases<Outcome>("outcomes"))("$name", ({ status, code, contentType, trust503Codes, outcome }) => {
    const response = new Response(null, { status, ...(contentType && { headers: { "content-type": contentType } }) });
    expect(contentTypeOf(response)).toBe(contentType?.split(";")[0]?.trim().toLowerCase() ?? "");
    expect(effectOf(response, code, trust503Codes)).toBe(outcome);
  });
});

describe("retries", () => {
  it.each(cases<Scenario>("retries"))("$name", async (scenario) => {
    const { seen, error } = await playScenario({ CallTransfer, RequestError }, scenario);
    expect(seen).toEqual(scenario.expect);
    if (error instanceof ApiError) expect(error.attempts).toHaveLength(seen.sent);
  });
});

interface Redaction extends Named {
  readonly text: string;
  readonly secrets: readonly string[];
  readonly redacted: string;
}

describe("redaction", () => {
  it.each(cases<Redaction>("redaction"))("$name", ({ text, secrets, redacted }) => {
    expect(redact(text, secrets)).toBe(redacted);
  });

  it.each(cases<Named & { text: string; masked: string }>("phone-numbers"))("masks $name", ({ text, masked }) => {
    expect(maskNumbers(text)).toBe(masked);
  });
});

interface Path extends Named {
  readonly template: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly path: string | null;
}

describe("paths and queries", () => {
  it.each(cases<Path>("paths"))("$name", ({ template, parameters, path }) => {
    expect(orNull(() => expandPath(template, parameters))).toBe(path);
  });

  it.each(cases<Named & { path: string; accepted: boolean }>("written-paths"))("path $name", ({ path, accepted }) => {
    expect(orNull(() => checkPath(path, "https://api.example.com") ?? true) !== null).toBe(accepted);
  });

  it.each(cases<Named & { query: Record<string, unknown>; search: string | null }>("queries"))(
    "query $name",
    ({ query, search }) => {
      expect(orNull(() => serializeQuery(query))).toBe(search);
    },
  );
});

interface Paging extends Named {
  readonly start: number;
  readonly pages: readonly { readonly ids: readonly number[]; readonly total?: number }[];
  readonly expect: {
    readonly items: readonly number[];
    readonly offsets: readonly number[] | null;
    readonly error?: true;
  };
}

describe("paging", () => {
  it.each(cases<Paging>("paging"))("$name", async ({ start, pages, expect: expected }) => {
    const [items, offsets]: [number[], number[]] = [[], []];
    const fetch = async (url: string | URL | Request) => {
      const { ids, total } = pages[Math.min(offsets.length, pages.length - 1)] ?? { ids: [] };
      offsets.push(Number(new URL(String(url)).searchParams.get("offset")));
      return json(200, { calls: ids.map((id) => ({ id: `c-${id}` })), meta: { total } });
    };
    let failed = false;
    try {
      for await (const { id } of clientOf([], { fetch }).client.calls.list({ offset: start }))
        items.push(Number(id.slice(2)));
    } catch (error) {
      if (!(error instanceof InvalidResponseError)) throw error;
      failed = true;
    }
    expect({ items, offsets: expected.offsets && offsets, ...(failed && { error: true }) }).toEqual(expected);
  });
});
