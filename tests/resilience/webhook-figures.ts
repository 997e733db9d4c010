// Hostile signature headers: none is accepted, and none costs the receiver time.
import { signWebhook, verifyWebhook, WebhookVerificationError } from "@call-transfer/sdk/webhooks";
import { webhookSignature } from "@call-transfer/spec";
import { createRandom } from "../simulate/scheduler.ts";
import type { Figure } from "./figure.ts";

const mutations = 1_000_000;
const largest = 8 * 1024 * 1024;
const limitMs = 1;
/** How often a header is verified again that took longer. */
const repetitions = 20;

const secrets = ["whsec-new-secret", "whsec-old-secret"];
const body = JSON.stringify({ type: webhookSignature.event, id: "evt_1" });
const at = Date.parse("2026-03-02T12:00:00Z");

/** Whether the webhook is accepted, and in how many milliseconds. */
async function verify(header: string): Promise<{ accepted: boolean; ms: number }> {
  const input = { body, headers: { [webhookSignature.header.toLowerCase()]: header } };
  const options = { secret: secrets, now: () => at };
  const started = performance.now();
  try {
    await verifyWebhook(input, options);
    return { accepted: true, ms: performance.now() - started };
  } catch (error) {
    if (!(error instanceof WebhookVerificationError)) throw error;
    return { accepted: false, ms: performance.now() - started };
  }
}

type Change = (header: string, random: () => number) => string;

const below = (limit: number, random: () => number): number => Math.floor(random() * limit);
const characters = `0123456789abcdefABCDEF=,tv1 .-+\t\u0000\u00a0\u0661é`;

function splice(header: string, random: () => number, remove: number, insert: string): string {
  const start = below(header.length, random);
  return header.slice(0, start) + insert + header.slice(start + remove);
}

const character = (random: () => number): string => characters.charAt(below(characters.length, random));

function changeParts(header: string, change: (parts: string[]) => void): string {
  const parts = header.split(",");
  change(parts);
  return parts.join(",");
}

const changes: readonly Change[] = [
  (header, random) => splice(header, random, 1, character(random)),
  (header, random) => splice(header, random, 0, character(random)),
  (header, random) => splice(header, random, 1 + below(8, random), ""),
  (header, random) => header.slice(0, below(header.length, random)),
  (header, random) => header.slice(below(header.length, random)),
  (header, random) => changeParts(header, (parts) => void parts.splice(below(parts.length, random), 1)),
  (header, random) => changeParts(header, (parts) => void parts.push(parts[below(parts.length, random)] ?? "")),
  (header, random) => header.replace(/t=(\d+)/, (_, time: string) => `t=${Number(time) + below(2001, random) - 1000}`),
  (header) => header.replaceAll("v1=", "v0="),
  (header) => header.replace(/v1=\w+/g, (part) => part.toUpperCase()),
  (header, random) => header.replaceAll("=", character(random)),
  (header, random) => header.repeat(2 + below(10, random)),
];

/** Headers at the largest size, each hostile to another way of reading them. */
function hugeHeaders(genuine: string): string[] {
  const fill = (part: string) => part.repeat(Math.floor(largest / part.length));
  const [time = "", one = ""] = genuine.split(",");
  return [
    fill("x"),
    fill(","),
    fill(" "),
    fill(`${one},`),
    fill("v1="),
    fill("t=1,"),
    `t=${fill("9")}`,
    `${time},v1=${fill("a")}`,
    `${fill(" ")}${genuine}`,
    `${genuine},${fill("v1=zz,")}`,
  ];
}

/** Whether a header still says what was signed: then accepting it is right, and it counts as no mutation. */
function saysTheSame(header: string, genuine: ReadonlySet<string>, time: string): boolean {
  const parts = header.split(",").map((part) => part.trim());
  return parts.includes(time) && parts.some((part) => genuine.has(part));
}

export const webhookHeaders: Figure = {
  name: `${mutations.toLocaleString("en")} mutated webhook headers, and more at 8 MB`,
  target: `0 false accepts, none over ${limitMs} ms`,
  async measure() {
    const random = createRandom(1, "figures").next;
    const header = await signWebhook(body, { secret: secrets, at });
    const [time = "", ...signed] = header.split(",");
    const genuine = new Set(signed);
    if (!(await verify(header)).accepted) throw new Error("the genuine header is refused");

    let falseAccepts = 0;
    let tooSlow = 0;
    let interruptions = 0;
    let longestMs = 0;
    const look = async (mutated: string) => {
      const { accepted, ms } = await verify(mutated);
      if (accepted) falseAccepts += 1;
      longestMs = Math.max(longestMs, ms);
      // A header that is slow is slow each time; garbage collection and other processes are not.
      let quickest = ms;
      for (let n = 0; n < repetitions && quickest > limitMs; n++) {
        quickest = Math.min(quickest, (await verify(mutated)).ms);
      }
      if (quickest > limitMs) tooSlow += 1;
      else if (ms > limitMs) interruptions += 1;
      return quickest;
    };

    for (let done = 0; done < mutations; ) {
      let mutated = header;
      for (let n = 1 + below(3, random); n > 0; n--) {
        mutated = changes[below(changes.length, random)]?.(mutated, random) ?? mutated;
      }
      if (saysTheSame(mutated, genuine, time)) continue;
      await look(mutated);
      done += 1;
    }
    let slowestHuge = 0;
    for (const huge of hugeHeaders(header)) slowestHuge = Math.max(slowestHuge, await look(huge));
    return {
      figure: `${falseAccepts} false accepts, ${tooSlow} over ${limitMs} ms, at 8 MB at most ${slowestHuge.toFixed(3)} ms (${interruptions} readings of up to ${longestMs.toFixed(1)} ms fell below it when the same header was verified again, so the header was not the cause)`,
      ok: falseAccepts === 0 && tooSlow === 0,
    };
  },
};
