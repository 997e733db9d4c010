import { type ControlClient, dataAs, formatDuration, type Schema } from "@call-transfer/backend/control-client";
import type { NameOf } from "../log/text.ts";
import { action, type Command, type Context } from "./command.ts";
import { findNamed, type Named, readNameOf, readNames, readNow } from "./find-record.ts";
import type { OptionTable } from "./options.ts";
import type { Terminal } from "./output.ts";
import { formatFields, formatTable, relativeTime, shortIds } from "./tables.ts";
import { durationOf, UsageError } from "./values.ts";

type Transfer = Schema<"Transfer">;

const answerer = {
  as: { value: "WHO", help: "the destination or member that does it, by id or name (default: the first that rings)" },
} as const satisfies OptionTable;

const responding = (verb: "answer" | "decline") =>
  action(
    `${verb} TRANSFER`,
    { help: `${verb} a ringing transfer, or last`, options: answerer, example: `${verb} last` },
    async (context) => {
      const { control, terminal, values } = context;
      const answer = await answerBy(context, values.as);
      const path = `/_control/v1/transfers/{id}/${verb}` as const;
      return shown(control, await control.POST(path, answer), terminal);
    },
  );

/** Rings destinations and groups, as the platform does when a caller is transferred. */
export const transfer: Command = {
  name: "transfer",
  summary: "ring a destination or a group, answer, and see who rang",
  example: 'transfer "Night shift" --script "Reception answers after 5s"',
  actions: [
    action(
      "TARGET",
      {
        help: "start a transfer to a destination or a group, by id or name, and print who rings. Phones and people answer as --script says",
        example: '"Night shift"',
        options: {
          script: {
            ...{ value: "TEXT", repeats: true },
            help: 'who answers or declines, and when: "Reception declines after 3s, Mia answers after 8s". Those not named do not answer',
          },
          call: { value: "CALL", help: "a call in progress; the transfer ends with it" },
        },
      },
      async ({ control, operands: [target = ""], values: { script, call }, terminal }) => {
        const [callees, groups] = await Promise.all([readCallees(control), readNames(control, "groups")]);
        const targets = [...callees.filter(({ key }) => key === "destinationId"), ...withKey(groups, "groupId")];
        const found = findNamed(target, targets, "destination or group");
        const callId = call && findNamed(call, await readNames(control, "calls"), "call").id;
        const lines = script === undefined ? undefined : readScript(script);
        const body = {
          [found.key]: found.id,
          ...(callId !== undefined && { callId }),
          ...(lines && { script: lines.map(({ who, ...times }) => ({ ...named(who, callees), ...times })) }),
        };
        return shown(control, await control.POST("/_control/v1/transfers", { body }), terminal);
      },
    ),
    action("list", { help: "list the transfers, newest last" }, async ({ control, terminal, hint }) => {
      const data = await readTransfers(control);
      const none = `No transfers yet. Start one: ${hint("transfer TARGET")}`;
      return { data, text: data.length === 0 ? none : await formatList(control, data, terminal) };
    }),
    action(
      "show TRANSFER",
      { help: "show a transfer, or last, and how each ring ended", example: "show last" },
      async (context) => {
        return shown(context.control, { data: await findTransfer(context) }, context.terminal);
      },
    ),
    responding("answer"),
    responding("decline"),
  ],
};

/** What someone does during a transfer, and when: exactly one of the two times is set. */
interface ScriptLine {
  /** A destination or member, as it was typed. */
  readonly who: string;
  readonly answerAfterSecs?: number;
  readonly declineAfterSecs?: number;
}

const lineForm = /^(.+?)\s+(answers?|declines?)(?:\s+(?:after\s+)?(\S+))?$/i;

/**
 * Parses scripts of a transfer: `Reception declines after 3s, Mia answers 8s`. `after` may be left out, and without a time
 * it happens at once. Throws UsageError that shows the form.
 */
export function readScript(scripts: readonly string[]): readonly ScriptLine[] {
  return scripts
    .flatMap((script) => script.split(","))
    .map((line) => {
      const [, who, verb, time = "0s"] = lineForm.exec(line.trim()) ?? [];
      const ms = durationOf(time);
      if (who === undefined || verb === undefined || ms === undefined)
        throw new UsageError(
          `--script "${line.trim()}": must be WHO answers after TIME, or WHO declines after TIME, such as "Reception answers after 3s".`,
        );
      const secs = ms / 1000;
      return { who, ...(/^answer/i.test(verb) ? { answerAfterSecs: secs } : { declineAfterSecs: secs }) };
    });
}

function withKey<Key extends string>(items: readonly Named[], key: Key) {
  return items.map((item) => ({ ...item, key }));
}

