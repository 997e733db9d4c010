import { type ControlClient, dataAs, dataOf, formatDuration, type Schema } from "@call-transfer/backend/control-client";
import { defineCommand } from "../options/command.ts";
import { deliveryAdvice } from "../terminal/delivery-advice.ts";
import { relativeTime, shortIds } from "../terminal/show.ts";
import { formatFields, formatTable } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { readDuration, readNumber, UsageError } from "../values/command-line.ts";
import { findNamed, readApps, readNames } from "../values/find-record.ts";
import { expectAtMost, required, unknownWord } from "../values/operands.ts";
import { readNow } from "../values/server-time.ts";

type Delivery = Schema<"Delivery">;

export const trigger = defineCommand({
  name: "trigger",
  summary: "send a signed offer to an app destination",
  isFrequent: true,
  usages: {
    "trigger transfer.offer":
      "send a signed offer to an app destination and print the delivery. Fails if the app's server does not accept it",
  },
  example: "trigger transfer.offer",
  options: {
    destination: { type: "string", value: "ID", help: "app destination, by id or name (default: the first one)" },
  },
  async run({ control, operands: [event, ...others], values: { destination }, terminal, hint }) {
    const name = required(event, "event name", "trigger transfer.offer");
    if (name !== "transfer.offer") throw unknownWord("event", name, ["transfer.offer"]);
    expectAtMost(0, others);
    const destinationId =
      destination === undefined ? await firstApp(control) : findNamed(destination, await readApps(control), "app").id;
    const data = dataAs<"Delivery">(await control.POST("/_control/v1/webhooks/trigger", { body: { destinationId } }));
    return { data, text: formatDelivery(data, terminal), failure: deliveryAdvice(data, Date.now(), hint) };
  },
});

export const deliveries = defineCommand({
  name: "deliveries",
  isList: true,
  summary: "list the webhook deliveries, or show one",
  usages: {
    deliveries: "list the latest deliveries, newest last",
    "deliveries ID|last": "show a delivery: headers, signature, body and the answer",
  },
  example: "deliveries last",
  options: { limit: { type: "string", value: "N", fallback: "20", help: "how many to list at most" } },
  async run({ control, operands, values: { limit = "20" }, terminal, hint }) {
    const [id] = expectAtMost(1, operands);
    const most = readNumber("--limit", limit, 1000, 1);
    const all = await readDeliveries(control);
    if (id !== undefined) {
      const data = findNamed(id, all, "delivery");
      return { data, text: formatDelivery(data, terminal) };
    }
    const shown = all.slice(-most);
    const [now, destinations] = await Promise.all([readNow(control), readNames(control, "destinations")]);
    const nameOf = new Map(destinations.map((one) => [one.id, one.name]));
    const short = shortIds(all, terminal);
    const text = formatTable(shown, terminal, [
      { title: "id", cell: (one) => short(one.id) },
      { title: "when", cell: ({ at }) => relativeTime(at, now) },
      { title: "destination", cell: ({ destinationId }) => nameOf.get(destinationId) ?? destinationId, flexible: true },
      {
        title: "answer",
        cell: ({ status, error }) => status ?? `none: ${error}`,
        colour: ({ accepted }) => (accepted ? "green" : "red"),
        flexible: true,
      },
      { title: "url", cell: ({ url }) => url, flexible: true },
      { title: "fault", cell: ({ fault }) => fault },
      { title: "again", cell: ({ redeliveryOf }) => redeliveryOf && short(redeliveryOf) },
    ]);
    return {
      data: shown,
      text: shown.length === 0 ? `No deliveries yet. Send one: ${hint("trigger transfer.offer")}` : text,
    };
  },
});

