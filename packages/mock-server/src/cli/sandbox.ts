import { existsSync } from "node:fs";
import { dataAs, dataOf, headersOf, messageOf, type Schema } from "@call-transfer/backend/control-client";
import { action, type Command } from "./command.ts";
import { expectWritable, writeFileAtomically } from "./files.ts";
import { findNamed } from "./find-record.ts";
import { commandLine } from "./output.ts";
import { formatTable } from "./tables.ts";
import { readJson, UsageError } from "./values.ts";

export const sandbox: Command = {
  name: "sandbox",
  summary: "list, create, reset or delete sandboxes",
  example: "sandbox create checkout",
  actions: [
    action("", { help: "list the sandboxes" }, async ({ control, terminal }) => {
      const data = dataAs<"SandboxList">(await control.GET("/_control/v1/sandboxes")).sandboxes;
      const text = formatTable(data, terminal, [
        { title: "name", cell: ({ name }) => name },
        { title: "path", cell: ({ path }) => path },
      ]);
      return { data, text };
    }),
    action(
      "create NAME",
      { help: "create a sandbox with the options of the server", example: "create checkout" },
      async ({ control, operands: [name = ""] }) => {
        const body = { name } satisfies Schema<"NewSandbox">;
        const data = dataAs<"Sandbox">(
          await control.POST("/_control/v1/sandboxes", { body, headers: headersOf(name) }),
        );
        const text = `Created sandbox "${name}". Use it with --sandbox ${name}, or by the path ${data.path}.`;
        return { data, text };
      },
    ),
    action("reset", { help: "reset the sandbox of --sandbox to its seed and start options" }, async (context) => {
      const { control, sandbox } = context;
      dataOf(await control.POST("/_control/v1/reset"));
      return { data: { sandbox }, text: `Sandbox "${sandbox}" was reset to its initial state.` };
    }),
    action(
      "delete NAME",
      { help: "delete a sandbox other than default", example: "delete checkout" },
      async ({ control, operands: [text = ""] }) => {
        const answer = await control.GET("/_control/v1/sandboxes", { headers: headersOf(text) });
        const names = dataAs<"SandboxList">(answer).sandboxes.map((one) => ({ id: one.name }));
        const { id: name } = names.find(({ id }) => id === text) ?? findNamed(text, names, "sandbox");
        const params = { path: { name } };
        dataOf(await control.DELETE("/_control/v1/sandboxes/{name}", { params, headers: headersOf(name) }));
        return { data: { name }, text: `Deleted sandbox "${name}".` };
      },
    ),
  ],
};

export const snapshot: Command = {
  name: "snapshot",
  summary: "save or restore a sandbox's state, or copy the data file",
  example: "snapshot save work.json",
  actions: [
    action("", { help: "print the state of the sandbox as JSON" }, async ({ control }) => {
      return { data: dataOf(await control.GET("/_control/v1/snapshot")) };
    }),
    action(
      "save FILE",
      { help: "write the state of the sandbox to a file", example: "save work.json" },
      async ({ control, operands: [file = ""] }) => {
        expectWritable("snapshot save", file);
        const data = dataOf(await control.GET("/_control/v1/snapshot"));
        writeFileAtomically(file, JSON.stringify(data, null, 2));
        return { data: { file }, text: `Snapshot written to ${file}` };
      },
    ),
    action(
      "restore FILE",
      { help: "restore the sandbox from a snapshot", example: "restore work.json" },
      async ({ control, operands: [file = ""], sandbox }) => {
        const body = readJson("snapshot restore", file) as Schema<"Snapshot">;
        const { error } = await control.PUT("/_control/v1/snapshot", { body });
        if (error?.error?.code === "invalid_input")
          throw new UsageError(`snapshot restore ${file}: ${error.error.message}`);
        if (error !== undefined)
          throw new Error(
            `snapshot restore ${file}: ${messageOf(error)} Start a server from the file instead: ${commandLine(`--import ${file}`)}`,
          );
        return { data: { file }, text: `Sandbox "${sandbox}" was restored from ${file}` };
      },
    ),
    action(
      "backup FILE",
      {
        help: "copy the server's data file, with all sandboxes, to a new file. Start with it as --data-file FILE",
        example: "backup mock-copy.db",
      },
      async ({ control, operands: [file = ""] }) => {
        if (existsSync(file)) throw new UsageError(`snapshot backup ${file}: the file exists. Name a new one.`);
        expectWritable("snapshot backup", file);
        const content: ArrayBuffer = dataOf(await control.GET("/_control/v1/backup", { parseAs: "arrayBuffer" }));
        writeFileAtomically(file, new Uint8Array(content));
        return { data: { file, bytes: content.byteLength }, text: `Data file copied to ${file}` };
      },
    ),
  ],
};
