// What docs/containers.md and the Dockerfile say exists.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type RequestListener, type Server } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { parse } from "yaml";
import { flagOf, startOptions, variables } from "../../packages/mock-server/src/cli/options.ts";
import { defaultConfigFile, settingVariables } from "../../packages/mock-server/src/cli/settings.ts";
import { execForm, pairsOf, readStages } from "./dockerfile.ts";

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const page = read("docs/containers.md");
const dockerfile = read("Dockerfile");
const fences = (language: string) =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, "gms"))].map(([, text = ""]) => text);

const known: ReadonlySet<string> = new Set([...settingVariables.keys(), ...Object.values(variables)]);
const unknownVariables = (text: string) =>
  [...text.matchAll(/\bCALL_TRANSFER_\w+/g)].map(([name]) => name).filter((name) => !known.has(name));

describe("the page on containers", () => {
  it("names only variables that exist", () => {
    expect(page).toContain("CALL_TRANSFER_MOCK_CORS_ORIGIN");
    expect(unknownVariables(page)).toEqual([]);
    expect(unknownVariables("CALL_TRANSFER_MOCK_PROT")).toEqual(["CALL_TRANSFER_MOCK_PROT"]);
  });

  it("gives only options of the server to the server", () => {
    const commands = page.match(/(?:call-transfer-mock|mock-server)(?: --[^`\n]*)/g)?.join(" ") ?? "";
    const options = [...`${commands} ${page.match(/`--[^`]+`/g)?.join(" ")}`.matchAll(/--([a-z][\w-]*)/g)];
    expect(options.length).toBeGreaterThan(5);
    const flags = Object.keys(startOptions).map(flagOf);
    expect(options.map(([flag]) => flag).filter((flag) => !flags.includes(flag))).toEqual([]);
  });

  it("shows YAML in which an app waits for a healthy server", () => {
    const [compose, workflow] = fences("yaml").map((text): unknown => parse(text));
    expect(compose).toMatchObject({
      services: {
        mock: { read_only: true, volumes: ["state:/state"] },
        app: { depends_on: { mock: { condition: "service_healthy" } } },
      },
    });
    expect(workflow).toMatchObject({ jobs: { test: { services: { mock: { ports: ["4010:4010"] } } } } });
  });
});

describe("the Dockerfile", () => {
  const stages = readStages(dockerfile);
  const last = (name: string) => stages.at(-1)?.instructions.filter((one) => one.name === name) ?? [];

  it("builds from source, and takes only what is published and what that needs", () => {
    expect(stages.map(({ name }) => name)).toEqual(["build", "production", undefined]);
    expect(last("COPY").map(({ text, options }) => [options.get("from"), text])).toEqual([
      ["production", "/app/ /app/"],
      ["build", "/source/state/ /state/"],
    ]);
    expect(last("RUN")).toEqual([]);
  });

  it("sets only variables that exist, and listens for other containers", () => {
    expect(pairsOf(last("ENV")[0]?.text ?? "")).toEqual({ NODE_ENV: "production", CALL_TRANSFER_MOCK_HOST: "0.0.0.0" });
    expect(unknownVariables(dockerfile)).toEqual([]);
  });

  it("checks its health and starts without a shell", () => {
    expect(execForm(last("HEALTHCHECK")[0]?.text.replace(/^CMD /, "") ?? "")).toHaveLength(3);
    expect(execForm(last("ENTRYPOINT")[0]?.text ?? "")).toEqual(["node", "/app/packages/mock-server/dist/cli.js"]);
  });
});

describe("the health check of the Dockerfile", () => {
  const { text = "" } =
    readStages(dockerfile)
      .at(-1)
      ?.instructions.find(({ name }) => name === "HEALTHCHECK") ?? {};
  const [, ...args] = execForm(text.replace(/^CMD /, ""));
  const folder = mkdtempSync(join(tmpdir(), "call-transfer-health-"));
  afterAll(() => rmSync(folder, { recursive: true }));

  /** The status of the check in a folder with a config file, beside a server. */
  async function check(server: Server, file: object, env: Record<string, string> = {}): Promise<unknown> {
    await once(server.listen(0, "127.0.0.1"), "listening");
    const address = server.address();
    const port = typeof address === "object" ? address?.port : undefined;
    writeFileSync(join(folder, defaultConfigFile), JSON.stringify({ port, ...file }));
    const [status] = await once(spawn(process.execPath, args, { cwd: folder, env, stdio: "ignore" }), "exit");
    server.close();
    return status;
  }
  const ok: RequestListener = (request, response) => {
    response.writeHead(request.url === "/health" ? 200 : 404).end();
  };

  it("finds the port in the mounted file, which a variable hides", async () => {
    expect(await check(createServer(ok), {})).toBe(0);
    expect(await check(createServer(ok), {}, { CALL_TRANSFER_MOCK_PORT: "1" })).toBe(1);
  });

  it("uses TLS if the mounted file names a certificate", async () => {
    const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
    const self = ["req", "-x509", "-days", "1", "-nodes", "-newkey", "rsa:2048", "-subj", "/CN=localhost"];
    execFileSync("openssl", [...self, "-keyout", key, "-out", cert], { stdio: "ignore" });
    const secure = () => createTlsServer({ cert: readFileSync(cert), key: readFileSync(key) }, ok);
    expect(await check(secure(), { tlsCert: "cert.pem" })).toBe(0);
    expect(await check(secure(), {})).toBe(1);
  });
});

it("reads continued lines, comments and options of a Dockerfile", () => {
  const [one, two] = readStages(
    'FROM a:1 AS x\n# no\nRUN b \\\n    && c\nFROM d\nCOPY --from=x --chown=1:1 /e /f\nENV A=1 B="2 3"\n',
  );
  expect(one).toMatchObject({ base: "a:1", name: "x", instructions: [{ name: "RUN", text: "b && c" }] });
  const [copy, env] = two?.instructions ?? [];
  expect([copy?.text, [...(copy?.options ?? [])]]).toEqual([
    "/e /f",
    [
      ["from", "x"],
      ["chown", "1:1"],
    ],
  ]);
  expect(pairsOf(env?.text ?? "")).toEqual({ A: "1", B: "2 3" });
});
