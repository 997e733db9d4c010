// Properties of every input, beyond the examples of the other tests.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { serializeQuery } from "../src/core/path.ts";
import { InvalidArgumentError } from "../src/errors/base.ts";
import { ConfigurationError } from "../src/index.ts";
import type { ClientOptions } from "../src/options/options.ts";
import { parseRetryAfter, retryHint } from "../src/send/retry.ts";
import { signWebhook, verifyWebhook, WebhookVerificationError } from "../src/webhooks.ts";
import { clientOf, json } from "./test-server.ts";

fc.configureGlobal({ seed: 1 });

/** Any text, lone halves of surrogate pairs and control characters included. */
const anyText = fc.array(fc.nat(0xffff), { maxLength: 12 }).map((units) => String.fromCharCode(...units));
/** Text made of what has a meaning in a header or a path. */
const pointedText = fc.string({ unit: fc.constantFrom(..."/.%2eE5cF?#\\:;@ \r\n\t\u0000=,a"), maxLength: 12 });
const dots = fc.string({ unit: fc.constantFrom(".", "%2e", "/"), maxLength: 3 });
const text = fc.oneof(anyText, pointedText, dots);

describe("any id", () => {
  it("is either refused before sending or sent as one segment of its operation's path", async () => {
    await fc.assert(
      fc.asyncProperty(text, async (id) => {
        const { client, sent } = clientOf([json(200, {})], { baseUrl: "https://api.example.com/prefix" });
        try {
          await client.members.getAvailability(id);
        } catch (error) {
          expect(error).toBeInstanceOf(InvalidArgumentError);
          expect(sent).toHaveLength(0);
          return;
        }
        const { origin, pathname, search, hash } = new URL(sent[0]?.url ?? "");
        expect([origin, search, hash]).toEqual(["https://api.example.com", "", ""]);
        const segments = pathname.split("/");
        expect(segments).toHaveLength(8);
        expect([segments[1], segments[7]]).toEqual(["prefix", "availability"]);
        expect(decodeURIComponent(segments[6] ?? "")).toBe(id);
      }),
    );
  });
});

describe("any query", () => {
  it("of well-formed text reads as it was written", () => {
    const query = fc.dictionary(fc.string({ minLength: 1 }), fc.string({ unit: "binary" }));
    fc.assert(
      fc.property(query, (values) => {
        expect(new Map(new URLSearchParams(serializeQuery(values)))).toEqual(new Map(Object.entries(values)));
      }),
    );
  });
});

describe("any credential or account", () => {
  it.each(["apiKey", "accessToken", "accountId"] as const)(
    "is sent as it is or refused at once: %s, whose value no message shows",
    async (option) => {
      await fc.assert(
        fc.asyncProperty(fc.oneof(text, fc.stringMatching(/^[!-~]{1,20}$/)), async (rest) => {
          // A part of its own tells whether a message shows the value.
          const value = `planted-${rest}`;
          const options: Partial<ClientOptions> = { accountId: "account", [option]: value };
          let made: ReturnType<typeof clientOf>;
          try {
            made = clientOf([json(200, { accounts: [] })], options);
          } catch (error) {
            expect(error).toBeInstanceOf(ConfigurationError);
            expect(String(error)).not.toContain("planted");
            return;
          }
          await made.client.accounts.list();
          const name = option === "accountId" ? "x-account-id" : "authorization";
          expect(made.sent[0]?.headers.get(name)).toBe(option === "accountId" ? value : `Bearer ${value}`);
        }),
      );
    },
  );
});

describe("any header of the caller", () => {
  it("leaves the credential as it is, and is refused when it would name one, however that is written", async () => {
    const letters = fc.array(fc.boolean(), { minLength: 13, maxLength: 13 });
    const cased = letters.map((upper) =>
      [..."authorization"].map((letter, n) => (upper[n] ? letter.toUpperCase() : letter)).join(""),
    );
    await fc.assert(
      fc.asyncProperty(fc.oneof(cased, text), text, async (name, value) => {
        const { client, sent } = clientOf([json(200, { roles: [] })]);
        await client.roles.list({ headers: { [name]: value } }).catch(() => {});
        if (/^authorization$/i.test(name)) expect(sent).toHaveLength(0);
        for (const { headers } of sent) expect(headers.get("authorization")).toMatch(/^Bearer svc_live_[\w-]+$/);
      }),
    );
  });
});

