// Shows that Schemathesis finds what is wrong: a mock server with three bugs.
import { demo, type Fault } from "@call-transfer/backend";
import { startMockServer } from "@call-transfer/mock-server";
import type { OperationId } from "@call-transfer/spec";
import { runSchemathesis } from "./schemathesis.ts";

interface Bug {
  readonly operation: OperationId;
  readonly status: number;
  readonly body: unknown;
  /** Whether it also answers without a valid credential. */
  readonly ignoresCredentials?: boolean;
  /** The check that must find it. */
  readonly check: string;
}

const bugs: readonly Bug[] = [
  {
    operation: "listAccounts",
    status: 200,
    body: { accounts: [] },
    ignoresCredentials: true,
    check: "ignored_auth",
  },
  { operation: "listRoles", status: 200, body: { roles: [{ role: "owner" }] }, check: "response_schema_conformance" },
  { operation: "getMemberAvailability", status: 203, body: {}, check: "status_code_conformance" },
];

/** A fault that makes the bug of every response to whom the bug is shown. */
const faultOf = ({ operation, status, body, ignoresCredentials }: Bug): Fault => ({
  match: {
    operationId: operation,
    ...(!ignoresCredentials && { headers: { authorization: `Bearer ${demo.apiKey}` } }),
  },
  when: { times: null },
  do: { status, body },
});

/** Runs the mock server with the bugs, and returns a line for each that Schemathesis does not find. */
export async function checkPlanted(command: string, document: unknown): Promise<readonly string[]> {
  const server = await startMockServer({ port: 0, faults: bugs.map(faultOf) });
  try {
    const { findings } = await runSchemathesis(command, {
      url: server.url,
      document,
      caller: { name: "an API key", credential: demo.apiKey },
      seed: 1,
      maxExamples: 10,
      phases: ["examples", "coverage"],
      options: bugs.flatMap(({ operation }) => ["--include-operation-id", operation]),
    });
    const missed = bugs.filter(
      (bug) =>
        !findings.some(
          ({ operation, check, answer }) =>
            operation === bug.operation && check === bug.check && answer === String(bug.status),
        ),
    );
    console.log(`${bugs.length - missed.length} of ${bugs.length} planted bugs found.`);
    return missed.map(({ operation, check }) => `A planted bug was not found: ${operation}, which ${check} must find.`);
  } finally {
    await server.close();
  }
}
