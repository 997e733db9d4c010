import { type ControlClient, dataAs, type Schema } from "@call-transfer/backend/control-client";
import { deliveryAdvice } from "./advice.ts";
import { action, type Command, type Context } from "./command.ts";
import { findNamed, readApps, readNames, readNow } from "./find-record.ts";
import type { Terminal } from "./output.ts";
import { changesOf, readFields } from "./records.ts";
import { formatFields, formatTable, relativeTime, shortIds } from "./tables.ts";
import { integer, UsageError } from "./values.ts";

type Delivery = Schema<"Delivery">;
type DeliveryResponse = Schema<"DeliveryResponse">;

export const webhooks: Command = {
  name: "webhooks",
  summary: "send a signed offer, list the deliveries, or show one",
  example: "webhooks trigger",
  actions: [
    action(
      "[DELIVERY]",
      {
        help: "list the latest deliveries, newest last. With an id, or last, show that delivery: the response of the app's server, and the request",
        options: { limit: { value: "N", read: integer(1, 1000), fallback: "20", help: "how many to list at most" } },
      },
      async ({ control, operands: [id], values: { limit }, terminal, hint }) => {
        const all = await readDeliveries(control);
        if (id !== undefined) {
          const data = findNamed(id, all, "delivery");
          return { data, text: formatDelivery(data, terminal) };
        }
        const data = all.slice(-limit);
        if (data.length === 0) return { data, text: `No deliveries yet. Send one: ${hint("webhooks trigger")}` };
        return { data, text: await formatList(control, data, shortIds(all, terminal), terminal) };
      },
    ),
    action(
      "trigger",
      {
        help: "send a signed offer to an app destination and print the delivery. Fails if the app's server does not accept it",
        options: {
          destination: { value: "ID", help: "app destination, by id or name (default: the first one)" },
          field: {
            ...{ value: "FIELD=VALUE", repeats: true },
            help: "add a field to the event, such as callId=c1, or replace its createdAt. A value is JSON, or else text",
          },
        },
      },
      async (context) => {
        const { control, values } = context;
        const fields = changesOf({}, readFields(values.field ?? []));
        if (Object.hasOwn(fields, "destinationId"))
          throw new UsageError("--field destinationId: cannot be replaced. Choose the app with --destination.");
        const body = { ...fields, destinationId: (await findApp(control, values.destination)).id };
        return sent(context, await control.POST("/_control/v1/webhooks/trigger", { body }));
      },
    ),
    action(
      "redeliver DELIVERY",
      {
        help: "send the event of a delivery, or of the last, again with a new signature. Fails if the app's server does not accept it",
        example: "redeliver last",
      },
      async (context) => {
        const { control, operands } = context;
        const { id } = findNamed(operands[0] ?? "", await readDeliveries(control), "delivery");
        const params = { path: { id } };
        return sent(context, await control.POST("/_control/v1/webhooks/deliveries/{id}/redeliver", { params }));
      },
    ),
  ],
};

/** Finds an app destination; the first one without a name. */
export async function findApp(control: ControlClient, name: string | undefined) {
  const apps = await readApps(control);
  const [first] = apps;
  if (first === undefined) throw new Error("The sandbox has no app destination. Add one to the seed.");
  return name === undefined ? first : findNamed(name, apps, "app");
}

/** What a delivery that was just sent shows, and what to do if it was not accepted. */
function sent({ terminal, hint }: Context, answer: Parameters<typeof dataAs>[0]) {
  const data = dataAs<"Delivery">(answer);
  return { data, text: formatDelivery(data, terminal), failure: deliveryAdvice(data, Date.now(), hint) };
}

async function readDeliveries(control: ControlClient): Promise<readonly Delivery[]> {
  return dataAs<"DeliveryList">(await control.GET("/_control/v1/webhooks/deliveries")).deliveries;
}

async function formatList(
  control: ControlClient,
  deliveries: readonly Delivery[],
  short: (id: string) => string,
  terminal: Terminal,
): Promise<string> {
  const [now, destinations] = await Promise.all([readNow(control), readNames(control, "destinations")]);
  const nameOf = new Map(destinations.map(({ id, name }) => [id, name]));
  return formatTable(deliveries, terminal, [
    { title: "id", cell: ({ id }) => short(id) },
    { title: "when", cell: ({ at }) => relativeTime(at, now) },
    { title: "destination", cell: ({ destinationId: id }) => nameOf.get(id) ?? id, flexible: true },
    {
      title: "response",
      cell: ({ status, error, accepted, response }) =>
        status === undefined ? `none: ${error}` : accepted ? status : `${status} ${firstLine(response)}`,
      colour: ({ accepted }) => (accepted ? "green" : "red"),
      flexible: true,
    },
    { title: "url", cell: ({ url }) => url, flexible: true },
    { title: "fault", cell: ({ fault }) => fault },
    { title: "again", cell: ({ redeliveryOf }) => redeliveryOf && short(redeliveryOf) },
  ]);
}

/** The first line of a response. */
function firstLine({ body = "" }: Partial<DeliveryResponse> = {}): string {
  return body.trim().split(/[\r\n]/, 1)[0] ?? "";
}

function formatDelivery(delivery: Delivery, { width }: Terminal): string {
  const { id, at, url, status, error, headers, body, redeliveryOf, fault, accepted, response } = delivery;
  const outcome = status === undefined ? `none: ${error}` : `${status}${accepted ? ", accepted" : ", not accepted"}`;
  const facts = formatFields({ id, at, url, response: outcome, fault, "again for": redeliveryOf }, width);
  const part = (title: string, text: string | undefined): string[] => (text ? [`${title}:\n${text}`] : []);
  return [
    facts,
    ...part("Response headers", response && formatFields(response.headers, width)),
    ...part("Response body", response && bodyOf(response)),
    ...part("Request headers", formatFields(headers)),
    ...part("Request body", body),
  ].join("\n\n");
}

/** The body of a response, or what it is if it is not text. */
function bodyOf({ body, contentType, bodyBytes, truncated }: DeliveryResponse): string {
  if (body === undefined) return bodyBytes === 0 ? "" : `${contentType ?? "not text"}, ${bodyBytes} bytes`;
  return truncated ? `${body}\n… only the first ${bodyBytes} bytes were read` : body;
}
