import { dataOf, messageOf, type Schema } from "@call-transfer/backend/control-client";
import { writeFileAtomically } from "../files/write-file.ts";
import { defineCommand } from "../options/command.ts";
import { program } from "../terminal/program.ts";
import { readJson, UsageError } from "../values/command-line.ts";
import { expectAtMost, required } from "../values/operands.ts";

type Snapshot = Schema<"Snapshot">;

/** Exports a sandbox. */
export const snapshot = defineCommand({
  name: "snapshot",
  summary: "write the state of the sandbox to a file",
  usages: [{ form: "snapshot [FILE]", help: "write the state of the sandbox to a file, or print it" }],
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

/** Restores a sandbox. */
export const restore = defineCommand({
  name: "restore",
  summary: "restore the sandbox from a snapshot",
  usages: [{ form: "restore FILE", help: "restore the sandbox from a snapshot" }],
  example: "restore work.json",
  options: {},
  async run({ control, operands, sandbox }) {
    const file = required(expectAtMost(1, operands)[0], "snapshot file", "restore FILE");
    const { error } = await control.PUT("/_control/v1/snapshot", { body: readJson("restore", file) as Snapshot });
    if (error?.error?.code === "invalid_input") throw new UsageError(`restore ${file}: ${error.error.message}`);
    if (error !== undefined)
      throw new Error(
        `restore ${file}: ${messageOf(error)} Start a server from the file instead: ${program} --import ${file}`,
      );
    return { data: { file }, text: `Sandbox "${sandbox}" was restored from ${file}` };
  },
});
