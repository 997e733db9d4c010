// Figures of hostile signature headers: none is accepted, and none takes long to refuse.
import { signWebhook, verifyWebhook, WebhookVerificationError } from "@call-transfer/sdk/webhooks";
import { webhookSignature } from "@call-transfer/spec";
import { createRandom } from "../simulate/scheduler.ts";
import type { Figure } from "./figure.ts";

const mutations = 1_000_000;
const largest = 8 * 1024 * 1024;
const limitMs = 1;
/** How often a slow header is verified again. */
const repetitions = 20;

const secrets = ["whsec-new-secret", "whsec-old-secret"];
const body = JSON.stringify({ type: webhookSignature.event, id: "evt_1" });
const at = Date.parse("2026-03-02T12:00:00Z");

/** Whether the webhook is accepted, and the milliseconds that takes. */
async function verify(header: string): Promise<{ accepted: boolean; ms: number }> {
  const input = { body, headers: { [webhookSignature.header.toLowerCase()]: header } };
  const options = { secret: secrets, clock: { now: () => at } };
  const started = performance.now();
  const error: unknown = await verifyWebhook(input, options).then(
    () => undefined,
    (reason) => reason,
  );
  const ms = performance.now() - started;
  if (error !== undefined && !(error instanceof WebhookVerificationError)) throw error;
  return { accepted: error === undefined, ms };
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

/** Headers of 8 MB, each hostile to another way of parsing. */
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

/** Whether a header is still valid after the mutation. Accepting it is correct then. */
function isStillValid(header: string, genuine: ReadonlySet<string>, time: string): boolean {
  const parts = header.split(",").map((part) => part.trim());
  return parts.includes(time) && parts.some((part) => genuine.has(part));
}

export const webhookHeaders: Figure = {
  name: `${mutations.toLocaleString("en")} mutated webhook headers, and headers of 8 MB`,
  target: `none accepted, none slower than ${limitMs} ms`,
  async measure() {
    const random = createRandom(1, "figures").next;
    const header = await signWebhook(body, { secret: secrets, timestampMs: at });
    const [time = "", ...signed] = header.split(",");
    const genuine = new Set(signed);
    if (!(await verify(header)).accepted) throw new Error("The genuine header was refused.");

    let falseAccepts = 0;
    let tooSlow = 0;
    let interruptions = 0;
    let longestMs = 0;
    const tryHeader = async (mutated: string) => {
      const { accepted, ms } = await verify(mutated);
      if (accepted) falseAccepts += 1;
      longestMs = Math.max(longestMs, ms);
      // A slow header is slow every time. Garbage collection and other processes are not.
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
      if (isStillValid(mutated, genuine, time)) continue;
      await tryHeader(mutated);
      done += 1;
    }
    let slowestHuge = 0;
    for (const huge of hugeHeaders(header)) slowestHuge = Math.max(slowestHuge, await tryHeader(huge));
    return {
      figure: `${falseAccepts} accepted, ${tooSlow} over ${limitMs} ms, at 8 MB at most ${slowestHuge.toFixed(3)} ms (${interruptions} first readings of up to ${longestMs.toFixed(1)} ms were shorter when repeated)`,
      ok: falseAccepts === 0 && tooSlow === 0,
    };
  },
};
