// What a GitHub workflow must keep to: few rights, given to each job by name; actions that cannot change under us; no text
// from outside in a shell; an end in sight.
import { parse } from "yaml";
import { isEqual, isObject, listIn, objectIn } from "../../scripts/release/json.ts";

const pinned = /^[\w.-]+\/[\w./-]+@[0-9a-f]{40}$/;
/** Runs code of other packages, which has no place where something can be published. */
const runsForeignCode = /\bnpm (?:ci|install|i|run|exec|test)\b|\bnpx\b|\.ci\/run/;

/** Runs the release gate, which reads the last release from git's history. */
const runsGate = /\brelease:(?:check|version|dry-run)\b|\.ci\/run/;

function problemsOfStep(step: unknown, where: string, text: string, mayPublish: boolean): string[] {
  const { uses, run, with: inputs } = objectIn(step);
  const found: string[] = [];
  if (typeof uses === "string") {
    if (!pinned.test(uses)) found.push(`${where} uses ${uses}, which is not pinned by a full commit`);
    if (!text.includes(`${uses} # v`)) {
      found.push(`${where} does not say which version ${uses} is`);
    }
    if (uses.startsWith("actions/checkout@") && objectIn(inputs)["persist-credentials"] !== false) {
      found.push(`${where} leaves the checkout's credentials behind`);
    }
  }
  if (typeof run === "string") {
    if (run.includes("${{")) found.push(`${where} puts \${{ … }} into a shell; hand it over by env`);
    if (mayPublish && runsForeignCode.test(run))
      found.push(`${where} runs code of other packages where it may publish`);
  }
  return found;
}

/** What is wrong with a workflow's text, in sentences. */
export function workflowProblems(text: string): string[] {
  const workflow = objectIn(parse(text) as unknown);
  const found: string[] = [];
  if (!isEqual(workflow.permissions, {})) found.push("the workflow itself must have no permissions: `permissions: {}`");
  if ("pull_request_target" in objectIn(workflow.on))
    found.push("pull_request_target gives rights to code of strangers");
  if (/\bsecrets\./.test(text)) found.push("secrets have no place here; publishing is trusted by OIDC");
  for (const [name, job] of Object.entries(objectIn(workflow.jobs))) {
    const { permissions, "timeout-minutes": minutes, steps } = objectIn(job);
    if (!isObject(permissions)) found.push(`${name} does not name its permissions`);
    if (typeof minutes !== "number") found.push(`${name} has no timeout-minutes`);
    const rights = objectIn(permissions);
    const mayPublish = rights["id-token"] === "write";
    if (mayPublish && !isEqual(rights, { "id-token": "write" })) found.push(`${name} may publish and more than that`);
    const checkouts = listIn(steps).filter((step) => String(objectIn(step).uses).startsWith("actions/checkout@"));
    const isWhole = checkouts.every((step) => objectIn(objectIn(step).with)["fetch-depth"] === 0);
    if (runsGate.test(JSON.stringify(steps)) && !isWhole)
      found.push(`${name} runs the release gate without fetch-depth: 0`);
    listIn(steps).forEach((step, index) => {
      found.push(...problemsOfStep(step, `${name}, step ${index + 1},`, text, mayPublish));
    });
  }
  return found;
}

/** The jobs that may get a token to publish with. */
export const publishersIn = (text: string): string[] =>
  Object.entries(objectIn(objectIn(parse(text) as unknown).jobs))
    .filter(([, job]) => objectIn(objectIn(job).permissions)["id-token"] === "write")
    .map(([name]) => name);
