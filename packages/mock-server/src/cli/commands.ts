import { operations } from "@call-transfer/spec";
import { type commandOptions, type readArguments, readJson, readStep, readUrl, UsageError } from "./command-line.ts";
import { type ControlClient, createControlClient, dataOf, messageOf } from "./control-client.ts";
import type { components } from "./control-types.gen.ts";
import { adviceOn } from "./delivery-advice.ts";
import { program } from "./program.ts";
import { writeWhole } from "./start.ts";
import { issueToken } from "./token-command.ts";

type Values = ReturnType<typeof readArguments<typeof commandOptions>>["values"];
type Snapshot = components["schemas"]["Snapshot"];

/** What a command came to. */
export interface Outcome {
  /** What `--json` prints, and everyone reads where there is no text. */
  readonly data: unknown;
  readonly text?: string;
  /** Why it failed nevertheless, and what to do; ends the process with status 1. */
  readonly failure?: string | undefined;
}

/** A command that talks to a running server: what comes after its name in, what it came to out. */
export type Command = (control: ControlClient, operands: readonly string[], values: Values) => Promise<Outcome>;

/** The commands by name. */
export const commands: Readonly<Record<string, Command>> = {
  async trigger(control, [event, ...others], { destination }) {
    if (event !== "transfer.offer" || others.length > 0)
      throw new UsageError(`trigger wants the event: ${program} trigger transfer.offer`);
    const destinationId = destination ?? (await firstApp(control));
    const data = dataOf(await control.POST("/_control/v1/webhooks/trigger", { body: { destinationId } }));
    return { data, failure: adviceOn(data, Date.now()) };
  },
  async clock(control, [action, step, ...others]) {
    if (action === undefined) return { data: dataOf(await control.GET("/_control/v1/clock")) };
    if (action !== "advance" || step === undefined || others.length > 0)
      throw new UsageError(`clock takes nothing, or a step: ${program} clock advance 24h`);
    return { data: dataOf(await control.POST("/_control/v1/clock/advance", { body: readStep(step) })) };
  },
  async reset(control, operands, { sandbox = "default" }) {
    expectAtMost(0, operands);
    dataOf(await control.POST("/_control/v1/reset"));
    return { data: { sandbox }, text: "The server is as it was started." };
  },
  async snapshot(control, operands) {
    const [file] = expectAtMost(1, operands);
    const data = dataOf(await control.GET("/_control/v1/snapshot"));
    if (file === undefined) return { data };
    writeWhole(file, JSON.stringify(data, null, 2));
    return { data: { file }, text: `The snapshot is in ${file}.` };
  },
  async restore(control, operands) {
    const [file] = expectAtMost(1, operands);
    if (file === undefined) throw new UsageError("restore wants the file of a snapshot");
    const { error } = await control.PUT("/_control/v1/snapshot", { body: readJson("restore", file) as Snapshot });
    if (error?.error?.code === "invalid_input") throw new UsageError(`restore ${file}: ${error.error.message}`);
    if (error !== undefined)
      throw new Error(`restore ${file}: ${messageOf(error)} Or start a server from it: ${program} --import ${file}`);
    return { data: { file }, text: `The server goes on from ${file}.` };
  },
  token: issueToken,
  async routes(control, operands) {
    expectAtMost(0, operands);
    const document = dataOf(await control.GET("/_control/v1/openapi.json")) as unknown as {
      readonly paths: Readonly<Record<string, Readonly<Record<string, { readonly operationId: string }>>>>;
    };
    const plane = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item)
        .filter(([method]) => method !== "parameters")
        .map(([method, { operationId }]) => ({ method: method.toUpperCase(), path, operationId })),
    );
    const api = Object.values(operations).map(({ method, path, id }) => ({ method, path, operationId: id }));
    const data = [...api, ...plane];
    const width = Math.max(...data.map(({ path }) => path.length));
    const lines = data.map(
      ({ method, path, operationId }) => `${method.padEnd(6)}  ${path.padEnd(width)}  ${operationId}`,
    );
    return { data, text: lines.join("\n") };
  },
};

/** Options that belong to one command. */
const ownOptions = { destination: "trigger", user: "token", account: "token", lifetime: "token" } as const;

/** Runs a command against the server that the options name and prints what came of it. */
export async function runCommand(command: Command, operands: readonly string[], values: Values): Promise<void> {
  const { url = "http://127.0.0.1:4010", sandbox, token, json } = values;
  for (const [option, owner] of Object.entries(ownOptions))
    if (Reflect.get(values, option) !== undefined && command !== commands[owner])
      throw new UsageError(`--${option} is of use to ${owner} alone.`);
  const control = createControlClient({ url: readUrl("--url", url).replace(/\/+$/, ""), sandbox, token });
  const { data, text, failure } = await command(control, operands, values).catch((error: unknown) => {
    if (error instanceof TypeError && error.message === "fetch failed")
      throw new Error(`No mock server answers at ${url}. Start one with: ${program}`, {
        cause: error,
      });
    if (error instanceof SyntaxError)
      throw new Error(`What answers at ${url} is no mock server; see --url.`, { cause: error });
    throw error;
  });
  console.log(json ? JSON.stringify(data) : (text ?? JSON.stringify(data, null, 2)));
  if (failure === undefined) return;
  console.error(failure);
  process.exitCode = 1;
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
  if (app === undefined) throw new Error("There is no app destination to send an offer to. Add one to the seed.");
  return String(app.id);
}
