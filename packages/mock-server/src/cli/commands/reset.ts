import { dataOf } from "@call-transfer/backend/control-client";
import { defineCommand } from "../options/command.ts";
import { expectAtMost } from "../values/operands.ts";

/** Resets a sandbox. */
export const reset = defineCommand({
  name: "reset",
  summary: "reset the sandbox to its seed and start options",
  usages: [{ form: "reset", help: "reset the sandbox to its seed and start options" }],
  options: {},
  async run({ control, operands, sandbox }) {
    expectAtMost(0, operands);
    dataOf(await control.POST("/_control/v1/reset"));
    return { data: { sandbox }, text: `Sandbox "${sandbox}" was reset to its initial state.` };
  },
});
