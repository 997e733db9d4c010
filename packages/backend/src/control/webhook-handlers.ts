import { errorCodes } from "@call-transfer/spec";
import type { Delivery } from "../generated/models.gen.ts";
import type { TransferRecord } from "../model/records.ts";
import { inboxUrl } from "../platform/inbox.ts";
import { ringsUntil } from "../rules/transfers.ts";
import { canonicalId } from "../utils/ids.ts";
import { limited, omitUndefined } from "../utils/values.ts";
import { type ControlHandlers, controlError, notFound, type SuccessBody } from "./exchange.ts";
import { redactedDelivery, redactedMessage } from "./redacted.ts";

export const webhookHandlers = {
  triggerWebhook: ({ backend, body }) => backend.deliveries.trigger(body),
  listDeliveries({ backend: { deliveries }, query = {} }) {
    const found = withId(answeredAfter(deliveries.list(), query.after), query.id);
    const { forwardedTo } = deliveries;
    return {
      ...omitUndefined({ forwardedTo }),
      deliveries: limited(found, query).map((delivery) => redactedDelivery(query, delivery)),
    };
  },
  redeliverWebhook: ({ backend: { deliveries }, params }) =>
    deliveries.list().some(({ id }) => id === params.id)
      ? deliveries.redeliver(params.id)
      : notFound(`delivery ${params.id}`),
  getInbox: ({ backend: { inbox }, query }) => ({
    url: inboxUrl,
    response: { ...inbox.response },
    received: inbox.list().map((event) => (query?.redact ? { ...event, ...redactedMessage(event) } : event)),
  }),
  updateInbox({ backend: { inbox }, body: { response = inbox.response, received } }) {
    if (received !== undefined) inbox.clear();
    inbox.response = omitUndefined(response);
  },
  listTransfers: async ({ backend, query }) => {
    await backend.clock.runDue();
    const found = withId(backend.transfers.list(), query?.id);
    return { transfers: limited(found, { limit: query?.limit }).map(formatTransfer) };
  },
  async startTransfer({ backend, body }) {
    const transfer = backend.transfers.start(body);
    // So that answers and refusals after 0 seconds are in the response.
    await backend.clock.runDue();
    return formatTransfer(backend.transfers.get(transfer.id) ?? transfer);
  },
  async answerTransfer({ backend, params, body }) {
    const transfer = backend.transfers.get(params.id);
    if (transfer === undefined) return notFound(`transfer ${params.id}`);
    const code = await backend.transfers.answer(params.id, body);
    if (code !== undefined) return controlError(code, errorCodes[code].meaning);
    return formatTransfer(backend.transfers.get(params.id) ?? transfer);
  },
  async declineTransfer({ backend, params, body }) {
    await backend.clock.runDue();
    const transfer = backend.transfers.get(params.id);
    if (transfer === undefined) return notFound(`transfer ${params.id}`);
    if (!backend.transfers.decline(params.id, body))
      return controlError("conflict", "It does not ring any more. The transfer says how each ring ended.");
    return formatTransfer(backend.transfers.get(params.id) ?? transfer);
  },
} satisfies Partial<ControlHandlers>;

function withId<Item extends { readonly id: string }>(items: readonly Item[], id: string | undefined): readonly Item[] {
  return id === undefined ? items : items.filter((item) => item.id === canonicalId(id));
}

function answeredAfter(deliveries: readonly Delivery[], after: string | undefined): readonly Delivery[] {
  return after === undefined ? deliveries : deliveries.slice(deliveries.findIndex(({ id }) => id === after) + 1);
}

/** Formats a transfer: times as timestamps, and the answerer by its ids. */
export function formatTransfer(transfer: TransferRecord): SuccessBody<"startTransfer"> {
  const { startedAt, answeredAt, answeredRingIndex, endedAt, callEndsAt: _, answers: __, rings, ...rest } = transfer;
  const winner = rings[answeredRingIndex ?? -1];
  return {
    ...rest,
    startedAt: iso(startedAt),
    ...(winner !== undefined && {
      answeredBy: {
        destinationId: winner.destinationId,
        ...(winner.memberId !== undefined && { memberId: winner.memberId }),
      },
    }),
    ...(answeredAt !== undefined && { answeredAt: iso(answeredAt) }),
    ...(endedAt !== undefined && { endedAt: iso(endedAt) }),
    rings: rings.map(({ lateAnswers, ...ring }) => ({
      ...ring,
      startedAt: iso(ring.startedAt),
      endsAt: iso(ringsUntil(transfer, ring)),
      lateAnswers: lateAnswers.map(({ at, code }) => ({ at: iso(at), code })),
    })),
  };
}

function iso(at: number): string {
  return new Date(at).toISOString();
}
