import { dataAs, dataOf, type Schema } from "@call-transfer/backend/control-client";
import { waitingWarning } from "./advice.ts";
import { action, type Command, type ControlContext } from "./command.ts";
import { findNamed } from "./find-record.ts";
import { compact, formatTable } from "./tables.ts";
import { readJson, UsageError } from "./values.ts";

type Fault = Schema<"FaultList">["faults"][number];

export const fault: Command = {
  name: "fault",
  summary: "make requests or webhooks fail: add, list or delete faults",
  example: 'fault add "createCall 503, 503, pass"',
  actions: [
    action("", { help: "list the active faults" }, async ({ control, terminal }) => {
      const faults = await readFaults({ control });
      const text = formatTable(faults, terminal, [
        { title: "id", cell: ({ id }) => id },
        { title: "name", cell: ({ name }) => name },
        { title: "fault", cell: (one) => one.text ?? asJson(one), flexible: true },
        { title: "hits", cell: ({ hits }) => hits },
        { title: "next step", cell: ({ when }) => when?.step },
      ]);
      return { data: faults, text: faults.length === 0 ? "No faults. Requests and webhooks work." : text };
    }),
    action(
      "add FAULT…",
      {
        help: "add a fault, such as: createCall 503, 503, pass (the requests, what happens in turn), GET * latency 800ms, * 503 10%, webhooks sign wrong_secret. It applies once unless the text says more. A name that ends in .json is a file with a fault or a list of them",
        example: 'add "createCall 503"',
      },
      async ({ control, operands, hint }) => {
        const [file = ""] = operands;
        const isFile = operands.length === 1 && file.endsWith(".json");
        const bodies = isFile ? [readJson("fault add", file)].flat() : [{ text: operands.join(" ") }];
        const ids: string[] = [];
        for (const body of bodies) {
          // The control plane checks a fault of a file.
          const { data, error } = await control.POST("/_control/v1/faults", { body: body as never });
          if (data === undefined) throw new UsageError(`fault add: ${error.error.message.replace(/^text: /, "")}`);
          ids.push(data.id);
        }
        const text = `Added ${ids.join(", ")}. Delete with: ${hint(`fault delete ${ids.at(-1)}`)}`;
        const { mode } = dataAs<"Clock">(await control.GET("/_control/v1/clock"));
        const added = (await readFaults({ control })).filter(({ id }) => ids.includes(id));
        const warning = waitingWarning(mode, added, hint);
        return { data: { ids }, text: warning === undefined ? text : `${text}\nwarning: ${warning}` };
      },
    ),
    action("delete FAULT", { help: "delete a fault by its id, or last", example: "delete last" }, async (context) => {
      const { control, operands } = context;
      const { id } = findNamed(operands[0] ?? "", await readFaults(context), "fault");
      dataOf(await control.DELETE("/_control/v1/faults", { params: { query: { id } } }));
      return { data: { id }, text: `Deleted ${id}.` };
    }),
    action("clear", { help: "delete all faults" }, async ({ control }) => {
      dataOf(await control.DELETE("/_control/v1/faults"));
      return { data: {}, text: "All faults are deleted." };
    }),
  ],
};

async function readFaults({ control }: ControlContext): Promise<readonly Fault[]> {
  return dataAs<"FaultList">(await control.GET("/_control/v1/faults")).faults;
}

/** A fault that only JSON can say. */
function asJson(one: Fault): string {
  const { id: _, hits: _hits, scenario: _scenario, when: { step: _step, ...when } = {}, ...fault } = one;
  return compact({ ...fault, when });
}
