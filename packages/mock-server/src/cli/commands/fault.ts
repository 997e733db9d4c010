import type { Fault as BackendFault } from "@call-transfer/backend";
import { type ControlClient, dataAs, dataOf, type Schema } from "@call-transfer/backend/control-client";
import { defineCommand } from "../options/command.ts";
import { waitingWarning } from "../terminal/frozen-clock-warning.ts";
import { asPrinted, type Hint } from "../terminal/program.ts";
import { compact } from "../terminal/show.ts";
import { formatTable } from "../terminal/table.ts";
import { readJson, UsageError } from "../values/command-line.ts";
import { findNamed } from "../values/find-record.ts";
import { expectAtMost, required, unknownWord } from "../values/operands.ts";

export const fault = defineCommand({
  name: "fault",
  isList: true,
  summary: "make requests or webhooks fail: add, list or remove faults",
  isFrequent: true,
  usages: {
    fault: "list the active faults",
    "fault add TEXT…":
      "add a fault, such as: createCall 503, 503, pass (the requests, what happens in turn), GET * latency 800ms, * 503 10%, webhooks sign wrongSecret. It applies once unless the text says more",
    "fault add FILE": "add the fault or the list of faults of a JSON file, a name that ends in .json",
    "fault remove ID|last": "remove a fault",
    "fault clear": "remove all faults",
  },
  example: 'fault add "createCall 503, 503, pass"',
  options: {},
  async run({ control, operands: [action, ...rest], terminal, hint }) {
    if (action === "clear") {
      expectAtMost(0, rest);
      dataOf(await control.DELETE("/_control/v1/faults"));
      return { data: {}, text: "All faults are removed." };
    }
    if (action === "add") {
      const given = required(rest.join(" "), "fault", 'fault add "createCall 503"');
      const bodies = rest.length === 1 && given.endsWith(".json") ? faultsIn(given) : [{ text: given }];
      const ids: string[] = [];
      for (const body of bodies) {
        // The control plane checks a fault of a file.
        const { data, error } = await control.POST("/_control/v1/faults", { body: body as never });
        if (data === undefined) throw new UsageError(`fault add: ${error.error.message.replace(/^text: /, "")}`);
        ids.push(data.id);
      }
      const text = `Added ${ids.join(", ")}. Remove with: ${hint(`fault remove ${ids.at(-1)}`)}`;
      const warning = await warningAbout(control, ids, hint);
      return { data: { ids }, text: warning === undefined ? text : asPrinted(`${text}\nwarning: ${warning}`) };
    }
    if (action !== undefined && action !== "remove")
      throw unknownWord("fault action", action, ["add", "remove", "clear"]);
    const { faults } = dataAs<"FaultList">(await control.GET("/_control/v1/faults"));
    if (action === "remove") {
      const { id } = findNamed(required(expectAtMost(1, rest)[0], "fault", "fault remove last"), faults, "fault");
      dataOf(await control.DELETE("/_control/v1/faults/{id}", { params: { path: { id } } }));
      return { data: { id }, text: `Removed ${id}.` };
    }
    const table = formatTable(faults, terminal, [
      { title: "id", cell: ({ id }) => id },
      { title: "name", cell: ({ name }) => name },
      { title: "fails", cell: (one) => describeMatch(one), flexible: true },
      { title: "with", cell: (one) => describeAction(one.do), flexible: true },
      { title: "hits", cell: ({ hits }) => hits },
      { title: "when", cell: ({ when }) => describeWhen(when), flexible: true },
    ]);
    return { data: faults, text: faults.length === 0 ? "No faults. Requests and webhooks work." : table };
  },
});

type Fault = Schema<"FaultList">["faults"][number];

function faultsIn(path: string): readonly unknown[] {
  const content = readJson("fault add", path);
  return Array.isArray(content) ? content : [content];
}

/** A warning that requests or deliveries will wait for a frozen clock, because of new faults. */
async function warningAbout(control: ControlClient, ids: readonly string[], hint: Hint): Promise<string | undefined> {
  const { mode } = dataAs<"Clock">(await control.GET("/_control/v1/clock"));
  const { faults } = dataAs<"FaultList">(await control.GET("/_control/v1/faults"));
  const added = faults.filter(({ id }) => ids.includes(id));
  return waitingWarning(mode, added as Pick<BackendFault, "do">[], hint);
}

/** The words of criteria, as they are typed. */
const words: Readonly<Record<string, string>> = {
  headers: "header",
  destinationId: "destination",
  transferId: "transfer",
};

function describeMatch(fault: Fault): string {
  const [subject, criteria] = "webhooks" in fault ? ["webhooks", fault.webhooks] : ["", fault.match];
  const { operationId, method, path, ...others } = Object(criteria) as Readonly<Record<string, unknown>>;
  const named = [subject, operationId, method, path].filter((part) => part !== undefined && part !== "").map(String);
  const rest = Object.entries(others).flatMap(([name, value]) => {
    const word = words[name] ?? name;
    if (typeof value !== "object" || value === null) return `${word} ${compact(value)}`;
    return Object.entries(value).map(([key, wanted]) => `${word} ${key}=${compact(wanted)}`);
  });
  return [...(named.length === 0 ? ["every request"] : named), ...rest].join(" ");
}

function describeAction(action: unknown): string {
  if (Array.isArray(action)) return action.map(describeAction).join(", ");
  if (typeof action !== "object" || action === null) return String(action);
  return Object.entries(action)
    .map(([name, value]) => (name === "code" ? compact(value) : `${name} ${compact(value)}`))
    .join(" ");
}

function describeWhen(when: Fault["when"] = {}): string {
  const { times = 1, nth = 1, step, ...others } = when;
  const count = times === null ? "always" : times === 1 ? "once" : `${times} times`;
  const start = nth === 1 ? [] : [`from match ${nth}`];
  const next = step === undefined ? [] : [`next: step ${step}`];
  return [count, ...start, ...next, ...Object.entries(others).map(([name, value]) => `${name} ${compact(value)}`)].join(
    ", ",
  );
}
