import { operations } from "@call-transfer/spec";
import type { Command, CommandValues } from "./command.ts";
import { readJson, readStep, readUrl, UsageError } from "./command-line.ts";
import { type ControlClient, createControlClient, dataOf, messageOf } from "./control-client.ts";
import type { components } from "./control-types.gen.ts";
import { deliveryAdvice } from "./delivery-advice.ts";
import { type commandNames, commandOptions, exitStatus, ownOptions } from "./options.ts";
import { program } from "./program.ts";
import { issueToken } from "./token-command.ts";
import { writeFileAtomically } from "./write-file.ts";

type Snapshot = components["schemas"]["Snapshot"];

const all: Readonly<Record<(typeof commandNames)[number], Command>> = {
  async trigger(control, [event, ...others], { destination }) {
    const usage = `Usage: ${program} trigger transfer.offer`;
    if (event === undefined) throw new UsageError(`Missing event name. ${usage}`);
    if (event !== "transfer.offer") throw new UsageError(`Unknown event "${event}". ${usage}`);
    expectAtMost(0, others);
    const destinationId = destination ?? (await firstApp(control));
    const data = dataOf(await control.POST("/_control/v1/webhooks/trigger", { body: { destinationId } }));
    return { data, failure: deliveryAdvice(data, Date.now()) };
  },
  async clock(control, [action, step, ...others]) {
    if (action === undefined) return { data: dataOf(await control.GET("/_control/v1/clock")) };
    const usage = `Usage: ${program} clock advance 24h`;
    if (action !== "advance") throw new UsageError(`Unknown clock action "${action}". ${usage}`);
    if (step === undefined) throw new UsageError(`Missing duration or time. ${usage}`);
    expectAtMost(0, others);
    return { data: dataOf(await control.POST("/_control/v1/clock/advance", { body: readStep(step) })) };
  },
  async reset(control, operands, { sandbox = commandOptions.sandbox.fallback }) {
    expectAtMost(0, operands);
    dataOf(await control.POST("/_control/v1/reset"));
    return { data: { sandbox }, text: `Sandbox "${sandbox}" was reset to its initial state.` };
  },
  async snapshot(control, operands) {
    const [file] = expectAtMost(1, operands);
    const data = dataOf(await control.GET("/_control/v1/snapshot"));
    if (file === undefined) return { data };
    writeFileAtomically(file, JSON.stringify(data, null, 2));
    return { data: { file }, text: `Snapshot written to ${file}` };
  },
  async restore(control, operands, { sandbox = commandOptions.sandbox.fallback }) {
    const [file] = expectAtMost(1, operands);
    if (file === undefined) throw new UsageError(`Missing snapshot file. Usage: ${program} restore FILE`);
    const { error } = await control.PUT("/_control/v1/snapshot", { body: readJson("restore", file) as Snapshot });
    if (error?.error?.code === "invalid_input") throw new UsageError(`restore ${file}: ${error.error.message}`);
    if (error !== undefined)
      throw new Error(
        `restore ${file}: ${messageOf(error)} Start a server from the file instead: ${program} --import ${file}`,
      );
    return { data: { file }, text: `Sandbox "${sandbox}" was restored from ${file}` };
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

/** The commands by name. */
export const commands: Readonly<Record<string, Command>> = all;

/** Runs a command against the server at `--url` and prints the result. */
export async function runCommand(command: Command, operands: readonly string[], values: CommandValues): Promise<void> {
  const { url = commandOptions.url.fallback, sandbox, token, json } = values;
  for (const [option, owner] of Object.entries(ownOptions))
    if (Reflect.get(values, option) !== undefined && command !== all[owner])
      throw new UsageError(`--${option} only works with the ${owner} command.`);
  const control = createControlClient({ url: readUrl("--url", url).replace(/\/+$/, ""), sandbox, token });
  const { data, text, failure } = await command(control, operands, values).catch((error: unknown) => {
    if (error instanceof TypeError && error.message === "fetch failed")
      throw new Error(`No server is running at ${url}. Check --url, or start a server: ${program}`, {
        cause: error,
      });
    if (error instanceof SyntaxError)
      throw new Error(`The server at ${url} is not a mock server. Check --url.`, { cause: error });
    throw error;
  });
  console.log(json ? JSON.stringify(data) : (text ?? JSON.stringify(data, null, 2)));
  if (failure === undefined) return;
  console.error(failure);
  process.exitCode = exitStatus.failure;
}

function expectAtMost(count: number, operands: readonly string[]): readonly string[] {
  if (operands.length > count) throw new UsageError(`Unexpected argument "${operands[count]}".`);
  return operands;
}

async function firstApp(control: ControlClient): Promise<string> {
  const answer = await control.GET("/_control/v1/state/{collection}", {
    params: { path: { collection: "destinations" } },
  });
  // openapi-fetch's types drop read-only arrays.
  const { records } = dataOf(answer) as unknown as components["schemas"]["RecordList"];
  const app = records.find(({ kind }) => kind === "app");
  if (app === undefined)
    throw new Error("The sandbox has no app destination to send the offer to. Add one to the seed.");
  return String(app.id);
}
