import { createBackend, demo } from "@call-transfer/backend";
import { ConfigurationError } from "@call-transfer/sdk";
import { describe, expect, it, vi } from "vitest";
import { commandOptions, options, UsageError, usage, variables } from "../src/cli/options.ts";
import { createMcpServer, type McpServerOptions } from "../src/index.ts";

const platform = { client: { baseUrl: "https://api.example.com", apiKey: demo.apiKey } };

describe("options of a server", () => {
  it.each<[string, object, string]>([
    ["backend", { backend: createBackend() }, "backend has no control plane. Create it with controlPlane: true."],
    ["backend", { backend: {} }, "backend must be a backend. Pass what createBackend() returns."],
    ["backend", { backend: createBackend(), platform }, "backend and platform cannot be combined. Pass one of them."],
    ["apiKey", { apiKey: demo.apiKey, platform }, "apiKey only works with backend. Pass it inside platform."],
    ["colour", { colour: "red" }, "colour is not an option. Use one of backend, apiKey, mockServer, platform."],
    [
      "mockServer",
      { mockServer: { url: "http://127.0.0.1:1" } },
      "Start it with npx @call-transfer/mock-server, or correct mockServer.",
    ],
  ])("a wrong %s is a ConfigurationError that says what to do", async (option, given, message) => {
    const failure = createMcpServer(given as McpServerOptions);
    await expect(failure).rejects.toBeInstanceOf(ConfigurationError);
    await expect(failure).rejects.toMatchObject({ option, message: expect.stringContaining(message) });
  });

  it("an address without a control plane is no mock server", async () => {
    vi.stubGlobal("fetch", async () => Response.json({}));
    const failure = createMcpServer({ mockServer: { url: "http://127.0.0.1:4010" } });
    await expect(failure).rejects.toThrow("is not a mock server. Start one with npx @call-transfer/mock-server.");
  });

  it("a refused token is not repeated", async () => {
    const detail = (request: Request) => `wrong: ${request.headers.get("authorization")}`;
    vi.stubGlobal("fetch", async (request: Request) => Response.json({ detail: detail(request) }, { status: 401 }));
    const mockServer = { url: "http://127.0.0.1:4010", controlToken: "control-token-0001" };
    const failure = createMcpServer({ mockServer });
    await expect(failure).rejects.toThrow("wrong: Bearer [redacted]");
  });

  it.each([
    ["mockServer.controlToken", { controlToken: "hidden-token-0001-\u2603" }],
    ["apiKey", { apiKey: "hidden-key-\u2603" }],
  ])("a %s that a header cannot hold is not repeated", async (option, credentials) => {
    const failure = createMcpServer({ mockServer: { url: "http://127.0.0.1:1", ...credentials } });
    await expect(failure).rejects.toThrow(option);
    await expect(failure).rejects.not.toThrow("hidden-");
  });

  it("the SDK names what is wrong with those of its client", async () => {
    const client = { baseUrl: "ftp://api.example.com", apiKey: demo.apiKey };
    await expect(createMcpServer({ platform: { client } })).rejects.toThrow("baseUrl must be a URL");
  });
});

describe("the command line", () => {
  const environment = { CALL_TRANSFER_API_KEY: " key \n", CALL_TRANSFER_CONTROL_TOKEN: "token" };
  const base = ["--base-url", "https://api.example.com"];

  it("means a mock in this process unless it names a server", () => {
    expect(commandOptions([], { CALL_TRANSFER_BASE_URL: " " })).toEqual({
      allowInsecureHttp: false,
      allowCalls: false,
      allowChanges: false,
    });
  });

  it("reads a platform from an option or its variable, and permissions from options only", () => {
    const given = commandOptions([...base, "--allow-calls", "--account-id", "one"], environment);
    expect(given).toMatchObject({ baseUrl: base[1], apiKey: "key", accountId: "one", allowCalls: true });
    const { CALL_TRANSFER_BASE_URL = "" } = { CALL_TRANSFER_BASE_URL: base[1] };
    expect(commandOptions([], { CALL_TRANSFER_BASE_URL })).toMatchObject({ baseUrl: base[1], allowCalls: false });
  });

  it("a mock server wins over the variable of a platform, and gets the control token", () => {
    const given = commandOptions(["--mock-url", "http://127.0.0.1:4010", "--sandbox", "a"], {
      ...environment,
      CALL_TRANSFER_BASE_URL: base[1],
    });
    expect(given).toMatchObject({ mockUrl: "http://127.0.0.1:4010", sandbox: "a", controlToken: "token" });
    expect(given).toHaveProperty("baseUrl", undefined);
  });

  it.each([
    [["--allow-calls"], "--allow-calls only works with a real platform. Set --base-url, or remove --allow-calls"],
    [["--secret-file", "a"], "--secret-file only works with a real platform."],
    [["--sandbox", "a"], "--sandbox only works with a running mock server. Set --mock-url."],
    [[...base, "--mock-url", "http://127.0.0.1:4010"], "--mock-url and --base-url cannot be combined."],
    [["--allow-everything"], "Unknown option '--allow-everything'. See --help for all options."],
    [["--base-url"], "See --help for all options."],
    [[demo.apiKey], "Unexpected argument. Write each value after its option"],
  ])("%j is refused", (args, message) => {
    const read = () => commandOptions(args, {});
    expect(read).toThrow(UsageError);
    expect(read).toThrow(message);
    expect(read).not.toThrow(demo.apiKey);
  });

  it("--help names every option and variable", () => {
    for (const name of Object.keys(options)) expect(usage).toContain(`--${name}`);
    for (const name of Object.values(variables)) expect(usage).toContain(name);
  });
});
