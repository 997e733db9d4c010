import { expect, it } from "vitest";
import { connectionOptions, type OptionRow, settings, startOptions } from "../../src/cli/options.ts";
import { addressInEnvironment, type RawValues, settingVariables, settle } from "../../src/cli/settings.ts";
import { serverOptions } from "../../src/cli/start-options.ts";

type Environment = Readonly<Record<string, string>>;
const start = (raw: RawValues, env: Environment = {}) => settle(startOptions, raw, env);

/** The options of the server. Throws the error as the command would print it. */
const server = (raw: RawValues, env: Environment = {}) => {
  const { values, rename } = start(raw, env);
  try {
    return serverOptions(values);
  } catch (error) {
    throw new Error(rename(String(Object(error).message)));
  }
};

/** What variables hold, by the option, and what the command line would have given. */
const samples: Readonly<Record<string, readonly [variable: string, given: string | readonly string[]]>> = {
  port: ["7", "7"],
  clock: ["frozen", "frozen"],
  forwardHeader: ["A: 1, B: 2", ["A: 1", "B: 2"]],
  policy: ["a=1,b=2", ["a=1", "b=2"]],
  fault: ["a.b 1, 2; c", ["a.b 1, 2", "c"]],
};
const sampleOf = (name: string, { value, repeats }: OptionRow) => {
  if (value === undefined) return ["true", true] as const;
  return samples[name] ?? (repeats ? (["a, b", ["a", "b"]] as const) : (["http://a.test", "http://a.test"] as const));
};

it.each([...settingVariables])(
  "the variable %s sets %s, and an option of the command line replaces it",
  (variable, name) => {
    const row = settings[name] ?? { help: "" };
    const [text, given] = sampleOf(name, row);
    const table = name in startOptions ? startOptions : connectionOptions;
    expect(settle(table, {}, { [variable]: text }).given.get(name)).toEqual(given);
    const other = row.value === undefined ? "0" : text;
    expect(settle(table, { [name]: given }, { [variable]: other }).given.get(name)).toBe(given);
  },
);

it("takes option, variable and default in this order", () => {
  const env = { CALL_TRANSFER_MOCK_PORT: "11", CALL_TRANSFER_MOCK_CLOCK: "frozen" };
  expect(server({ port: "21" }, env)).toMatchObject({ port: 21, clockMode: "frozen", host: "127.0.0.1" });
});

it("takes the control token from CALL_TRANSFER_CONTROL_TOKEN, for the server and for commands", () => {
  const env = { CALL_TRANSFER_CONTROL_TOKEN: "0123456789abcdef" };
  expect(server({}, env)).toMatchObject({ controlToken: "0123456789abcdef" });
  expect(settle(connectionOptions, {}, env).values.controlToken).toBe("0123456789abcdef");
});

it("lets commands find the server that the same variables start", () => {
  expect(addressInEnvironment({ CALL_TRANSFER_MOCK_PORT: "0" })).toBeUndefined();
  const env = { CALL_TRANSFER_MOCK_PORT: "4020", CALL_TRANSFER_MOCK_HOST: "0.0.0.0" };
  expect(addressInEnvironment(env)).toBe("http://127.0.0.1:4020");
  expect(addressInEnvironment({ ...env, CALL_TRANSFER_MOCK_HOST: "::1" })).toBe("http://[::1]:4020");
});

it("ignores empty variables, and those that Kubernetes sets for a service of this name", () => {
  const env = {
    CALL_TRANSFER_MOCK_DATA_FILE: "",
    CALL_TRANSFER_MOCK_PORT: "tcp://10.0.0.1:4010",
    CALL_TRANSFER_MOCK_PORT_4010_TCP_ADDR: "10.0.0.1",
    CALL_TRANSFER_MOCK_SERVICE_HOST: "10.0.0.1",
    CALL_TRANSFER_MOCK_SERVICE_PORT_HTTP: "4010",
  };
  expect([...start({}, env).given.keys()]).toEqual([]);
});

it.each<[Environment, string]>([
  [{ CALL_TRANSFER_MOCK_PORT: "abc" }, "CALL_TRANSFER_MOCK_PORT abc: must be a whole number from 0 to 65535."],
  [{ CALL_TRANSFER_MOCK_CORS_ORIGIN: "nonsense" }, "CALL_TRANSFER_MOCK_CORS_ORIGIN nonsense: must be an origin"],
  [{ CALL_TRANSFER_MOCK_AUTO_SANDBOXES: "yes" }, "CALL_TRANSFER_MOCK_AUTO_SANDBOXES yes: must be true, false, 1 or 0."],
  [
    { CALL_TRANSFER_MOCK_MAX_SANDBOXES: "5" },
    "Unknown variable CALL_TRANSFER_MOCK_MAX_SANDBOXES. Use --max-sandboxes.",
  ],
  [{ CALL_TRANSFER_MOCK_PROT: "1" }, "Unknown variable CALL_TRANSFER_MOCK_PROT. Did you mean CALL_TRANSFER_MOCK_PORT?"],
  [{ CALL_TRANSFER_MOCK_CONTROL_TOKEN: "hidden" }, "Did you mean CALL_TRANSFER_CONTROL_TOKEN?"],
  [{ CALL_TRANSFER_CONTROL_TOKEN: "hidden" }, "CALL_TRANSFER_CONTROL_TOKEN: must have 16 to 256 characters"],
  [{ CALL_TRANSFER_MOCK_FAULT: '{"do":{"code":"full"}}' }, "CALL_TRANSFER_MOCK_FAULT: do.code: unknown error code"],
])("names the variable for %j", (env, message) => {
  expect(() => server({}, env)).toThrow(message);
  expect(() => server({}, env)).not.toThrow("hidden");
});

it("names the variable at each place of a message, and an option of the command line as it is", () => {
  const { rename } = start({}, { CALL_TRANSFER_MOCK_TLS_KEY: "a.pem" });
  expect(rename("--tls-key a.pem: requires --tls-cert. Remove --tls-key.")).toBe(
    "CALL_TRANSFER_MOCK_TLS_KEY a.pem: requires --tls-cert. Remove CALL_TRANSFER_MOCK_TLS_KEY.",
  );
  expect(() => server({ port: "abc" }, { CALL_TRANSFER_MOCK_PORT: "1" })).toThrow("--port abc: must be");
});
