import { writeFileSync } from "node:fs";
import { operations } from "@call-transfer/spec";
import { type commandOptions, type readArguments, readJson, readStep, UsageError } from "./command-line.ts";
import { type ControlClient, createControlClient, dataOf } from "./control-client.ts";
import type { components } from "./control-types.gen.ts";

type Values = ReturnType<typeof readArguments<typeof commandOptions>>["values"];
type Snapshot = components["schemas"]["Snapshot"];

/** A command that talks to a running server: what comes after its name in, what to print out. */
type Command = (control: ControlClient, operands: readonly string[], values: Values) => Promise<unknown>;

/** The commands by name. What they answer is printed as it is when it is text, as JSON otherwise. */
export const commands: Readonly<Record<string, Command>> = {
  async trigger(control, [event, ...others], { destination }) {
    if (event !== "transfer.offer" || others.length > 0)
      throw new UsageError("trigger wants the event: transfer.offer");
    const destinationId = destination ?? (await firstApp(control));
    return dataOf(await control.POST("/_control/v1/webhooks/trigger", { body: { destinationId } }));
  },
  async clock(control, [action, step, ...others]) {
    if (action === undefined) return dataOf(await control.GET("/_control/v1/clock"));
    if (action !== "advance" || step === undefined || others.length > 0)
      throw new UsageError("clock takes nothing, or advance and a step such as 24h");
    return dataOf(await control.POST("/_control/v1/clock/advance", { body: readStep(step) }));
  },
  async reset(control, operands) {
    expectAtMost(0, operands);
    const { error } = await control.POST("/_control/v1/reset");
    return error === undefined ? "The server is as it was started." : dataOf({ error });
  },
  async snapshot(control, operands) {
    const [path] = expectAtMost(1, operands);
    const snapshot = dataOf(await control.GET("/_control/v1/snapshot"));
    if (path === undefined) return snapshot;
    writeFileSync(path, `${JSON.stringify(snapshot, null, 2)}\n`, { mode: 0o600 });
    return `The snapshot is in ${path}.`;
  },
  async restore(control, operands) {
    const [path] = expectAtMost(1, operands);
    if (path === undefined) throw new UsageError("restore wants the file of a snapshot");
    const { error } = await control.PUT("/_control/v1/snapshot", { body: readJson("restore", path) as Snapshot });
    return error === undefined ? `The server goes on from ${path}.` : dataOf({ error });
  },
  async routes(control, operands) {
    expectAtMost(0, operands);
    const api = Object.values(operations).map(({ method, path, id }) => `${method.padEnd(7)} ${path}  ${id}`);
    const document = dataOf(await control.GET("/_control/v1/openapi.json")) as unknown as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly summary?: string }>>>>;
    };
    const plane = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([method]) => method !== "parameters")
        .map(([method, { summary }]) => `${method.toUpperCase().padEnd(7)} ${path}  ${summary ?? ""}`),
    );
    return [...api, "", ...plane].join("\n");
  },
};

/** Runs a command against the server that the options name and prints what it answers. */
export async function runCommand(command: Command, operands: readonly string[], values: Values): Promise<void> {
  const { url = "http://127.0.0.1:4010", sandbox, token, json } = values;
  if (!URL.canParse(url)) throw new UsageError("--url must be a URL.");
  const control = createControlClient({ url: url.replace(/\/+$/, ""), sandbox, token });
  const answer = await command(control, operands, values).catch((error: unknown) => {
    if (error instanceof TypeError && error.message === "fetch failed")
      throw new Error(`No mock server answers at ${url}. Start one with: call-transfer-mock`, { cause: error });
    throw error;
  });
  console.log(typeof answer === "string" && !json ? answer : JSON.stringify(answer, null, json ? 0 : 2));
}

function expectAtMost(count: number, operands: readonly string[]): readonly string[] {
  if (operands.length > count) throw new UsageError(`There is no use for: ${operands.slice(count).join(" ")}`);
  return operands;
}

async function firstApp(control: ControlClient): Promise<string> {
  const answer = await control.GET("/_control/v1/state/{collection}", {
    params: { path: { collection: "destinations" } },
  });
  // The client's types lose arrays that are read-only.
  const { records } = dataOf(answer) as unknown as components["schemas"]["RecordList"];
  const app = records.find(({ kind }) => kind === "app");
  if (app === undefined) throw new Error("The server knows no app destination to send an offer to.");
  return String(app.id);
}
