import { startMockServer, startProxy } from "@call-transfer/mock-server";
import { type OperationId, operations } from "@call-transfer/spec";
import { expect, it } from "vitest";
import { cases } from "../src/cases/index.ts";
import { at, bodyPointer, operationIds, resolve, type Schema } from "../src/document/document.ts";
import { bodyViolations } from "../src/document/schema-check.ts";
import { runCase } from "../src/suite/run.ts";
import { start } from "../src/world/names.ts";
import { world } from "../src/world/world.ts";
import { backendTarget, createReceiver } from "./backend-target.ts";
import { reasonFor } from "./prism-deviations.ts";

const isOperation = (id: string | undefined): id is OperationId => id !== undefined && Object.hasOwn(operations, id);

/** Whether a schema restricts a field to listed values at any depth. */
const hasEnum = (schema: Schema): boolean => {
  const { enum: values, properties = {}, items } = resolve<Schema>(schema);
  return values !== undefined || [...Object.values(properties), ...(items ? [items] : [])].some(hasEnum);
};

/** The cases with a value that a list of the document lacks. Prism accepts it where the list is open, our proxy reports it. */
const newValues = operationIds
  .filter((id) =>
    operations[id].successes.some(({ status }) => {
      const pointer = bodyPointer(id, status);
      return pointer !== undefined && hasEnum(at(pointer) as Schema);
    }),
  )
  .map((id) => `broken responses: ${id} after unknownEnum `);

it("the suite passes through the proxy, which reports the responses that a case breaks, and no others", async () => {
  const server = await startMockServer({ port: 0, clock: "frozen", now: start });
  const failures: string[] = [];
  const reported: string[] = [];
  /** Bodies in which Ajv finds violations, and the proxy finds none. */
  const missed: string[] = [];
  for (const [index, contractCase] of cases.entries()) {
    const sandbox = `case-${index}`;
    const name = `${contractCase.noun}: ${contractCase.name}`;
    const { received, fetch: deliver } = createReceiver();
    const backend = server.sandboxes.create(sandbox, { seed: structuredClone(world), fetch: deliver });
    const proxy = await startProxy({ port: 0, target: `${server.url}/_sandbox/${sandbox}` });
    const place = { baseUrl: proxy.url, fetch: globalThis.fetch };
    const { failure } = await runCase(contractCase, backendTarget("proxy", backend, received, place));
    if (failure !== undefined) failures.push(`${name}: ${failure}`);
    const { journal } = proxy.backend;
    const found = journal.list().map(({ id, operationId, status, deviations = [] }) => {
      const inResponse = deviations.filter(({ side }) => side === "response");
      const body = journal.get(id)?.responseBody;
      const isChecked = isOperation(operationId) && typeof body === "object";
      if (isChecked && inResponse.length === 0 && bodyViolations(operationId, status, body).length > 0)
        missed.push(name);
      return inResponse.length;
    });
    if (found.some((count) => count > 0)) reported.push(name);
    await proxy.close();
    server.sandboxes.delete(sandbox);
  }
  await server.close();
  const titles = cases.map((one) => ({ title: `${one.noun}: ${one.name}`, reason: reasonFor("broken", one) }));
  const broken = titles.filter(
    ({ title, reason }) => reason !== undefined || newValues.some((begin) => title.startsWith(begin)),
  );
  expect({ failures, missed }).toEqual({ failures: [], missed: [] });
  expect(reported).toEqual(broken.map(({ title }) => title));
}, 600_000);
