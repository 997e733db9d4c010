import type { Delivery } from "../../generated/models.gen.ts";
import { inboxUrl } from "../../platform/inbox.ts";
import { limited, omitUndefined } from "../../utils/values.ts";
import type { ControlHandlers } from "../parts/exchange.ts";
import { redactedDelivery, redactedMessage } from "../parts/redacted.ts";
import { controlError } from "../parts/reply.ts";

export const webhookHandlers = {
  triggerWebhook: ({ backend, body }) => backend.deliveries.trigger(body),
  listDeliveries: ({ backend, query }) => ({
    deliveries: limited(answeredAfter(backend.deliveries.list(), query?.after), query ?? {}).map((delivery) =>
      redactedDelivery(query, delivery),
    ),
  }),
  getDelivery({ backend, params, query }) {
    const delivery = backend.deliveries.list().find(({ id }) => id === params.id);
    return delivery === undefined ? notFound(params.id) : redactedDelivery(query, delivery);
  },
  redeliverWebhook: ({ backend: { deliveries }, params }) =>
    deliveries.list().some(({ id }) => id === params.id) ? deliveries.redeliver(params.id) : notFound(params.id),
  getInbox: ({ backend: { inbox }, query }) => ({
    url: inboxUrl,
    answer: { ...inbox.answer },
    received: inbox.list().map((event) => (query?.redact ? { ...event, ...redactedMessage(event) } : event)),
  }),
  setInbox({ backend, body }) {
    backend.inbox.answer = omitUndefined(body);
  },
  clearInbox: ({ backend }) => backend.inbox.clear(),
} satisfies Partial<ControlHandlers>;

function answeredAfter(deliveries: readonly Delivery[], after: string | undefined): readonly Delivery[] {
  return after === undefined ? deliveries : deliveries.slice(deliveries.findIndex(({ id }) => id === after) + 1);
}

function notFound(id: string): Response {
  return controlError("not_found", `There is no delivery ${id}.`, "id");
}
