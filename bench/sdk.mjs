// Compares the SDK with other TypeScript SDKs in one run.
//
//   node bench/sdk.mjs --only loopback --quick   the SDK against bare fetch, in a few seconds
//   --sdk FILE                                   another built index.js; repeat it to compare several
import { parseArgs } from "node:util";
import { bare, ours, peers } from "./sdk/clients.mjs";
import { fetchInProcess, timesOf, withServer } from "./sdk/speed.mjs";

const { values } = parseArgs({
  options: {
    only: { type: "string", multiple: true },
    quick: { type: "boolean", default: false },
    sdk: { type: "string", multiple: true },
  },
});
const sdks = values.sdk
  ? await Promise.all(values.sdk.map((path) => ours(path, values.sdk.length > 1 ? path : undefined)))
  : [await ours()];
const clients = [bare, ...sdks, ...(values.quick ? [] : await peers())];
const isWanted = (part) => values.only?.includes(part) ?? true;

function print(title, results) {
  const [floor] = results;
  console.log(`\n${title}, 10th percentile (Node ${process.versions.node})`);
  for (const { name, ...of } of results) {
    const ratio = (by) => `${(of[by] / floor[by]).toFixed(2)}×`;
    const cells = [`${of.fast.toFixed(1)} µs`, ratio("fast"), `+${(of.fast - floor.fast).toFixed(1)} µs`];
    const others = `median ${ratio("median")}  processor time ${ratio("cpu")}`;
    console.log(`  ${name.padEnd(24)} ${cells.map((cell) => cell.padStart(10)).join("")}   ${others}`);
  }
}

if (isWanted("loopback")) {
  const amount = { rounds: 1000, calls: 20, warmUp: 100 };
  const results = await withServer((url) => timesOf(clients, { url }, amount));
  print("one GET over loopback", results);
}
if (isWanted("in-process")) {
  const amount = { rounds: 2000, calls: 50, warmUp: 100 };
  const reachable = clients.filter(({ needsNetwork }) => !needsNetwork);
  const results = await timesOf(reachable, { url: "http://127.0.0.1:1", fetch: fetchInProcess }, amount);
  print("one GET in process", results);
}
process.exit();
