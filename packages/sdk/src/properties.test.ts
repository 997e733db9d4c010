// What holds for every input, where examples would only show the ones that somebody thought of.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ConfigurationError } from "./errors.ts";
import type { ClientOptions } from "./options.ts";
import { serializeQuery } from "./path.ts";
import { parseRetryAfter } from "./retry.ts";
import { clientOf, json } from "./test-server.ts";
import { signWebhook, verifyWebhook, WebhookVerificationError } from "./webhooks.ts";

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
          expect(error).toBeInstanceOf(TypeError);
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
  const seconds = fc.integer({ min: -86_400, max: 86_400 });

  it("of digits asks for so many seconds", () => {
    fc.assert(fc.property(fc.maxSafeNat(), (secs) => parseRetryAfter(String(secs), now) === secs));
  });

  it("that is an IMF-fixdate asks to wait until then", () => {
    fc.assert(
      fc.property(seconds, (secs) => {
        expect(parseRetryAfter(new Date(now + secs * 1000).toUTCString(), now)).toBe(Math.max(0, secs));
      }),
    );
  });

  it("that deviates from both by one character asks for nothing", () => {
    const header = fc.oneof(
      fc.nat(10_000).map(String),
      seconds.map((secs) => new Date(now + secs * 1000).toUTCString()),
    );
    const insertion = fc.tuple(
      header,
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.constantFrom(..." \t-+.eExX:;zé"),
    );
    fc.assert(
      fc.property(insertion, ([value, place, character]) => {
        const at = Math.round(place * value.length);
        expect(parseRetryAfter(value.slice(0, at) + character + value.slice(at), now)).toBeUndefined();
      }),
    );
  });
});

describe("any signature header", () => {
  const body = '{"type":"transfer.offer"}';
  const at = Date.parse("2026-03-02T12:00:00Z");
  const secret = "whsec-properties";
  const verify = (header: string) =>
    verifyWebhook({ body, headers: { "service-signature": header } }, { secret, now: () => at });
  const junk = fc.oneof(
    fc.stringMatching(/^v1=[0-9a-f]{64}$/),
    fc.stringMatching(/^v1=[0-9a-zA-Z]{0,70}$/),
    fc.stringMatching(/^v[02-9]=[0-9a-f]{0,64}$/),
    fc.constantFrom("", "v1", "=", "T=1", "tt=1"),
  );
  const spaces = fc.constantFrom("", " ", "\t");

  it("that holds the genuine signature is accepted, wherever it stands among up to seven others", async () => {
    const [time = "", genuine = ""] = (await signWebhook(body, { secret, at })).split(",");
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
