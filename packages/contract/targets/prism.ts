import { startPrismServer } from "@call-transfer/mock-server";
import { runCase } from "../src/suite/run.ts";
import type { Target } from "../src/suite/target.ts";
import { patientFetch, reasonFor } from "./prism-deviations.ts";
import type { TargetRunner } from "./runner.ts";

const name = "prism";
const noHandle = "Prism has no control plane";
const cannot: Target["unsupported"] = {
  state: "answers are examples of the document, whatever was sent before",
  authentication: "any bearer token is as good as another",
  clock: noHandle,
  faults: noHandle,
  policies: noHandle,
  webhooks: noHandle,
  transfers: noHandle,
};

/** The OpenAPI document served by Prism: tests its schemas and examples without our code. */
export const prism: TargetRunner = {
  name,
  async run(cases, onRun) {
    const server = await startPrismServer({ port: 0 });
    try {
      for (const contractCase of cases) {
        const target: Target = {
          name,
          baseUrl: server.url,
          fetch: patientFetch(contractCase),
          unsupported: cannot,
          knownDeviation: (asked) => reasonFor(name, asked),
          credentialsFor: async ({ accountId }) => ({
            accessToken: "any",
            ...(accountId !== undefined && { accountId }),
          }),
          seed: async () => {},
        };
        onRun(await runCase(contractCase, target));
      }
    } finally {
      await server.close();
    }
  },
};
