// The abilities of a mock besides the API: move time, fail on request, show requests, ring. The mock describes these operations itself.
import {
  type DocumentedOperation,
  inputSchemaOf,
  type JsonObject,
  type Parameter,
  partsOf,
} from "@call-transfer/backend/unstable";
import type { ToolAnnotations } from "@modelcontextprotocol/server";
import type { ControlPlane } from "./control-plane.ts";
import { messageOf } from "./failures.ts";
import { dataResult, failureResult, type Tool, textResult, withoutArguments } from "./tool.ts";

/** A useful handful of the control plane. Tokens, keys and policies are left to people. */
const choices = [
  "getClock",
  "updateClock",
  "advanceClock",
  "listRecords",
  "listRequests",
  "getRequest",
  "listFaults",
  "addFault",
  "deleteFaults",
  "applyScenario",
  "listTransfers",
  "startTransfer",
  "answerTransfer",
  "declineTransfer",
  "getInbox",
  "resetSandbox",
];

/** How many entries a list shows, unless the call says more. An assistant has to read them all. */
const shortList = 20;

/** The name of a tool that acts on the mock. */
const nameOf = (id: string): string => `mock_${id}`;

/** The tools of a mock's control plane. Operations that an older mock lacks are left out. */
export function controlTools(plane: ControlPlane): Tool[] {
  const offered = choices.map((id) => plane.operations.get(id)).filter((operation) => operation !== undefined);
  return [...offered.map((operation) => toolOf(plane, operation)), ...snapshotTools(plane)];
}

/** Parameters that decide whether secrets are shown: the server sets them. */
const decidesOnSecrets = ({ name }: Parameter): boolean => name === "redact" || name === "reveal";

const hasLimit = ({ parameters }: DocumentedOperation): boolean => parameters.some(({ name }) => name === "limit");

function toolOf(plane: ControlPlane, operation: DocumentedOperation): Tool {
  const { id, method, summary, description, parameters, body } = operation;
  const offered = forAssistants(operation);
  const redact = parameters.some(({ name }) => name === "redact") ? { redact: true } : {};
  const limit = hasLimit(operation) ? { limit: shortList } : {};
  return {
    name: nameOf(id),
    title: `Mock: ${summary}`,
    description: [`${summary}.`, description === `${summary}.` ? "" : description, body?.description ?? ""]
      .filter(Boolean)
      .join(" "),
    inputSchema: inputSchemaOf(offered),
    // A reset discards something, although its method does not say so.
    annotations: annotationsOf(method, `Mock: ${summary}`, id === "resetSandbox"),
    call: (given, signal) =>
      asResult(async () => {
        const parts = partsOf(offered, given);
        const data = await plane.call(operation, { ...parts, query: { ...limit, ...parts.query, ...redact } }, signal);
        return data === undefined ? textResult(`${id} succeeded.`) : dataResult(data as JsonObject);
      }),
  };
}

/** The operation with the arguments that an assistant should choose. */
function forAssistants(operation: DocumentedOperation): DocumentedOperation {
  const parameters = operation.parameters
    .filter((parameter) => !decidesOnSecrets(parameter))
    .map((parameter) =>
      parameter.name === "limit"
        ? {
            ...parameter,
            schema: { ...parameter.schema, description: "The maximum number of entries.", default: shortList },
          }
        : parameter,
    );
  return { ...operation, parameters, body: operation.body && asText(operation.body) };
}

/** Where a fault may be JSON or a text, the text, which is much shorter to describe. */
function asText(body: JsonObject): JsonObject {
  const alternatives = body.anyOf as readonly JsonObject[] | undefined;
  const isText = ({ properties }: JsonObject): boolean => Object.keys(Object(properties)).join() === "text";
  return alternatives?.find(isText) ?? body;
}

function annotationsOf(method: string, title: string, isDestructive: boolean): ToolAnnotations {
  return {
    title,
    readOnlyHint: method === "GET",
    destructiveHint: isDestructive || method === "DELETE",
    idempotentHint: method !== "POST" || isDestructive,
    openWorldHint: false,
  };
}

/** Snapshots stay in the server, because they contain keys and secrets. */
function snapshotTools(plane: ControlPlane): Tool[] {
  const read = plane.operations.get("getSnapshot");
  const write = plane.operations.get("restoreSnapshot");
  if (read === undefined || write === undefined) return [];
  let kept: unknown;
  const tool = (id: string, title: string, description: string, isDestructive: boolean, call: Tool["call"]): Tool => ({
    name: nameOf(id),
    title: `Mock: ${title}`,
    description,
    inputSchema: withoutArguments,
    annotations: annotationsOf("PUT", `Mock: ${title}`, isDestructive),
    call: (given, signal) => asResult(() => call(given, signal)),
  });
  const saved =
    "Keeps the records, clock, policies and faults of the mock as they are now, in place of an earlier snapshot.";
  const restored = `Returns to what ${nameOf("saveSnapshot")} kept. Later changes and the list of requests are lost.`;
  return [
    tool("saveSnapshot", "Save a snapshot", saved, false, async (_, signal) => {
      kept = await plane.call(read, {}, signal);
      return textResult(`The snapshot is kept until this server ends. ${nameOf("restoreSnapshot")} returns to it.`);
    }),
    tool("restoreSnapshot", "Return to the saved snapshot", restored, true, async (_, signal) => {
      if (kept === undefined) return failureResult([`There is no snapshot. Call ${nameOf("saveSnapshot")} first.`]);
      await plane.call(write, { body: kept as JsonObject }, signal);
      return textResult("The mock is as it was when the snapshot was saved.");
    }),
  ];
}

/** Turns a failure into a result. */
async function asResult(call: () => ReturnType<Tool["call"]>): ReturnType<Tool["call"]> {
  try {
    return await call();
  } catch (error) {
    return failureResult([`The mock refused. ${messageOf(error)}`]);
  }
}
