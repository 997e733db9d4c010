import { type ControlClient, dataAs, formatDuration, type Schema } from "@call-transfer/backend/control-client";
import type { NameOf } from "../../log/columns.ts";
import { defineCommand } from "../options/command.ts";
import type { Hint } from "../terminal/program.ts";
import { relativeTime, shortIds } from "../terminal/show.ts";
import { formatFields, formatTable } from "../terminal/table.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { UsageError } from "../values/command-line.ts";
import { findNamed, type Named, readNameOf, readNames } from "../values/find-record.ts";
import { expectAtMost, required } from "../values/operands.ts";
import { readScript } from "../values/read-script.ts";
import { readNow } from "../values/server-time.ts";

type Transfer = Schema<"Transfer">;

/** Rings destinations and groups, as the platform does when a caller is transferred. */
export const transfer = defineCommand({
  name: "transfer",
  summary: "ring a destination or a group, answer, and see who rang",
  isFrequent: true,
  usages: {
    "transfer TARGET":
      "start a transfer to a destination or a group, by id or name, and print who rings. Phones and people answer as --script says",
    "transfer list": "list the transfers, newest last",
    "transfer show ID|last": "show a transfer and how each ring ended",
    "transfer answer ID|last": "answer a ringing transfer",
    "transfer decline ID|last": "decline a ringing transfer",
  },
  example: 'transfer "Night shift" --script "Reception answers after 5s"',
  options: {
    script: {
      type: "string",
      multiple: true,
      value: "TEXT",
      help: 'who answers or declines, and when: "Reception declines after 3s, Mia answers after 8s"; repeatable. Those not named do not answer',
    },
    call: { type: "string", value: "CALL", help: "a call in progress; the transfer ends with it" },
    as: {
      type: "string",
      value: "WHO",
      help: "with answer and decline: the destination or member that does it, by id or name (default: the first that rings)",
    },
  },
  async run({ control, operands: [first, ...rest], values, terminal, hint }) {
    const { script, call, as: answerer } = values;
    const word = required(first, "destination or group", 'transfer "Night shift"');
    if (word !== "answer" && word !== "decline" && answerer !== undefined)
      throw new UsageError("--as only works with transfer answer and transfer decline.");
    if (["list", "show", "answer", "decline"].includes(word) && (script ?? call) !== undefined)
      throw new UsageError(`--${script ? "script" : "call"} only works when a transfer starts.`);
    if (word === "list") {
      expectAtMost(0, rest);
      const data = await readTransfers(control);
      return { data, text: await formatList(control, data, terminal, hint) };
    }
    if (word === "show" || word === "answer" || word === "decline") {
      const text = required(expectAtMost(1, rest)[0], "transfer", `transfer ${word} last`);
      const found = findNamed(text, await readTransfers(control), "transfer");
      const params = { path: { id: found.id } };
      const body = word === "show" ? {} : await calleeOf(control, answerer, found);
      const answer = { params, body };
      const calls = {
        show: () => control.GET("/_control/v1/transfers/{id}", { params }),
        answer: () => control.POST("/_control/v1/transfers/{id}/answers", answer),
        decline: () => control.POST("/_control/v1/transfers/{id}/declines", answer),
      };
      const result = await calls[word]();
      const data = dataAs<"Transfer">(result);
      return { data, text: await formatTransfer(control, data, terminal) };
    }
    expectAtMost(0, rest);
    const [destinations, groups, members] = await Promise.all(
      (["destinations", "groups", "members"] as const).map((collection) => readNames(control, collection)),
    );
    const target = findNamed(
      word,
      [...withKey(destinations, "destinationId"), ...withKey(groups, "groupId")],
      "destination or group",
    );
    const callees = [...withKey(destinations, "destinationId"), ...withKey(members, "memberId")];
    const callId = call && findNamed(call, await readNames(control, "calls"), "call").id;
    const body = {
      [target.key]: target.id,
      ...(callId !== undefined && { callId }),
      ...(script !== undefined && {
        script: readScript(script).map(({ who, ...times }) => {
          const callee = findNamed(who, callees, "destination or member");
          return { [callee.key]: callee.id, ...times };
        }),
      }),
    };
    const data = dataAs<"Transfer">(await control.POST("/_control/v1/transfers", { body }));
    return { data, text: await formatTransfer(control, data, terminal) };
  },
});