export const redeliver = defineCommand({
  name: "redeliver",
  summary: "send the event of a delivery again, with a new signature",
  usages: {
    "redeliver ID|last":
      "send the same event again, with a new signature, and print the delivery. Fails if the app's server does not accept it",
  },
  example: "redeliver last",
  options: {},
  async run({ control, operands, terminal, hint }) {
    const text = required(expectAtMost(1, operands)[0], "delivery", "redeliver last");
    const { id } = findNamed(text, await readDeliveries(control), "delivery");
    const data = dataAs<"Delivery">(
      await control.POST("/_control/v1/webhooks/deliveries/{id}/redeliver", { params: { path: { id } } }),
    );
    return { data, text: formatDelivery(data, terminal), failure: deliveryAdvice(data, Date.now(), hint) };
  },
});

export const inbox = defineCommand({
  name: "inbox",
  summary: "show what the built-in webhook receiver got, or set its answer",
  usages: {
    inbox: "print the receiver's URL, its answer, and the events that it got",
    "inbox answer STATUS": "answer all further events with this status",
    "inbox clear": "remove the events, and answer 204 again",
  },
  example: "inbox answer 503 --delay 2s",
  options: { delay: { type: "string", value: "TIME", help: "with answer: wait this long on the sandbox's clock" } },
  async run({ control, operands: [action, ...rest], values: { delay }, terminal }) {
    if (delay !== undefined && action !== "answer") throw new UsageError("--delay only works with inbox answer.");
    if (action === "clear") {
      expectAtMost(0, rest);
      dataOf(await control.DELETE("/_control/v1/webhooks/inbox"));
      return { data: {}, text: "The inbox is empty. It answers 204." };
    }
    if (action === "answer") {
      const status = readNumber(
        "inbox answer",
        required(expectAtMost(1, rest)[0], "status", "inbox answer 503"),
        599,
        200,
      );
      const delaySecs = delay === undefined ? undefined : readDuration("--delay", delay) / 1000;
      const body = { status, ...(delaySecs !== undefined && { delaySecs }) };
      dataOf(await control.PUT("/_control/v1/webhooks/inbox", { body }));
      return { data: body, text: `The inbox answers ${formatAnswer(body)}.` };
    }
    if (action !== undefined) throw unknownWord("inbox action", action, ["answer", "clear"]);
    const [data, now] = await Promise.all([
      control.GET("/_control/v1/webhooks/inbox").then((result) => dataAs<"Inbox">(result)),
      readNow(control),
    ]);
    const head = formatFields({ url: data.url, answer: formatAnswer(data.answer) });
    const events = formatTable(data.received, terminal, [
      { title: "when", cell: ({ at }) => relativeTime(at, now) },
      { title: "body", cell: ({ body }) => body, flexible: true },
    ]);
    return { data, text: `${head}\n\n${data.received.length === 0 ? "No events yet." : events}` };
  },
});

function formatAnswer({ status = 204, delaySecs = 0 }: Schema<"InboxAnswer">): string {
  return delaySecs === 0 ? String(status) : `${status} after ${formatDuration(delaySecs * 1000)}`;
}

async function readDeliveries(control: ControlClient): Promise<readonly Delivery[]> {
  return dataAs<"DeliveryList">(await control.GET("/_control/v1/webhooks/deliveries")).deliveries;
}

async function firstApp(control: ControlClient): Promise<string> {
  const [app] = await readApps(control);
  if (app === undefined)
    throw new Error("The sandbox has no app destination to send the offer to. Add one to the seed.");
  return app.id;
}

function formatDelivery(delivery: Delivery, terminal: Terminal): string {
  const { id, at, url, status, error, headers, body, redeliveryOf, fault } = delivery;
  const facts = formatFields(
    {
      id,
      at,
      url,
      answer:
        status === undefined ? `none: ${error}` : `${status}${delivery.accepted ? ", accepted" : ", not accepted"}`,
      fault,
      "again for": redeliveryOf,
    },
    terminal.width,
  );
  const sent = formatFields(headers);
  return `${facts}\n\n${sent}\n\n${formatBody(body, terminal)}`;
}

/** A body as it was sent, or indented in a terminal if it is JSON. */
function formatBody(body: string, { width }: Terminal): string {
  if (width === undefined) return body;
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
