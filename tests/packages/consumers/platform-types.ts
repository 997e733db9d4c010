// Uses the types of the packages that are only ES modules. Compiled with every TypeScript version, never run.
import * as backend from "@call-transfer/backend";
import * as msw from "@call-transfer/backend/msw";
import * as contract from "@call-transfer/contract";
import * as sdk from "@call-transfer/sdk";

// Fields that the SDK does not name. In a CommonJS file TypeScript 5.4 finds the ES module's declarations instead, if
// `module` is `preserve`.
declare module "@call-transfer/sdk" {
  interface Call {
    recordingUrl?: string;
  }
  interface CreateCallRequest {
    campaignId?: string;
  }
}

/** A program that names fields. */
export async function unnamedFields(client: sdk.CallTransfer): Promise<(string | undefined)[]> {
  await client.calls.create({ flowId: "id", fromNumber: "", toNumber: "", campaignId: "id" });
  const calls = await client.calls.list().toArray({ maxItems: 10 });
  // @ts-expect-error A call has no such field.
  calls.map((call) => call.recordingURL);
  return calls.map((call) => call.recordingUrl);
}

/** A test in one process. */
export async function inProcess(): Promise<unknown> {
  const platform: backend.Backend = backend.createBackend();
  const client = new sdk.CallTransfer({
    baseUrl: "http://localhost",
    apiKey: backend.demo.apiKey,
    fetch: platform.fetch,
  });
  const fault: backend.Fault = { match: { operationId: "createCall" }, do: "process_then_reset" };
  platform.faults.add(fault);
  await platform.advance({ by: 60_000 });
  const entry: backend.RequestEntry | undefined = platform.requests.list()[0];
  const snapshot: backend.Snapshot = platform.snapshot();
  platform.restore(snapshot);
  // @ts-expect-error There is no such collection.
  platform.collections.update("offices", "id", {});
  return [entry, await client.roles.list(), backend.createSandboxRegistry().fetch];
}

/** A page under MSW, whatever its version. */
export function inPage(http: msw.MswHttp<"handler">): "handler"[] {
  return msw.callTransferHandlers({ http, backend: backend.createBackend(), baseUrl: "https://api.example.com" });
}

/** The contract cases against a custom target. */
export async function asked(open: () => Promise<contract.Target>): Promise<boolean> {
  const runs: contract.CaseResult[] = [];
  for (const each of contract.cases) runs.push(await contract.runCase(each, await open()));
  const { length }: readonly unknown[] = contract.coverageGaps(contract.measureCoverage(runs));
  return length === 0;
}
