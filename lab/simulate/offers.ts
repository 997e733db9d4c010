// What the invariants of receivers read in the records of an offer.
import type { OfferRecord, RequestRecord } from "./receiving-plan.ts";
import type { Step } from "./stores.ts";

/** Room for the rounding of times. */
export const slackMs = 5;

/** When a request was answered. */
export const endOf = ({ settledAt = Number.POSITIVE_INFINITY }: RequestRecord): number => settledAt;
/** Names an offer at a time, for messages. */
export const nameOf = ({ name }: OfferRecord, at: number): string => `${name} at ${new Date(at).toISOString()}`;

/** Whether the answer of a request is the app's, and no failure. */
export const isDecision = ({ status, text = "" }: { status?: number | undefined; text?: string }): boolean =>
  status !== undefined && status < 500 && (status === 204 || text.startsWith("decision"));

/** What the store found for a claim. */
export const stateOf = (step: Step | undefined): string | undefined =>
  (step?.found as { state?: string } | undefined)?.state;

/** The steps in which a request claimed its event. */
export const claims = ({ steps }: RequestRecord): Step[] => steps.filter(({ name }) => name === "claim");