function withKey<Key extends string>(items: readonly Named[] = [], key: Key) {
  return items.map((item) => ({ ...item, key }));
}

/** Who answers: the one that `--as` names, or else the first that rings. An app answers by its HTTP response. */
async function calleeOf(
  control: ControlClient,
  who: string | undefined,
  { id, status, rings }: Transfer,
): Promise<Schema<"TransferAnswer">> {
  if (who === undefined) {
    const ring = rings.find(({ outcome, kind }) => outcome === "ringing" && kind !== "app");
    if (ring === undefined)
      throw new Error(`No phone or person of transfer ${id} is ringing; its status is ${status}. Name one with --as.`);
    const { destinationId, memberId } = ring;
    return memberId === undefined ? { destinationId } : { memberId };
  }
  const [destinations, members] = await Promise.all([
    readNames(control, "destinations"),
    readNames(control, "members"),
  ]);
  const items = [...withKey(destinations, "destinationId"), ...withKey(members, "memberId")];
  const callee = findNamed(who, items, "destination or member");
  return { [callee.key]: callee.id };
}

async function readTransfers(control: ControlClient): Promise<readonly Transfer[]> {
  return dataAs<"TransferList">(await control.GET("/_control/v1/transfers")).transfers;
}

async function formatList(
  control: ControlClient,
  transfers: readonly Transfer[],
  terminal: Terminal,
  hint: Hint,
): Promise<string> {
  if (transfers.length === 0) return `No transfers yet. Start one: ${hint("transfer TARGET")}`;
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
  ringing: "yellow",
  connected: "green",
  answered: "green",
  unanswered: "red",
  missed: "red",
  declined: "red",
};

async function formatTransfer(control: ControlClient, one: Transfer, terminal: Terminal): Promise<string> {
  const nameOf = await readNameOf(control);
  const start = Date.parse(one.startedAt);
  const sinceStart = (time: string): string => formatDuration(Date.parse(time) - start);
  const facts = formatFields({
    id: one.id,
    to: targetName(one, nameOf),
    status: one.status,
    started: one.startedAt,
    call: one.callId,
    "answered by": one.answeredBy && calleeName(one.answeredBy, nameOf),
    "answered after": one.answeredAt && sinceStart(one.answeredAt),
    "ended after": one.endedAt && sinceStart(one.endedAt),
  });
  const rings = formatTable(one.rings, terminal, [
    { title: "who", cell: (ring) => calleeName(ring, nameOf), flexible: true },
    { title: "kind", cell: ({ kind }) => kind },
    { title: "from", cell: ({ from }) => sinceStart(from) },
    { title: "until", cell: ({ until }) => sinceStart(until) },
    { title: "outcome", cell: ({ outcome }) => outcome, colour: ({ outcome }) => colours[outcome] },
    { title: "reason", cell: ({ reason }) => reason, flexible: true },
    { title: "late", cell: ({ late = [] }) => late.map(({ code }) => code).join(", "), flexible: true },
    { title: "delivery", cell: ({ deliveryId }) => deliveryId },
  ]);
  return `${facts}\n\n${rings}`;
}

function targetName({ destinationId, groupId }: Transfer, nameOf: NameOf): string {
  const id = groupId ?? destinationId ?? "";
  return nameOf(id) ?? id;
}

function calleeName({ destinationId, memberId }: Schema<"TransferAnswer">, nameOf: NameOf): string {
  const id = memberId ?? destinationId ?? "";
  return nameOf(id) ?? id;
}
