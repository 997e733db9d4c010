import { existsSync, rmSync, writeFileSync } from "node:fs";
import { dataOf } from "@call-transfer/backend/control-client";
import { putInPlace } from "../../store/data-file.ts";
import { errorMessage } from "../../web/error-message.ts";
import { defineCommand } from "../options/command.ts";
import { UsageError } from "../values/command-line.ts";
import { expectAtMost, required } from "../values/operands.ts";

export const backup = defineCommand({
  name: "backup",
  summary: "copy the server's data file while it runs",
  usages: {
    "backup FILE": "copy the server's data file, with all sandboxes, to a new file. Start with it as --data FILE",
  },
  example: "backup mock-copy.db",
  options: {},
  async run({ control, operands }) {
    const file = required(expectAtMost(1, operands)[0], "new file", "backup mock-copy.db");
    if (existsSync(file)) throw new UsageError(`backup ${file}: the file exists. Name a new one.`);
    const content: ArrayBuffer = dataOf(await control.GET("/_control/v1/backup", { parseAs: "arrayBuffer" }));
    writeNewFile(file, new Uint8Array(content));
    return { data: { file, bytes: content.byteLength }, text: `Data file copied to ${file}` };
  },
});

/** Writes a file that appears when it is complete, and replaces none. */
function writeNewFile(path: string, content: Uint8Array): void {
  const part = `${path}.${crypto.randomUUID()}.part`;
  try {
    // It contains credentials.
    writeFileSync(part, content, { flag: "wx", mode: 0o600 });
    putInPlace(part, path);
  } catch (error) {
    throw new Error(`Cannot write ${path}: ${errorMessage(error)}`, { cause: error });
  } finally {
    rmSync(part, { force: true });
  }
}
