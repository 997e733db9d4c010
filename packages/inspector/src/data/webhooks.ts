import { limits, webhookSignature } from "@call-transfer/spec";
import type { Control, Delivery } from "./control.ts";
import { duration } from "./format.ts";
import { type Live, useLive } from "./live.ts";

/** A destination that receives webhooks. */
export interface Endpoint {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly kind: string;
  readonly enabled: boolean;
  readonly config: { readonly url?: string };
  readonly signingSecret?: string;
  readonly previousSecret?: string;
  readonly previousSecretExpiresAt?: string;
}

/** A piece of a signature header. */
export interface HeaderPart {
  readonly name: string;
  readonly value: string;
  /** Of a signature: the secret that made it. */
  readonly secret?: "current" | "previous" | "other";
}

const overlapMs = limits.previousSecretOverlapHours * 3_600_000;
const toleranceMs = webhookSignature.toleranceSecs * 1000;

/** The outcome of a delivery in a few words. */
export function outcomeOf({ accepted, status, error }: Delivery): { tone: "ok" | "bad"; text: string } {
  if (accepted) return { tone: "ok", text: `Accepted ${status ?? ""}`.trim() };
  if (status !== undefined) return { tone: "bad", text: `Refused ${status}` };
  return { tone: "bad", text: error?.startsWith("The sandbox was") ? "Not sent" : "No answer" };
}

/** Advice on a delivery that was not accepted; undefined for an accepted one. `realTime` is in milliseconds. */
export function adviceOn(
  { accepted, status, error, at, fault, headers }: Delivery,
  realTime: number,
): string | undefined {
  if (accepted) return undefined;
  if (status === undefined) {
    return error?.includes("ECONNREFUSED")
      ? "Start the app's server, or use the built-in inbox on its card."
      : "Check the address of the endpoint, and the app's log.";
  }
  if (fault !== undefined)
    return "A fault changed how the offer was sent. An app that checks signatures refuses most of these.";
  if (status === 404) return "Check the path of the endpoint's address.";
  if (status >= 300 && status < 400) return "Redirects are not followed. Use the final address.";
  if (status === 409 || status >= 500)
    return "The app declined the offer, or failed. Its response, or its log, says why.";
  const ahead = Date.parse(at) - realTime;
  if (headerOf(headers) !== undefined && Math.abs(ahead) > toleranceMs) {
    return (
      `The sandbox's clock is ${duration(ahead)} ${ahead > 0 ? "ahead of" : "behind"} the real time, and an app accepts ` +
      `${duration(toleranceMs)}. Set the clock to the present, or pass the sandbox's time to the app's verification.`
    );
  }
  return "If the app could not verify the signature, compare its secret with the one on the card.";
}

/** The value of the signature header; undefined if the delivery had none. */
export function headerOf(headers: Readonly<Record<string, string>>): string | undefined {
  const wanted = webhookSignature.header.toLowerCase();
  return Object.entries(headers).find(([name]) => name.toLowerCase() === wanted)?.[1];
}

/** The signature header in its parts, in their order, each signature with the secret that made it. */
export function headerParts({ headers, signature }: Pick<Delivery, "headers" | "signature">): readonly HeaderPart[] {
  let next = 0;
  return (headerOf(headers) ?? "").split(",").map((part) => {
    const [name = "", value = ""] = part.split("=");
    if (name !== webhookSignature.scheme) return { name, value };
    const secret = signature?.v1[next]?.secret ?? "other";
    next += 1;
    return { name, value, secret };
  });
}

/** The age of a signature against the tolerance, at a time in milliseconds. */
export function ageOf(
  t: number,
  at: number,
): { readonly ms: number; readonly isValid: boolean; readonly text: string } {
  const ms = at - t * 1000;
  const isValid = Math.abs(ms) <= toleranceMs;
  const limit = duration(toleranceMs);
  if (!isValid) {
    const age = ms > 0 ? `${duration(ms)} old` : `${duration(ms)} in the future`;
    return { ms, isValid, text: `${age}, more than ${limit}: an app must refuse it now` };
  }
  const age = Math.abs(ms) < 1000 ? "new" : ms > 0 ? `${duration(ms)} old` : `${duration(ms)} in the future`;
  return { ms, isValid, text: `${age}. An app may accept it for ${duration(toleranceMs - ms)} more` };
}

/** Which of the deliveries of one event a delivery is. */
export interface Attempt {
  readonly number: number;
  readonly of: number;
}

/** Which attempt of how many a delivery is, by the id of the delivery: each sends the same event. */
export function attemptsOf(deliveries: readonly Pick<Delivery, "id" | "redeliveryOf">[]): ReadonlyMap<string, Attempt> {
  const firsts = new Map<string, string>();
  const groups = new Map<string, string[]>();
  for (const { id, redeliveryOf } of deliveries) {
    const first = redeliveryOf === undefined ? id : (firsts.get(redeliveryOf) ?? redeliveryOf);
    firsts.set(id, first);
    groups.set(first, [...(groups.get(first) ?? []), id]);
  }
  return new Map(
    [...groups.values()].flatMap((ids) => ids.map((id, index) => [id, { number: index + 1, of: ids.length }] as const)),
  );
}

/** The time in which both secrets of a destination sign; undefined before the first rotation. */
export function overlapOf({ previousSecretExpiresAt }: Pick<Endpoint, "previousSecretExpiresAt">) {
  if (previousSecretExpiresAt === undefined) return undefined;
  const to = Date.parse(previousSecretExpiresAt);
  return { from: to - overlapMs, to };
}

/** Reads the endpoints, and again when one of them changes. */
export function useEndpoints(): Live<readonly Endpoint[]> {
  return useLive(
    async (control) => {
      const records = (await control.records("destinations")) as readonly unknown[] as readonly Endpoint[];
      return records.filter(({ kind }) => kind === "app");
    },
    ({ type, changeCount }) =>
      /^(?:record\.changed|secret\.expired)$/.test(type) || (type === "request.completed" && changeCount !== undefined),
  );
}

/** Sets the address of an endpoint to the built-in inbox, or adds an endpoint if there is none. Returns its id. */
export async function connectInbox(control: Control, endpoint: Endpoint | undefined, newId: () => string) {
  const url = await control.inboxUrl();
  if (endpoint !== undefined) {
    await control.updateRecord("destinations", endpoint.id, { config: { ...endpoint.config, url } });
    return endpoint.id;
  }
  const [account] = await control.records("accounts");
  if (account === undefined) throw new Error("The sandbox has no account. Add one on the screen Records.");
  const added = {
    id: newId(),
    accountId: account.id,
    name: "Built-in inbox",
    kind: "app",
    enabled: true,
    config: { url },
  };
  return String((await control.createRecord("destinations", added)).id);
}