/** Who can answer: destinations and members. */
async function readCallees(control: ControlClient) {
  const [destinations, members] = await Promise.all([
    readNames(control, "destinations"),
    readNames(control, "members"),
  ]);
  return [...withKey(destinations, "destinationId"), ...withKey(members, "memberId")];
}

function named(who: string, callees: Awaited<ReturnType<typeof readCallees>>): Schema<"TransferAnswer"> {
  const { key, id } = findNamed(who, callees, "destination or member");
  return { [key]: id };
}

async function findTransfer({ control, operands: [text = ""] }: Pick<Context, "control" | "operands">) {
  return findNamed(text, await readTransfers(control), "transfer");
}

/** Who answers: the one that `--as` names, or else the first that rings. An app answers by its HTTP response. */
async function answerBy(context: Pick<Context, "control" | "operands">, who: string | undefined) {
  const { id, status, rings } = await findTransfer(context);
  const params = { path: { id } };
  if (who !== undefined) return { params, body: named(who, await readCallees(context.control)) };
  const ring = rings.find(({ outcome, kind }) => outcome === "ringing" && kind !== "app");
  if (ring === undefined)
    throw new Error(`No phone or person of transfer ${id} is ringing; its status is ${status}. Name one with --as.`);
  const { destinationId, memberId } = ring;
  return { params, body: memberId === undefined ? { destinationId } : { memberId } };
}

async function readTransfers(control: ControlClient): Promise<readonly Transfer[]> {
  return dataAs<"TransferList">(await control.GET("/_control/v1/transfers")).transfers;
}

async function formatList(control: ControlClient, transfers: readonly Transfer[], terminal: Terminal): Promise<string> {
  const [nameOf, now] = await Promise.all([readNameOf(control), readNow(control)]);
  const short = shortIds(transfers, terminal);
  return formatTable(transfers, terminal, [
    { title: "id", cell: ({ id }) => short(id) },
    { title: "started", cell: ({ startedAt }) => relativeTime(startedAt, now) },
    { title: "to", cell: (one) => targetName(one, nameOf), flexible: true },
    { title: "status", cell: ({ status }) => status, colour: ({ status }) => colours[status] },
    { title: "answered by", cell: ({ answeredBy }) => answeredBy && calleeName(answeredBy, nameOf), flexible: true },
    { title: "rings", cell: ({ rings }) => rings.length },
  ]);
}

const colours: Readonly<Partial<Record<string, "green" | "yellow" | "red">>> = {
  ...{ ringing: "yellow", connected: "green", answered: "green" },
  ...{ unanswered: "red", missed: "red", declined: "red" },
};

/** The transfer of an answer of the control plane, as the command shows it. */
async function shown(control: ControlClient, answer: Parameters<typeof dataAs>[0], terminal: Terminal) {
  const data = dataAs<"Transfer">(answer);
  const nameOf = await readNameOf(control);
  const start = Date.parse(data.startedAt);
  const sinceStart = (time: string): string => formatDuration(Date.parse(time) - start);
  const facts = formatFields({
    id: data.id,
    to: targetName(data, nameOf),
    status: data.status,
    started: data.startedAt,
    call: data.callId,
    "answered by": data.answeredBy && calleeName(data.answeredBy, nameOf),
    "answered after": data.answeredAt && sinceStart(data.answeredAt),
    "ended after": data.endedAt && sinceStart(data.endedAt),
  });
  const rings = formatTable(data.rings, terminal, [
    { title: "who", cell: (ring) => calleeName(ring, nameOf), flexible: true },
    { title: "kind", cell: ({ kind }) => kind },
    { title: "from", cell: ({ startedAt }) => sinceStart(startedAt) },
    { title: "until", cell: ({ endsAt }) => sinceStart(endsAt) },
    { title: "outcome", cell: ({ outcome }) => outcome, colour: ({ outcome }) => colours[outcome] },
    { title: "reason", cell: ({ reason }) => reason, flexible: true },
    { title: "late", cell: ({ lateAnswers = [] }) => lateAnswers.map(({ code }) => code).join(", "), flexible: true },
    { title: "delivery", cell: ({ deliveryId }) => deliveryId },
  ]);
  return { data, text: `${facts}\n\n${rings}` };
}

function targetName({ destinationId, groupId }: Transfer, nameOf: NameOf): string {
  const id = groupId ?? destinationId ?? "";
  return nameOf(id) ?? id;
}

function calleeName({ destinationId, memberId }: Schema<"TransferAnswer">, nameOf: NameOf): string {
  const id = memberId ?? destinationId ?? "";
  return nameOf(id) ?? id;
}
