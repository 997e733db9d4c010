import { omitUndefined } from "../model/omit-undefined.ts";
import { inboxUrl } from "../platform/inbox.ts";
import type { ControlHandlers } from "./exchange.ts";
import { controlError } from "./reply.ts";

export const webhookHandlers = {
  triggerWebhook: ({ backend, body }) => backend.deliveries.trigger(body),
  listDeliveries: ({ backend }) => ({ deliveries: backend.deliveries.list() }),
  redeliverWebhook: ({ backend: { deliveries }, params }) =>
    deliveries.list().some(({ id }) => id === params.id)
      ? deliveries.redeliver(params.id)
      : controlError("not_found", `There is no delivery ${params.id}.`, "id"),
  getInbox: ({ backend: { inbox } }) => ({ url: inboxUrl, answer: { ...inbox.answer }, received: inbox.list() }),
  setInbox({ backend, body }) {
    backend.inbox.answer = omitUndefined(body);
  },
  clearInbox: ({ backend }) => backend.inbox.clear(),
} satisfies Partial<ControlHandlers>;
