// The vectors of the contract package, which every client runs, in whatever language.
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { createListReader } from "../src/core/list-reader.ts";
import { checkPath, expandPath, serializeQuery } from "../src/core/path.ts";
import { ApiError, CallTransfer, CallTransferError, InvalidArgumentError, RequestError } from "../src/index.ts";
import type { Clock } from "../src/options/options.ts";
import { contentTypeOf, effectOf } from "../src/send/effect.ts";
import { retryHint } from "../src/send/retry.ts";
import { maskNumbers } from "../src/utils/mask-numbers.ts";
import { redact } from "../src/utils/redact.ts";
import { networkError } from "./test-server.ts";

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

interface Answer {
  readonly lost?: "before" | "after" | "body" | "timeout";
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly text?: string;
}

interface Scenario extends Named {
  readonly operation: string;
  readonly answers: readonly Answer[];
  readonly retry?: Readonly<Record<string, unknown>>;
  readonly expect: {
    readonly sent: number;
    readonly result: string;
    readonly outcome?: string;
    readonly retrySkippedReason?: string;
    readonly waitsMs: readonly number[];
  };
}

const invoke: Readonly<Record<string, (client: CallTransfer) => PromiseLike<unknown>>> = {
  createCall: (client) => client.calls.create({ flowId: "f", fromNumber: "+15550100001", toNumber: "+15550200001" }),
  rotateDestinationSecret: (client) => client.destinations.rotateSecret("d-1"),
  listRoles: (client) => client.roles.list(),
  deleteMemberHours: (client) => client.members.deleteHours("m-1"),
  createDestinationGroup: (client) => client.destinationGroups.create({ name: "Desk", members: [] }),
};

/** A body that begins and then fails. */
function brokenBody(text: string): ReadableStream {
  const chunks = [new TextEncoder().encode(text)];
  return new ReadableStream({
    pull(controller) {
      const chunk = chunks.shift();
      if (chunk) controller.enqueue(chunk);
      else controller.error(networkError("ECONNRESET"));
    },
  });
}

function respond({ status = 200, headers, json, text, lost }: Answer): Response {
  const body = json === undefined ? (text ?? null) : JSON.stringify(json);
  const isJson = json !== undefined || lost === "body";
  const named = { ...(isJson && { "content-type": "application/json" }), ...headers };
  // A Response labels text by itself.
  const response = new Response(lost === "body" ? brokenBody(text ?? "") : body, { status, headers: named });
  if (!("content-type" in named)) response.headers.delete("content-type");
  return response;
}

/** A client that gets the answers of a scenario, and on whose clock waits and deadlines end at once. */
function clientOf({ answers, retry }: Scenario) {
  const waits: number[] = [];
  let sent = 0;
  let elapsed = 0;
  let deadline = (): void => {};
  const clock: Clock = {
    now: () => 1_772_452_800_000 + elapsed,
    elapsed: () => elapsed,
    async wait(delayMs) {
      waits.push(delayMs);
      elapsed += delayMs;
    },
    setTimeout(callback, delayMs) {
      const end = elapsed + delayMs;
      deadline = () => {
        elapsed = Math.max(elapsed, end);
        callback();
      };
      return undefined;
    },
    clearTimeout() {},
  };
  const client = new CallTransfer({
    baseUrl: "https://api.example.com",
    apiKey: "svc_live_vectors",
    logLevel: "off",
    clock,
    random: () => 0,
    ...(retry && { retry }),
    async fetch() {
      const answer = answers[Math.min(sent, answers.length - 1)] as Answer;
      sent += 1;
      if (answer.lost === "before") throw networkError("ECONNREFUSED");
      if (answer.lost === "after") throw networkError("ECONNRESET");
      if (answer.lost !== "timeout") return respond(answer);
      queueMicrotask(deadline);
      return new Promise<never>(() => {});
    },
  });
  return { client, waits, sent: () => sent };
}

describe("retries", () => {
  it.each(cases<Scenario>("retries"))("$name", async (scenario) => {
    const { client, waits, sent } = clientOf(scenario);
    const run = invoke[scenario.operation];
    if (!run) throw new Error(`There is no ${scenario.operation} here.`);
    const error = await run(client).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (error !== undefined && !(error instanceof RequestError)) throw error;
    expect({
      sent: sent(),
      result: error?.name ?? "success",
      ...(error && { outcome: error.outcome }),
      ...(error?.retrySkippedReason && { retrySkippedReason: error.retrySkippedReason }),
      waitsMs: waits,
    }).toEqual(scenario.expect);
    if (error instanceof ApiError) expect(error.attempts).toHaveLength(sent());
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
  it.each(cases<Paging>("paging"))("$name", ({ start, pages, expect: expected }) => {
    const reader = createListReader<{ id: string }>("listCalls", start);
    const [items, offsets]: [number[], number[]] = [[], []];
    let failed = false;
    for (let offset: number | undefined = start; offset !== undefined && !failed; ) {
      const { ids, total } = pages[Math.min(offsets.length, pages.length - 1)] ?? { ids: [] };
      offsets.push(offset);
      const fresh = reader.accept(
        ids.map((id) => ({ id: `c-${id}` })),
        total,
      );
      items.push(...fresh.map(({ id }) => Number(id.slice(2))));
      try {
        offset = reader.nextOffset();
      } catch (error) {
        if (!(error instanceof CallTransferError)) throw error;
        failed = true;
      }
    }
    expect({ items, offsets: expected.offsets && offsets, ...(failed && { error: true }) }).toEqual(expected);
  });
});
