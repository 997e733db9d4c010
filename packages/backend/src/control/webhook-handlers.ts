import { errorCodes } from "@call-transfer/spec";
import type { Delivery } from "../generated/models.gen.ts";
import type { TransferRecord } from "../model/records.ts";
import { inboxUrl } from "../platform/inbox.ts";
import { ringsUntil } from "../rules/transfers.ts";
import { limited, omitUndefined } from "../utils/values.ts";
import { type ControlHandlers, controlError, notFound, type SuccessBody } from "./exchange.ts";
import { redactedDelivery, redactedMessage } from "./redacted.ts";

export const webhookHandlers = {
  triggerWebhook: ({ backend, body }) => backend.deliveries.trigger(body),
  listDeliveries: ({ backend, query }) => ({
    deliveries: limited(answeredAfter(backend.deliveries.list(), query?.after), query ?? {}).map((delivery) =>
      redactedDelivery(query, delivery),
    ),
  }),
  getDelivery({ backend, params, query }) {
    const delivery = backend.deliveries.list().find(({ id }) => id === params.id);
    return delivery === undefined ? notFound(`delivery ${params.id}`) : redactedDelivery(query, delivery);
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
  setInbox({ backend, body }) {
    backend.inbox.response = omitUndefined(body);
  },
  clearInbox: ({ backend }) => backend.inbox.clear(),
  listTransfers: async ({ backend, query }) => {
    await backend.clock.runDue();
    return { transfers: limited(backend.transfers.list(), { limit: query?.limit }).map(formatTransfer) };
  },
  async startTransfer({ backend, body }) {
    const transfer = backend.transfers.start(body);
    // So that answers and refusals after 0 seconds are in the response.
    await backend.clock.runDue();
    return formatTransfer(backend.transfers.get(transfer.id) ?? transfer);
  },
  async getTransfer({ backend, params }) {
    await backend.clock.runDue();
    const transfer = backend.transfers.get(params.id);
    return transfer === undefined ? notFound(`transfer ${params.id}`) : formatTransfer(transfer);
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
      return controlError("conflict", "It does not ring. GET the transfer for the outcome of each ring.");
    return formatTransfer(backend.transfers.get(params.id) ?? transfer);
  },
} satisfies Partial<ControlHandlers>;

function answeredAfter(deliveries: readonly Delivery[], after: string | undefined): readonly Delivery[] {
  return after === undefined ? deliveries : deliveries.slice(deliveries.findIndex(({ id }) => id === after) + 1);
}

/** Formats a transfer: times as timestamps, and the answerer by its ids. */
export function formatTransfer(transfer: TransferRecord): SuccessBody<"getTransfer"> {
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
