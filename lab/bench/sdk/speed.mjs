// Measures the time of one call, over loopback and in process. The clients take turns in short blocks, so that other load
// on the machine reaches all of them alike.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { performance } from "node:perf_hooks";
import { fileURLToPath } from "node:url";
import { body } from "./body.mjs";

/** Starts the server and runs `use` with its address. */
export async function withServer(use) {
  const script = fileURLToPath(new URL("./server.mjs", import.meta.url));
  const server = spawn(process.execPath, [script], { stdio: ["pipe", "pipe", "inherit"] });
  const [port] = await once(server.stdout, "data");
  try {
    return await use(`http://127.0.0.1:${String(port).trim()}`);
  } finally {
    server.kill();
  }
}

const expected = JSON.parse(body).memberId;

async function check(name, call) {
  const { memberId } = await call();
  if (memberId !== expected) throw new Error(`${name} returns something else than the body.`);
}

/** Makes a block of calls. Adds the microseconds of a call, and those of its processor time. */
async function block({ call, times, cpu }, calls) {
  const used = process.cpuUsage();
  const from = performance.now();
  for (let count = 0; count < calls; count += 1) await call();
  times.push(((performance.now() - from) * 1000) / calls);
  const { user, system } = process.cpuUsage(used);
  cpu.push((user + system) / calls);
}

export const percentile = (values, share) => values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)];

/** The median, with its interval of 95 %. */
export function medianOf(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = (sorted.length - 1) / 2;
  const reach = 0.98 * Math.sqrt(sorted.length);
  const at = (rank) => sorted[Math.min(sorted.length - 1, Math.max(0, Math.round(rank)))];
  return { value: at(middle), low: at(middle - reach), high: at(middle + reach) };
}

/** Times beside those of another, block by block in the same round. Other load slows both blocks of a round alike. */
export const pairedRatio = (times, others) => medianOf(times.map((time, round) => time / others[round]));

/** The time of each client's call in microseconds, and its time and processor time beside those of the first client. */
export async function timesOf(clients, options, { rounds, calls, warmUp }) {
  const measured = clients.map(({ name, create }) => ({ name, call: create(options).get, times: [], cpu: [] }));
  for (const { name, call } of measured) await check(name, call);
  for (let round = -warmUp; round < rounds; round += 1) {
    if (round === 0) for (const { times, cpu } of measured) times.length = cpu.length = 0;
    // Each round starts with another client.
    for (let turn = 0; turn < measured.length; turn += 1) {
      await block(measured[(round + warmUp + turn) % measured.length], calls);
    }
  }
  return measured.map(({ name, times, cpu }) => {
    const [floor] = measured;
    return {
      name,
      median: medianOf(times).value,
      beside: pairedRatio(times, floor.times),
      cpu: pairedRatio(cpu, floor.cpu),
    };
  });
}
