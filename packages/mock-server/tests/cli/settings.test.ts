import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { connectionOptions, type OptionRow, settings, startOptions } from "../../src/cli/options.ts";
import { addressInSettings, gather, type RawValues, settingVariables, settle } from "../../src/cli/settings.ts";
import { serverOptions } from "../../src/cli/start-options.ts";

const folder = mkdtempSync(join(tmpdir(), "call-transfer-settings-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A config file in a folder of its own. */
function config(content: unknown): string {
  const own = mkdtempSync(join(folder, "config-"));
  const path = join(own, "mock.json");
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

const start = (raw: RawValues, environment: Record<string, string> = {}) => settle(startOptions, raw, environment);
/** The options of the server, or the error, as the command would print it. */
const server = async (raw: RawValues, environment: Record<string, string> = {}) => {
  const { values, rename } = start(raw, environment);
  try {
    return serverOptions(values);
  } catch (error) {
    throw new Error(rename(String(Object(error).message)));
  }
};

/** A value of each kind, in a variable and in the config file, and what the command line would have given. */
function example({ value, repeats, kind, choices }: OptionRow) {
  if (value === undefined) return { variable: "true", field: true, parsed: true };
  if (kind === "policies") return { variable: "a=1,b=2", field: { a: 1, b: 2 }, parsed: ["a=1", "b=2"] };
  if (kind === "faults") return { variable: "a.b 1, 2; c", field: ["a.b 1, 2", "c"], parsed: ["a.b 1, 2", "c"] };
  if (repeats) return { variable: "one, two", field: ["one", "two"], parsed: ["one", "two"] };
  if (kind === "number") return { variable: "7", field: 7, parsed: "7" };
  if (kind === "path" || kind === "json") return { variable: "/a.json", field: "/a.json", parsed: "/a.json" };
  const word = choices?.at(-1) ?? "word";
  return { variable: word, field: word, parsed: word };
}

const rows = Object.entries(settings).filter(([name]) => name !== "config");
/** What a setting gets of what is given on the command line and in the environment. */
const givenFor =
  (name: string) =>
  (raw: RawValues, environment: Record<string, string> = {}) =>
    gather(name in startOptions ? startOptions : connectionOptions, raw, environment).given.get(name);
const own = ({ value, repeats }: OptionRow) => (value === undefined ? true : repeats ? ["given"] : "given");

it.each(rows)(
  "the setting %s can come from the config file, which an option of the command line replaces",
  (name, row) => {
    const { field, parsed } = example(row);
    const file = config({ [name]: field });
    expect(givenFor(name)({ config: file })).toEqual(parsed);
    expect(givenFor(name)({ config: file, [name]: own(row) })).toEqual(own(row));
  },
);

it.each([...settingVariables].filter(([, name]) => name !== "config"))(
  "the variable %s replaces the config file, and an option of the command line replaces it",
  (variable, name) => {
    const row = settings[name] ?? { help: "" };
    const { variable: text, field, parsed } = example(row);
    const file = config({ [name]: field });
    const given = givenFor(name);
    const isFlag = row.value === undefined;
    expect(given({}, { [variable]: text })).toEqual(parsed);
    const other = given({ config: file }, { [variable]: isFlag ? "0" : "9" });
    expect(other).toEqual(isFlag ? false : row.repeats ? ["9"] : "9");
    expect(given({ [name]: own(row) }, { [variable]: text })).toEqual(own(row));
  },
);

it("takes option, variable, config file and default in this order", () => {
  const path = config({ port: 1, clock: "running", maxSandboxes: 3, seed: {} });
  const environment = { CALL_TRANSFER_MOCK_PORT: "11", CALL_TRANSFER_MOCK_CLOCK: "frozen" };
  const { values } = start({ config: path, port: "21" }, environment);
  expect(serverOptions(values)).toMatchObject({ port: 21, clockMode: "frozen", maxSandboxes: 3, host: "127.0.0.1" });
});

it("finds the config file by CALL_TRANSFER_MOCK_CONFIG, and takes its paths as relative to it", async () => {
  const path = config({
    $schema: "./config.schema.json",
    seed: "data/seed.json",
    readyFile: "/abs.json",
    clock: "frozen",
  });
  const own = join(path, "..");
  mkdirSync(join(own, "data"));
  writeFileSync(join(own, "data", "seed.json"), "{}");
  const { values } = start({}, { CALL_TRANSFER_MOCK_CONFIG: path });
  expect(values).toMatchObject({ seed: join(own, "data", "seed.json"), readyFile: "/abs.json" });
  expect(serverOptions(values)).toMatchObject({ clockMode: "frozen", seed: {} });
  const faults = start({ config: config({ fault: ["faults.json", "createCall 503"] }) }).values.fault ?? [];
  expect(faults).toEqual([expect.stringMatching(/config-.+faults\.json$/), "createCall 503"]);
  const demo = start({ config: config({ seed: "demo" }) }).values;
  expect(demo.seed).toBe("demo");
});

it("takes policies, faults and the seed from the config file itself", async () => {
  const path = config({
    policy: { callQueueLimit: 0, defaultRecipientTimeZone: "UTC" },
    fault: [{ do: { code: "queue_full" } }],
    seed: { accounts: [] },
  });
  expect(await server({ config: path })).toMatchObject({
    policies: { callQueueLimit: 0, defaultRecipientTimeZone: "UTC" },
    faults: [{ do: { code: "queue_full" } }],
    seed: { accounts: [] },
  });
});

it("takes the control token from CALL_TRANSFER_CONTROL_TOKEN, for the server and for commands", async () => {
  const environment = { CALL_TRANSFER_CONTROL_TOKEN: "0123456789abcdef" };
  expect(await server({}, environment)).toMatchObject({ controlToken: "0123456789abcdef" });
  expect(settle(connectionOptions, {}, environment).values.controlToken).toBe("0123456789abcdef");
  const file = config({ controlToken: "fedcba9876543210" });
  expect(settle(connectionOptions, { config: file }, {}).values.controlToken).toBe("fedcba9876543210");
});

it("lets commands find the server that the same settings start", () => {
  expect(addressInSettings(undefined, {})).toBeUndefined();
  expect(addressInSettings(undefined, { CALL_TRANSFER_MOCK_PORT: "0" })).toBeUndefined();
  const environment = { CALL_TRANSFER_MOCK_PORT: "4020", CALL_TRANSFER_MOCK_HOST: "0.0.0.0" };
  expect(addressInSettings(undefined, environment)).toBe("http://127.0.0.1:4020");
  expect(addressInSettings(config({ port: 4021, host: "::1" }), {})).toBe("http://[::1]:4021");
});

it("lets settings change neither what a command prints nor its own option of the same name", () => {
  const file = config({ json: true, clock: "frozen" });
  expect(settle(connectionOptions, { config: file }, {}).values.json).toBe(false);
  const environment = { CALL_TRANSFER_MOCK_CLOCK: "frozen" };
  expect(settle({ clock: startOptions.clock }, {}, environment).given.has("clock")).toBe(false);
});

it("ignores empty variables, and those that Kubernetes sets for a service of this name", () => {
  const { given } = start(
    {},
    {
      CALL_TRANSFER_MOCK_DATA_FILE: "",
      CALL_TRANSFER_MOCK_PORT: "tcp://10.0.0.1:4010",
      CALL_TRANSFER_MOCK_PORT_4010_TCP_ADDR: "10.0.0.1",
      CALL_TRANSFER_MOCK_SERVICE_HOST: "10.0.0.1",
      CALL_TRANSFER_MOCK_SERVICE_PORT_HTTP: "4010",
    },
  );
  expect([...given.keys()]).toEqual([]);
});

it.each<[Record<string, string>, string]>([
  [{ CALL_TRANSFER_MOCK_PORT: "abc" }, "CALL_TRANSFER_MOCK_PORT abc: must be a whole number from 0 to 65535."],
  [{ CALL_TRANSFER_MOCK_CORS_ORIGIN: "nonsense" }, "CALL_TRANSFER_MOCK_CORS_ORIGIN nonsense: must be an origin"],
  [{ CALL_TRANSFER_MOCK_AUTO_SANDBOXES: "yes" }, "CALL_TRANSFER_MOCK_AUTO_SANDBOXES yes: must be true, false, 1 or 0."],
  [
    { CALL_TRANSFER_MOCK_MAX_SANDBOXES: "5" },
    'Unknown variable CALL_TRANSFER_MOCK_MAX_SANDBOXES. Use --max-sandboxes, or "maxSandboxes" in the config file.',
  ],
  [{ CALL_TRANSFER_MOCK_PROT: "1" }, "Unknown variable CALL_TRANSFER_MOCK_PROT. Did you mean CALL_TRANSFER_MOCK_PORT?"],
  [{ CALL_TRANSFER_MOCK_CONTROL_TOKEN: "hidden" }, "Did you mean CALL_TRANSFER_CONTROL_TOKEN?"],
  [{ CALL_TRANSFER_MOCK_CONFIG: "none.json" }, "CALL_TRANSFER_MOCK_CONFIG none.json: file not found."],
  [{ CALL_TRANSFER_MOCK_CONFIG: tmpdir() }, `CALL_TRANSFER_MOCK_CONFIG ${tmpdir()}: is a folder. Name a file.`],
  [{ CALL_TRANSFER_CONTROL_TOKEN: "hidden" }, "CALL_TRANSFER_CONTROL_TOKEN: must have 16 to 256 characters"],
  [{ CALL_TRANSFER_MOCK_FAULT: '{"do":{"code":"full"}}' }, "CALL_TRANSFER_MOCK_FAULT: do.code: unknown error code"],
])("names the variable for %j", async (environment, message) => {
  const outcome = server({}, environment);
  await expect(outcome).rejects.toThrow(message);
  await expect(outcome).rejects.not.toThrow("hidden");
});

it("names the variable at each place of a message", async () => {
  const { rename } = start({}, { CALL_TRANSFER_MOCK_TLS_KEY: "a.pem" });
  const message = "--tls-key a.pem: requires --tls-cert. Remove --tls-key.";
  expect(rename(message)).toBe(
    "CALL_TRANSFER_MOCK_TLS_KEY a.pem: requires --tls-cert. Remove CALL_TRANSFER_MOCK_TLS_KEY.",
  );
});

it.each<[unknown, string]>([
  [{ port: 99_999 }, "mock.json: port 99999: must be a whole number from 0 to 65535."],
  [{ port: "4010" }, "mock.json: port: must be a number."],
  [{ prot: 4010 }, "mock.json: prot: is not a setting. Did you mean port?"],
  [{ "max-sandboxes": 1 }, "mock.json: max-sandboxes: is not a setting. Did you mean maxSandboxes?"],
  [{ corsOrigin: "http://localhost:5173" }, "mock.json: corsOrigin: must be a list of strings."],
  [{ json: "yes" }, "mock.json: json: must be true or false."],
  [{ seed: 5 }, "mock.json: seed: must be a file name, or its content."],
  [{ policy: ["callQueueLimit=1"] }, "mock.json: policy: must be an object"],
  [{ policy: { callQueueLimit: "many" } }, "mock.json: policy callQueueLimit: "],
  [{ fault: [{ do: { code: "queue_full" } }, { do: { code: "full" } }] }, "mock.json: fault[1].do.code: unknown"],
  [{ controlToken: "hidden" }, "mock.json: controlToken: must have 16 to 256 characters"],
  [{ config: "other.json" }, "mock.json: config: is not a setting."],
  ["[]", "mock.json: must be a JSON object."],
  ['{"controlToken": "hidden" "port": 1}', "mock.json: not valid JSON: "],
  ['{"controlToken": hidden}', "mock.json: not valid JSON: "],
])("names the config file and the field for %j", async (content, message) => {
  const path = config(content);
  const outcome = server({ config: path });
  await expect(outcome).rejects.toThrow(message);
  await expect(outcome).rejects.not.toThrow("hidden");
});

it("leaves an error about an option of the command line as it is", async () => {
  await expect(server({ port: "abc" }, { CALL_TRANSFER_MOCK_PORT: "1" })).rejects.toThrow("--port abc: must be");
});
