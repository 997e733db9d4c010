// Rules for GitHub workflows: minimal permissions for each job, pinned actions, no untrusted text in a shell, a timeout.
import { parse } from "yaml";
import { isEqual, isObject, listIn, objectIn } from "../../scripts/release/json.ts";

const pinned = /^[\w.-]+\/[\w./-]+@[0-9a-f]{40}$/;
/** Commands that run third-party code. They are forbidden in jobs that can publish or push. */
const runsForeignCode = /\bnpm (?:ci|install|i|run|exec|test)\b|\bnpx\b|\bpip install (?!.*--require-hashes)|\.ci\/run/;

/** Commands that run the release gate, which needs the full git history. */
const runsGate = /\brelease -- (?:check|version|dry-run)\b|\.ci\/run/;

function problemsOfStep(step: unknown, where: string, text: string, mayWrite: boolean): string[] {
  const { uses, run, with: inputs } = objectIn(step);
  const found: string[] = [];
  if (typeof uses === "string") {
    if (!pinned.test(uses)) found.push(`${where} uses ${uses}, which is not pinned. Use a full commit id.`);
    if (!text.includes(`${uses} # v`)) {
      found.push(`${where} does not name the version of ${uses}. Add a comment such as # v1.2.3.`);
    }
    if (mayWrite && !uses.startsWith("actions/"))
      found.push(`${where} uses an action of others in a job that can publish or push. Move it to another job.`);
    if (uses.startsWith("actions/checkout@") && objectIn(inputs)["persist-credentials"] !== false) {
      found.push(`${where} keeps the credentials of the checkout. Set persist-credentials: false.`);
    }
  }
  if (typeof run === "string") {
    if (run.includes("${{")) found.push(`${where} puts \${{ … }} into a shell. Pass it through env.`);
    if (mayWrite && runsForeignCode.test(run))
      found.push(`${where} runs third-party code in a job that can publish or push. Move it to another job.`);
  }
  return found;
}

/** Problems of a workflow, each with its fix. */
export function workflowProblems(text: string): string[] {
  const workflow = objectIn(parse(text) as unknown);
  const found: string[] = [];
  if (!isEqual(workflow.permissions, {})) found.push("the workflow has permissions. Set `permissions: {}`.");
  if ("pull_request_target" in objectIn(workflow.on))
    found.push("pull_request_target gives permissions to untrusted code. Use pull_request.");
  if (/\bsecrets\./.test(text)) found.push("the workflow uses a secret. Publish with OIDC instead.");
  for (const [name, job] of Object.entries(objectIn(workflow.jobs))) {
    const { permissions, "timeout-minutes": minutes, steps } = objectIn(job);
    if (!isObject(permissions)) found.push(`${name} has no permissions. Name them.`);
    if (typeof minutes !== "number") found.push(`${name} has no timeout-minutes. Add it.`);
    const rights = objectIn(permissions);
    const mayPublish = rights["id-token"] === "write";
    const mayWrite = mayPublish || rights.contents === "write";
    // A deployment to Pages needs one more. Then the job may do nothing else.
    const isDeployment =
      listIn(steps).length > 0 &&
      listIn(steps).every((step) => String(objectIn(step).uses).startsWith("actions/deploy-pages@"));
    const needed = { "id-token": "write", ...(isDeployment ? { pages: "write" } : {}) };
    if (mayPublish && !isEqual(rights, needed))
      found.push(`${name} has more permissions than publishing needs. Remove them.`);
    const checkouts = listIn(steps).filter((step) => String(objectIn(step).uses).startsWith("actions/checkout@"));
    const isWhole = checkouts.every((step) => objectIn(objectIn(step).with)["fetch-depth"] === 0);
    if (runsGate.test(JSON.stringify(steps)) && !isWhole)
      found.push(`${name} runs the release gate without fetch-depth: 0. Add it.`);
    listIn(steps).forEach((step, index) => {
      found.push(...problemsOfStep(step, `${name}, step ${index + 1},`, text, mayWrite));
    });
  }
  return found;
}

/** Jobs that can publish. */
export const publishersIn = (text: string): string[] =>
  Object.entries(objectIn(objectIn(parse(text) as unknown).jobs))
    .filter(([, job]) => objectIn(objectIn(job).permissions)["id-token"] === "write")
    .map(([name]) => name);
