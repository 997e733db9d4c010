// Places calls and creates groups for some seconds, in a sandbox of its own
// whose limits are lifted. Start a mock server, then:
//   npm run example -- examples/load-test.ts --seconds 10 --concurrency 20
import { parseArgs } from "node:util";
import { demo } from "@call-transfer/mock-server/backend";
import { CallTransfer, isApiError } from "@call-transfer/sdk";

const { values } = parseArgs({
  options: {
    url: {
      type: "string",
      default: process.env.CALL_TRANSFER_BASE_URL ?? "http://127.0.0.1:4010",
    },
    seconds: { type: "string", default: "10" },
    concurrency: { type: "string", default: "20" },
  },
});
const { url } = values;
const [seconds, concurrency] = [
  Number(values.seconds),
  Number(values.concurrency),
];
if (!(seconds > 0 && Number.isInteger(concurrency) && concurrency > 0))
  throw new Error(
    "--seconds must be a number above 0, and --concurrency a whole number from 1.",
  );
const sandbox = `load-${Date.now()}`;

/**
 * A request to the control plane. The header also leads it to the sandbox's
 * server behind a proxy.
 */
async function control(
  method: string,
  path: string,
  body?: unknown,
): Promise<void> {
  const token = process.env.CALL_TRANSFER_CONTROL_TOKEN;
  const headers = {
    "Content-Type": "application/json",
    "X-Sandbox": sandbox,
    ...(token && { Authorization: `Bearer ${token}` }),
  };
  const response = await fetch(`${url}/_control/v1${path}`, {
    method,
    headers,
    body: JSON.stringify(body) ?? null,
  });
  if (!response.ok)
    throw new Error(
      `${method} ${path}: ${response.status} ${await response.text()}`,
    );
}

let retries = 0;
const client = new CallTransfer({
  baseUrl: `${url}/_sandbox/${sandbox}`,
  apiKey: process.env.CALL_TRANSFER_API_KEY ?? demo.apiKey,
  onRetry: () => (retries += 1),
});
const call = {
  flowId: demo.flows.published,
  fromNumber: demo.numbers.working,
  toNumber: demo.recipients.anyone,
};
const members = [{ destinationId: demo.destinations.phone }];
const operations = {
  createCall: () => client.calls.create(call),
  createDestinationGroup: (number: number) =>
    client.destinationGroups.create({ name: `Group ${number}`, members }),
};

const times = {
  createCall: [] as number[],
  createDestinationGroup: [] as number[],
};
const errors = new Map<string, number>();
let requests = 0;

async function work(until: number): Promise<void> {
  while (performance.now() < until) {
    requests += 1;
    const name = requests % 2 === 0 ? "createCall" : "createDestinationGroup";
    const start = performance.now();
    const { ok, error } = await operations[name](requests).result();
    if (ok) times[name].push(performance.now() - start);
    else {
      const code = (isApiError(error) && error.code) || error.name;
      errors.set(code, (errors.get(code) ?? 0) + 1);
    }
  }
}

const none = 1_000_000_000;
const policies = {
  rateLimit: { requests: none, windowSecs: 1 },
  ...{ concurrentCallLimit: none, dailyCallLimit: none },
};
await control("POST", "/sandboxes", { name: sandbox, policies });
const start = performance.now();
await Promise.all(
  Array.from({ length: concurrency }, () => work(start + seconds * 1000)),
);
const took = (performance.now() - start) / 1000;
await control("DELETE", `/sandboxes/${sandbox}`);

const ms = (sorted: readonly number[], part: number) =>
  `${(sorted[Math.ceil(part * sorted.length) - 1] ?? Number.NaN).toFixed(1)} ms`;
for (const [name, all] of Object.entries(times)) {
  const sorted = all.sort((a, b) => a - b);
  const percentiles = [0.5, 0.9, 0.99, 1].map(
    (part) => `${part * 100}% ${ms(sorted, part)}`,
  );
  console.log(
    `${name}: ${all.length} done, ${Math.round(all.length / took)}/s, ${percentiles.join(", ")}`,
  );
}
const failed = [...errors].map(([code, count]) => `${count} ${code}`);
console.log(`errors: ${failed.join(", ") || "none"}`);
console.log(`retries: ${retries}`);
process.exitCode = failed.length + retries === 0 ? 0 : 1;
