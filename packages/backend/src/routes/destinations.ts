import { limits, type TransferDestination } from "@call-transfer/spec";
import type { Handlers } from "../http/checks/exchange.ts";
import type { DestinationRecord } from "../model/records.ts";
import { previousSecretEnd } from "../model/state.ts";
import { newSigningSecret, secretsAt } from "../rules/secrets.ts";
import { problem } from "../utils/problem.ts";

const overlapMs = limits.previousSecretOverlapHours * 3_600_000;

export const destinationHandlers = {
  /** Replaces an app destination's secret; the previous one signs for another day. A policy decides about an older one (§4.1, A-34). */
  rotateDestinationSecret({ state, clock, random, policies, expiries, account, params }) {
    const destination = state.destinations.get(params.id);
    if (destination?.accountId !== account.id) return problem("resource_not_found");
    if (destination.kind !== "app")
      return problem("bad_request", { detail: "Only a destination of kind app has a signing secret." });
    const [, previous] = secretsAt(destination, clock.now());
    if (policies.rotationDuringOverlap === "refuse" && previous !== undefined)
      return problem("conflict", { detail: overlapDetail(destination) });
    const rotated = {
      ...destination,
      previousSecret: destination.signingSecret,
      previousSecretExpiresAt: clock.now() + overlapMs,
      signingSecret: newSigningSecret(random),
      updatedAt: clock.iso(),
    };
    state.destinations.set(rotated.id, rotated);
    expiries.add(previousSecretEnd(rotated));
    return { status: 200, body: { ...shownDestination(rotated), signingSecret: rotated.signingSecret } };
  },
} satisfies Handlers;

function overlapDetail({ previousSecretExpiresAt = 0 }: DestinationRecord): string {
  const until = new Date(previousSecretExpiresAt).toISOString();
  return `The previous secret signs until ${until}, and another rotation would end it. Rotate again after that.`;
}

/** A destination in an answer, without its secret (§2.1). */
export function shownDestination(destination: DestinationRecord): TransferDestination {
  const { id, name, kind, enabled, config, createdAt, updatedAt, signingSecret, previousSecretExpiresAt } = destination;
  return {
    id,
    name,
    kind,
    enabled,
    config,
    createdAt,
    updatedAt,
    ...(signingSecret !== undefined && { signingSecretHint: signingSecret.slice(-limits.signingSecretHintLength) }),
    ...(previousSecretExpiresAt !== undefined && {
      previousSecretExpiresAt: new Date(previousSecretExpiresAt).toISOString(),
    }),
  };
}
