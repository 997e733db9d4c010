import { type ControlClient, dataAs, type Schema } from "@call-transfer/backend/control-client";
import { defineCommand } from "../options/command.ts";
import { expectAtMost, required, unknownWord } from "../values/operands.ts";

type Detail = Schema<"RequestDetail">;

export const stubs = defineCommand({
  name: "stubs",
  summary: "write a file for --stubs from the requests that --unknown-to forwarded",
  usages: {
    "stubs record":
      "print the latest forwarded requests with their answers as YAML for --stubs, without secrets and whole phone numbers",
  },
  example: "stubs record > stubs.yaml",
  options: {},
  async run({ control, operands: [action, ...rest], terminal }) {
    required(action, "action", "stubs record");
    if (action !== "record") throw unknownWord("stubs action", action ?? "", ["record"]);
    expectAtMost(0, rest);
    // Loaded only here, with the backend and the writer of YAML.
    const { recordedStubs, stubsFile } = await import("../files/recorded-stubs.ts");
    const { recorded, leftOut } = recordedStubs(await forwardedRequests(control));
    for (const reason of leftOut) terminal.warn(`Left out: ${reason}`);
    if (recorded.length === 0)
      terminal.warn("No stub is recorded. Start the server with --unknown-to, and send requests.");
    return { data: { stubs: recorded }, text: stubsFile(recorded) };
  },
});

/** The forwarded requests that another server answered, as far as the journal keeps their bodies. */
async function forwardedRequests(control: ControlClient): Promise<Detail[]> {
  const query = { limit: 1000 };
  const { requests } = dataAs<"RequestList">(await control.GET("/_control/v1/requests", { params: { query } }));
  const details: Detail[] = [];
  for (const { id, decidedBy } of requests) {
    if (decidedBy.step !== "elsewhere" || !decidedBy.detail?.startsWith("Forwarded to ")) continue;
    const params = { path: { id: String(id) } };
    details.push(dataAs<"RequestDetail">(await control.GET("/_control/v1/requests/{id}", { params })));
  }
  return details;
}