describe("any Retry-After", () => {
  const now = Date.parse("2026-03-02T12:00:00Z");

  /** The parts of an IMF-fixdate: "Mon,", "02", "Mar", "2026", "12:00:30", "GMT". */
  const partsOf = (secs: number) => new Date(now + secs * 1000).toUTCString().split(" ");
  /** Ways to write that one should wait so many seconds: numbers, the dates of RFC 9110, and two more. */
  const spellings: ((secs: number) => string)[] = [
    (secs) => String(secs),
    (secs) => `000${secs}`,
    (secs) => `+${secs}`,
    (secs) => `${secs}.25`,
    (secs) => partsOf(secs).join(" "),
    (secs) => {
      const [, day, month, year, time] = partsOf(secs);
      return `Monday, ${day}-${month}-${year?.slice(2)} ${time} GMT`;
    },
    (secs) => {
      const [, day, month, year, time] = partsOf(secs);
      return `Mon ${month} ${String(Number(day)).padStart(2)} ${time} ${year}`;
    },
    (secs) =>
      partsOf(secs - 5_400)
        .join(" ")
        .replace("GMT", "-0130"),
    (secs) => new Date(now + secs * 1000).toISOString(),
  ];
  const cases = [(text: string) => text, (text: string) => text.toLowerCase(), (text: string) => text.toUpperCase()];
  const blank = fc.constantFrom("", " ", "\t", " \t ");
  const spelled = fc
    .tuple(fc.nat(86_400), fc.constantFrom(...spellings), fc.constantFrom(...cases), blank, blank)
    .map(([secs, spell, inCase, before, after]) => ({ secs, header: before + inCase(spell(secs)) + after }));

  it("is never cut short, however it is spelled", () => {
    fc.assert(
      fc.property(spelled, ({ secs, header }) => {
        const asked = parseRetryAfter(header, now) ?? -1;
        expect(asked).toBeGreaterThanOrEqual(secs);
        expect(asked).toBeLessThan(secs + 1);
      }),
    );
  });

  it("is never cut short by others beside it, nor by the body's hint", () => {
    const body = fc.oneof(fc.nat(86_400), fc.string(), fc.constant(null), fc.constant(-1));
    fc.assert(
      fc.property(fc.array(spelled, { minLength: 1, maxLength: 4 }), body, (values, retryAfterSecs) => {
        const header = values.map((value) => value.header).join(", ");
        const headers = { get: (name: string) => (name === "retry-after" ? header : null) } as Headers;
        const longest = Math.max(...values.map(({ secs }) => secs), Number(retryAfterSecs) || 0);
        expect(retryHint({ retryAfterSecs }, headers, now)).toBeGreaterThanOrEqual(longest);
      }),
    );
  });
});

describe("any signature header", () => {
  const body = '{"type":"transfer.offer"}';
  const at = Date.parse("2026-03-02T12:00:00Z");
  const secret = "whsec-properties";
  const verify = (header: string) =>
    verifyWebhook({ body, headers: { "service-signature": header } }, { secret, clock: { now: () => at } });
  const junk = fc.oneof(
    fc.stringMatching(/^v1=[0-9a-f]{64}$/),
    fc.stringMatching(/^v1=[0-9a-zA-Z]{0,70}$/),
    fc.stringMatching(/^v[02-9]=[0-9a-f]{0,64}$/),
    fc.constantFrom("", "v1", "=", "T=1", "tt=1"),
  );
  const spaces = fc.constantFrom("", " ", "\t");

  it("that holds the genuine signature is accepted, wherever it stands among up to seven others", async () => {
    const [time = "", genuine = ""] = (await signWebhook(body, { secret, timestampMs: at })).split(",");
    const header = fc
      .array(junk, { maxLength: 7 })
      .chain((others) =>
        fc.tuple(fc.shuffledSubarray([time, genuine, ...others], { minLength: others.length + 2 }), spaces),
      );
    await fc.assert(
      fc.asyncProperty(header, async ([parts, space]) => {
        await expect(verify(parts.join(`${space},${space}`))).resolves.toEqual(JSON.parse(body));
      }),
    );
  });

  it("without it is refused with the one error for that, and nothing else is thrown", async () => {
    const time = fc.constantFrom(`t=${at / 1000}`, "t=0", "t=", "t=-1", "t=1e9");
    const header = fc.oneof(
      text,
      fc.tuple(time, fc.array(junk, { maxLength: 12 })).map(([first, others]) => [first, ...others].join(",")),
    );
    await fc.assert(
      fc.asyncProperty(header, async (value) => {
        await expect(verify(value)).rejects.toThrow(WebhookVerificationError);
      }),
    );
  });
});
