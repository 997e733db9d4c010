import { startMockServer, startPrismServer } from "@call-transfer/mock-server";
import { start } from "../src/fixtures/names.ts";
import { world } from "../src/fixtures/world.ts";
import { type CaseResult, runCase } from "../src/suite/run.ts";
import type { CaseName, Target } from "../src/suite/target.ts";
import { backendTarget, createReceiver } from "./backend-target.ts";
import { patientFetch, reasonFor } from "./prism-deviations.ts";
import type { TargetRunner } from "./runner.ts";

const name = "prism-proxy";

/** Prism's violations of a response. Violations of requests are ignored, because tests send invalid ones. */
function objectionsTo(response: Response): string[] {
  const listed: unknown = JSON.parse(response.headers.get("sl-violations") ?? "[]");
  const violations = listed as readonly { readonly location: readonly string[]; readonly message: string }[];
  return violations
    .filter(({ location }) => location[0] === "response")
    .map(({ location, message }) => `Prism reports a violation at ${location.join(".")}: ${message}`);
}

/** Adds the violations that Prism reported during the case to its result. */
export function judged(run: CaseResult, contractCase: CaseName, objections: readonly string[]): CaseResult {
  const purpose = reasonFor("broken", contractCase);
  const stale =
    objections.length === 0
      ? [`Prism reports no violation, but the case is listed: ${purpose}. Remove it from the list.`]
      : [];
  const found = purpose === undefined ? objections : stale;
  if (found.length === 0) return run;
  return { ...run, failure: [...(run.failure === undefined ? [] : [run.failure]), ...found].join("\n") };
}

/**
 * The mock server behind Prism as a proxy, which forwards requests unchanged and validates every response against the
 * OpenAPI document: an independent check of the server.
 */
export const prismProxy: TargetRunner = {
  name,
  async run(cases, onRun) {
    const server = await startMockServer({ port: 0, clockMode: "frozen", now: start });
    const prism = await startPrismServer({ port: 0, upstream: server.url });
    try {
      for (const [index, contractCase] of cases.entries()) {
        const sandbox = `case-${index}`;
        const { received, fetch: deliver } = createReceiver();
        const backend = server.sandboxes.create(sandbox, { seed: structuredClone(world), fetch: deliver });
        const objections: string[] = [];
        const send = patientFetch(contractCase);
        const fetch: Target["fetch"] = async (input, init) => {
          const request = new Request(input, init);
          request.headers.set("X-Sandbox", sandbox);
          const response = await send(request);
          objections.push(...objectionsTo(response));
          return response;
        };
        const target: Target = {
          ...backendTarget(name, backend, received, { baseUrl: prism.url, fetch }),
          knownDeviation: (asked) => reasonFor(name, asked),
        };
        onRun(judged(await runCase(contractCase, target), contractCase, objections));
        server.sandboxes.delete(sandbox);
      }
    } finally {
      await prism.close();
      await server.close();
    }
  },
};
