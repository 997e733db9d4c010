// The SDK beside other TypeScript SDKs: speed and sizes.
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { pack, temporaryFolder } from "../../scripts/packed.ts";
import { temporaryFolder as serverFolder, startServer } from "../../tests/receiving/server-process.ts";
import { bare, body, headers, ours, peers, programs, versionOf } from "./clients.mjs";
import { pairedRatio } from "./figures.ts";
import { bundled, importTimes, install } from "./installed.mjs";

const us = "@call-transfer/sdk";
const serverProgram = fileURLToPath(new URL("reading-server.mjs", import.meta.url));

/** The time and the processor time of each client's call, beside those of the first. The clients take turns in short blocks. */
async function besideFirst(clients, method, options, { rounds, calls, warmUp }) {
  const measured = clients.map(({ name, create }) => ({ name, call: create(options)[method], times: [], cpu: [] }));
  for (let round = -warmUp; round < rounds; round += 1)
    for (let turn = 0; turn < measured.length; turn += 1) {
      // Each round starts with another client.
      const { call, times, cpu } = measured[(round + warmUp + turn) % measured.length];
      const used = process.cpuUsage();
      const from = performance.now();
      for (let count = 0; count < calls; count += 1) await call();
      const passed = performance.now() - from;
      const { user, system } = process.cpuUsage(used);
      if (round < 0) continue;
      times.push(passed);
      cpu.push(user + system);
    }
  const [first] = measured;
  const ratios = (kind) => Object.fromEntries(measured.map((one) => [one.name, pairedRatio(one[kind], first[kind])]));
  return { time: ratios("times"), cpu: ratios("cpu") };
}

/** A figure of every client, with the value of this one's first. */
function figureOf(what, values, more) {
  const { [us]: own, fetch: _, ...others } = values;
  const plain = (one) => (typeof one === "object" ? one.value : one);
  const peers = Object.fromEntries(Object.entries(others).map(([name, one]) => [name, plain(one)]));
  return { what, ...(typeof own === "object" ? own : { value: own }), peers, ...more };
}

async function sizeFigures() {
  using folder = temporaryFolder("bench-sdk");
  const tarballs = pack(folder.path, ["sdk"]);
  const projects = {};
  const installed = {};
  for (const name of Object.keys(programs)) {
    projects[name] = join(folder.path, name.replace(/\W/g, "-"));
    installed[name] = install(projects[name], {
      [name]: name in tarballs ? `file:../${tarballs[name]}` : versionOf(name),
    });
  }
  const imports = importTimes(projects, 8);
  const of = async (measure) => {
    const values = {};
    for (const [name, program] of Object.entries(programs)) values[name] = await measure(name, program);
    return values;
  };
  const bytes = "unknown outcomes, the search for them, and errors that say what to do take bytes";
  return [
    figureOf(
      "Bundle of everything, minified, after gzip",
      await of((name, { whole }) => bundled(projects[name], whole)),
      {
        ...{ unit: " kB", limit: 24, why: bytes },
      },
    ),
    figureOf(
      "Bundle for one operation, minified, after gzip",
      await of((name, { whole, one = whole }) => bundled(projects[name], one)),
      { unit: " kB", limit: 21, why: "one operation brings the whole way of a request" },
    ),
    figureOf("import(): processor time, beside retell-sdk", await of((name) => imports[name] / imports["retell-sdk"]), {
      unit: "×",
      limit: 0.35,
    }),
    figureOf("Installation, with dependencies", await of((name) => installed[name]), { unit: " MB" }),
  ];
}

export async function measure(isQuick) {
  const own = await ours();
  const others = await peers();
  const all = [bare, own, ...others];
  const scale = isQuick ? 10 : 1;
  const server = await startServer(
    {
      command: (port) => [process.execPath, serverProgram, String(port)],
      ...{ folder: serverFolder(), readyText: "ready", endSignal: "SIGKILL" },
    },
    "http://",
  );
  const amount = { rounds: 400 / scale, calls: 20, warmUp: 50 };
  const get = await besideFirst(all, "get", { url: server.url }, amount);
  const post = await besideFirst([bare, own], "post", { url: server.url }, amount);
  await server.stop();
  const fetch = async () => new Response(body, { status: 200, headers });
  const reachable = all.filter(({ needsNetwork }) => !needsNetwork);
  const inProcess = await besideFirst(...[reachable, "get", { url: "http://127.0.0.1:1", fetch }], {
    rounds: 800 / scale,
    calls: 50,
    warmUp: 50,
  });
  const node = "stripe takes `node:http` on Node by default, which costs less than `fetch`";
  const figures = [
    figureOf("A GET over loopback, beside bare `fetch`", get.time, { unit: "×", limit: 1.45, why: node }),
    figureOf("A GET without a network, beside bare `fetch`", inProcess.time, { unit: "×", limit: 1.8 }),
    figureOf("Processor time of a POST over loopback", post.cpu, { unit: "×", limit: 1.4 }),
  ];
  return isQuick ? figures : [...figures, ...(await sizeFigures())];
}
