// Serves the bundled document with Prism and sends it one valid request for each operation, and invalid ones.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual } from "node:util";
import { type OperationDescription, operations } from "@call-transfer/spec";
import document from "@call-transfer/spec/openapi.json" with { type: "json" };

const prismCommand = fileURLToPath(import.meta.resolve("@stoplight/prism-cli/dist/index.js"));
const documentPath = fileURLToPath(import.meta.resolve("@call-transfer/spec/openapi.json"));
const startWithinMs = 60_000;
const answerWithinMs = 10_000;

/** Where Prism 5 behaves unlike the API; each of its answers is still one that the operation documents. */
const deviations = {
  unprocessableFirst: "an invalid body is answered 422 instead of 400 where the operation documents a 422",
  anyCredential: "any bearer token is accepted; only its absence is refused",
  malformedJson: "a body that is not JSON is never answered, so none is sent here",
};

interface Exchange {
  name: string;
  operation: OperationDescription;
  init: RequestInit;
  accepts: (status: number, body: unknown) => boolean;
}

const authorization = { authorization: "Bearer example" };

function requestExampleOf(operation: OperationDescription): unknown {
  const item = (document.paths as Record<string, Record<string, unknown>>)[operation.path]?.[
    operation.method.toLowerCase()
  ] as { requestBody?: { content: { "application/json": { examples: Record<string, { value: unknown }> } } } };
  return Object.values(item.requestBody?.content["application/json"].examples ?? {})[0]?.value;
}

function exchangesOf(operation: OperationDescription): Exchange[] {
  const [success] = operation.successes;
  const example = requestExampleOf(operation);
  const request = (body: unknown, credential = {}): RequestInit =>
    operation.hasBody
      ? { headers: { ...credential, "content-type": "application/json" }, body: JSON.stringify(body) }
      : { headers: credential };
  const valid: Exchange = {
    name: "valid request",
    operation,
    init: request(example, authorization),
    accepts: (status, body) => status === success?.status && isDeepStrictEqual(body, success.example),
  };
  const anonymous: Exchange = {
    name: "no credential",
    operation,
    init: request(example),
    accepts: (status) => status === 401,
  };
  if (!operation.hasBody) return [valid, anonymous];
  const refusal = operation.statuses.includes(422) ? 422 : 400;
  const empty: Exchange = {
    name: "empty body",
    operation,
    init: request({}, authorization),
    accepts: (status) => status === refusal,
  };
  return [valid, anonymous, empty];
}

async function freePort(): Promise<number> {
  const probe = createServer().listen(0, "127.0.0.1");
  await once(probe, "listening");
  const address = probe.address();
  probe.close();
  await once(probe, "close");
  if (address === null || typeof address === "string") throw new Error("no free port on the loopback interface");
  return address.port;
}

async function waitForAnswer(baseUrl: string, prism: ChildProcess): Promise<void> {
  const deadline = Date.now() + startWithinMs;
  while (Date.now() < deadline && prism.exitCode === null) {
    try {
      await fetch(baseUrl, { signal: AbortSignal.timeout(1000) });
      return;
    } catch {
      await sleep(200);
    }
  }
  throw new Error(prism.exitCode === null ? `Prism did not answer within ${startWithinMs} ms` : "Prism ended");
}

async function attempt(baseUrl: string, { name, operation, init, accepts }: Exchange): Promise<string | undefined> {
  const path = operation.path.replace(/\{[^}]+\}/g, "2a9b6c1e-3f4d-4e5a-8b6c-7d8e9f0a1b2c");
  const signal = AbortSignal.timeout(answerWithinMs);
  const response = await fetch(baseUrl + path, { ...init, method: operation.method, signal });
  const text = await response.text();
  const fine = accepts(response.status, text === "" ? null : JSON.parse(text));
  console.log(`${fine ? "ok  " : "FAIL"} ${operation.id}, ${name}: ${response.status}`);
  return fine ? undefined : `${operation.id}, ${name}: ${response.status} ${text}`;
}

const port = await freePort();
const prism = spawn(process.execPath, [prismCommand, "mock", documentPath, "-p", String(port), "-h", "127.0.0.1"], {
  stdio: ["ignore", "pipe", "pipe"],
});
let output = "";
for (const stream of [prism.stdout, prism.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));

const failures: string[] = [];
try {
  const baseUrl = `http://127.0.0.1:${port}`;
  await waitForAnswer(baseUrl, prism);
  for (const exchange of Object.values(operations).flatMap(exchangesOf)) {
    const failure = await attempt(baseUrl, exchange);
    if (failure) failures.push(failure);
  }
} catch (error) {
  failures.push(`${error instanceof Error ? error.message : error}\n${output.slice(-2000)}`);
} finally {
  if (prism.exitCode === null && prism.kill()) await once(prism, "exit");
}

console.log(
  `Known deviations of Prism:\n${Object.values(deviations)
    .map((text) => `- ${text}`)
    .join("\n")}`,
);
for (const failure of failures) console.error(failure);
if (failures.length > 0) process.exitCode = 1;
