import { dataAs, dataOf, headersOf, messageOf, type Schema } from "@call-transfer/backend/control-client";
import { writeFileAtomically } from "../files/write-file.ts";
import { defineCommand } from "../options/command.ts";
import { commandLine } from "../terminal/program.ts";
import { formatTable } from "../terminal/table.ts";
import { readJson, readNumber, readPolicies, readTime, UsageError } from "../values/command-line.ts";
import { findNamed } from "../values/find-record.ts";
import { expectAtMost, required, unknownWord } from "../values/operands.ts";

export const sandbox = defineCommand({
  name: "sandbox",
  isList: true,
  summary: "list, create or delete sandboxes",
  usages: {
    sandbox: "list the sandboxes",
    "sandbox create NAME": "create a sandbox; options that are left out are those of the server",
    "sandbox delete NAME": "delete a sandbox other than default",
  },
  example: "sandbox create checkout --clock frozen",
  options: {
    seed: { type: "string", value: "FILE", help: "with create: initial data" },
    clock: { type: "string", value: "MODE", help: "with create: flowing or frozen", choices: ["flowing", "frozen"] },
    now: { type: "string", value: "TIME", help: "with create: initial time, an RFC 3339 date-time" },
    prng: { type: "string", value: "N", help: "with create: seed of the random number generator" },
    policy: { type: "string", multiple: true, value: "NAME=VALUE", help: "with create: a policy; repeatable" },
  },
  async run({ control, operands: [action, ...rest], values, terminal }) {
    const { seed, clock, now, prng, policy } = values;
    const given = Object.entries({ seed, clock, now, prng, policy }).find(([, value]) => value !== undefined);
    if (given !== undefined && action !== "create")
      throw new UsageError(`--${given[0]} only works with sandbox create.`);
    if (action === "create") {
      const name = required(expectAtMost(1, rest)[0], "name", "sandbox create checkout");
      if (clock !== undefined && clock !== "flowing" && clock !== "frozen")
        throw new UsageError(`--clock ${clock}: must be flowing or frozen.`);
      const body = {
        name,
        ...(seed !== undefined && { seed: seedOf(seed) }),
        ...(clock !== undefined && { clock }),
        ...(now !== undefined && { now: readTime("--now", now) }),
        ...(prng !== undefined && { prng: readNumber("--prng", prng, 2 ** 31 - 1) }),
        ...(policy !== undefined && { policies: readPolicies(policy) }),
      } satisfies Schema<"NewSandbox">;
      const headers = headersOf(name);
      const data = dataAs<"Sandbox">(await control.POST("/_control/v1/sandboxes", { body, headers }));
      return {
        data,
        text: `Created sandbox "${name}". Use it with --sandbox ${name}, or by the path ${data.path}.`,
      };
    }
    const list = async (headers = {}) =>
      dataAs<"SandboxList">(await control.GET("/_control/v1/sandboxes", { headers })).sandboxes;
    if (action === "delete") {
      const text = required(expectAtMost(1, rest)[0], "name", "sandbox delete checkout");
      const sandboxes = await list(headersOf(text));
      const found = sandboxes.find((one) => one.name === text);
      const name =
        found?.name ??
        findNamed(
          text,
          sandboxes.map((one) => ({ id: one.name })),
          "sandbox",
        ).id;
      const headers = headersOf(name);
      dataOf(await control.DELETE("/_control/v1/sandboxes/{name}", { params: { path: { name } }, headers }));
      return { data: { name }, text: `Deleted sandbox "${name}".` };
    }
    if (action !== undefined) throw unknownWord("sandbox action", action, ["create", "delete"]);
    const sandboxes = await list();
    const text = formatTable(sandboxes, terminal, [
      { title: "name", cell: ({ name }) => name },
      { title: "path", cell: ({ path }) => path },
    ]);
    return { data: sandboxes, text };
  },
});

function seedOf(path: string): Schema<"Seed"> {
  const { $schema: _, ...seed } = readJson("--seed", path) as Schema<"Seed">;
  return seed;
}

export const reset = defineCommand({
  name: "reset",
  summary: "reset the sandbox to its seed and start options",
  isFrequent: true,
  usages: { reset: "reset the sandbox to its seed and start options" },
  options: {},
  async run({ control, operands, sandbox }) {
    expectAtMost(0, operands);
    dataOf(await control.POST("/_control/v1/reset"));
    return { data: { sandbox }, text: `Sandbox "${sandbox}" was reset to its initial state.` };
  },
});

export const snapshot = defineCommand({
  name: "snapshot",
  summary: "write the state of the sandbox to a file",
  usages: { "snapshot [FILE]": "write the state of the sandbox to a file, or print it" },
  example: "snapshot work.json",
  options: {},
  async run({ control, operands }) {
    const [file] = expectAtMost(1, operands);
    const data = dataOf(await control.GET("/_control/v1/snapshot"));
    if (file === undefined) return { data };
    writeFileAtomically(file, JSON.stringify(data, null, 2));
    return { data: { file }, text: `Snapshot written to ${file}` };
  },
});

export const restore = defineCommand({
  name: "restore",
  summary: "restore the sandbox from a snapshot",
  usages: { "restore FILE": "restore the sandbox from a snapshot" },
  example: "restore work.json",
  options: {},
  async run({ control, operands, sandbox }) {
    const file = required(expectAtMost(1, operands)[0], "snapshot file", "restore FILE");
    const { error } = await control.PUT("/_control/v1/snapshot", {
      body: readJson("restore", file) as Schema<"Snapshot">,
    });
    if (error?.error?.code === "invalid_input") throw new UsageError(`restore ${file}: ${error.error.message}`);
    if (error !== undefined)
      throw new Error(
        `restore ${file}: ${messageOf(error)} Start a server from the file instead: ${commandLine(`--import ${file}`)}`,
      );
    return { data: { file }, text: `Sandbox "${sandbox}" was restored from ${file}` };
  },
});
