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

/** Makes a block of calls. Adds the microseconds of each call, and their processor time together. */
async function block({ call, times, cpu }, calls) {
  const used = process.cpuUsage();
  for (let count = 0; count < calls; count += 1) {
    const from = performance.now();
    await call();
    times.push((performance.now() - from) * 1000);
  }
  const { user, system } = process.cpuUsage(used);
  cpu.push((user + system) / calls);
}

export const percentile = (values, share) => values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)];

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/**
 * Processor time beside that of the first client, block by block in the same round: the median of the ratios, with its interval of
 * 95 %. Other load slows both blocks of a round alike.
 */
export function pairedRatio(cpu, floor) {
  const ratios = cpu.map((time, round) => time / floor[round]).sort((a, b) => a - b);
  const middle = (ratios.length - 1) / 2;
  const reach = 0.98 * Math.sqrt(ratios.length);
  const at = (rank) => ratios[Math.min(ratios.length - 1, Math.max(0, Math.round(rank)))];
  return { ratio: at(middle), low: at(middle - reach), high: at(middle + reach) };
}

/** Microseconds of each client's call: the 10th percentile, the median, and the processor time, also beside the first client. */
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
    const paired = pairedRatio(cpu, measured[0].cpu);
    return { name, fast: percentile(times, 0.1), median: percentile(times, 0.5), cpu: mean(cpu), paired };
  });
}
