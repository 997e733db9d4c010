import { completionScript, shells } from "../help/completion-script.ts";
import { completionWords } from "../help/completion-words.ts";
import { defineCommand } from "../options/command.ts";
import { collectionNames, roles } from "../values/find-record.ts";
import { expectAtMost, required, unknownWord } from "../values/operands.ts";
import { keyStates } from "./keys.ts";

export const completion = defineCommand({
  name: "completion",
  summary: "print a script that completes commands and options in a shell",
  usages: {
    [`completion ${shells.join("|")}`]:
      "print the script for a shell. It completes call-transfer-mock, also if that is an alias",
  },
  example: "completion bash",
  options: {},
  async run({ operands, commands }) {
    const name = required(expectAtMost(1, operands)[0], "shell", `completion ${shells.join("|")}`);
    const shell = shells.find((one) => one === name);
    if (shell === undefined) throw unknownWord("shell", name, shells);
    // Loaded only here: the backend takes longer to load than the other commands to run.
    const { backendNames } = await import("../help/backend-names.ts");
    const script = completionScript(
      shell,
      completionWords(commands, {
        COLLECTION: collectionNames,
        ROLE: roles,
        STATE: keyStates,
        ...backendNames,
      }),
    );
    return { data: { shell, script }, text: script.trimEnd() };
  },
});
