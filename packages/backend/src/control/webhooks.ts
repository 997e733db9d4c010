import { defined } from "../defined.ts";
import { inboxUrl } from "../inbox.ts";
import type { ControlHandlers } from "./control.ts";

export const webhookHandlers = {
  triggerWebhook: ({ backend, body }) => backend.deliveries.trigger(body),
  listDeliveries: ({ backend }) => ({ deliveries: backend.deliveries.list() }),
  redeliverWebhook: ({ backend, params }) => backend.deliveries.redeliver(params.id),
  getInbox: ({ backend: { inbox } }) => ({ url: inboxUrl, answer: { ...inbox.answer }, received: inbox.list() }),
  setInbox({ backend, body }) {
    backend.inbox.answer = defined(body);
  },
  clearInbox: ({ backend }) => backend.inbox.clear(),
} satisfies Partial<ControlHandlers>;
