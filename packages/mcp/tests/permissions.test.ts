import { demo } from "@call-transfer/backend";
import { operations } from "@call-transfer/spec";
import { describe, expect, it } from "vitest";
import { toolName } from "../src/tools/tool.ts";
import { type ApiPlatformOptions, aCall, connectToPlatform } from "./connect.ts";

const reading = Object.values(operations).flatMap(({ id, method }) => (method === "GET" ? [toolName(id)] : []));
const saveSecret = () => {};

async function offered(options: ApiPlatformOptions) {
  const { tools } = await connectToPlatform(options);
  return (await tools()).map(({ name }) => name);
}

/** One operation of each kind that changes something. */
const writing = ["create_call", "create_destination_group", "delete_member_hours", "rotate_destination_secret"];

describe("on a real platform", () => {
  it.each<[string, ApiPlatformOptions, string[]]>([
    ["nothing", {}, []],
    ["allowCalls", { allowCalls: true }, ["create_call"]],
    ["allowChanges", { allowChanges: true }, ["create_destination_group", "delete_member_hours"]],
    [
      "allowChanges and a place for secrets",
      { allowChanges: true, saveSecret },
      ["create_destination_group", "delete_member_hours", "rotate_destination_secret"],
    ],
    ["a place for secrets alone", { saveSecret }, []],
  ])("%s offers what reads, and what it allows", async (_, options, allowed) => {
    const names = await offered(options);
    expect(names).toEqual(expect.arrayContaining(["describe_server", ...reading]));
    const changing = names.filter((name) => name !== "describe_server" && !reading.some((id) => id === name));
    expect(changing.filter((name) => !options.allowChanges || writing.includes(name)).sort()).toEqual(allowed);
  });

  it("a tool that is not offered cannot be called", async () => {
    const { client, backend } = await connectToPlatform();
    await expect(client.callTool({ name: "create_call", arguments: aCall })).rejects.toThrow("create_call");
    expect(backend.requests.list()).toEqual([]);
  });

  it("the instructions and a tool say how to allow it", async () => {
    const { client, call } = await connectToPlatform();
    const { text, data } = await call("describe_server");
    for (const words of [client.getInstructions(), text]) {
      expect(words).toContain("create_call is not offered");
      expect(words).toContain("--allow-calls (allowCalls: true)");
      expect(words).toContain("https://api.example.com");
    }
    expect(data).toMatchObject({ isMock: false });
    expect(data.notOffered).toContainEqual({
      name: "rotate_destination_secret",
      requires: ["--allow-changes (allowChanges: true)", "--secret-file FILE (saveSecret)"],
    });
  });

  it("a new secret is kept, and the assistant does not see it", async () => {
    const kept: unknown[][] = [];
    const saving = { allowChanges: true, saveSecret: (...given: unknown[]) => kept.push(given) };
    const { call } = await connectToPlatform(saving);
    const { id } = { id: demo.destinations.app };
    const { isError, text, data } = await call("rotate_destination_secret", { id });
    expect({ isError, data }).toMatchObject({
      isError: false,
      data: { id, signingSecret: expect.stringContaining("kept") },
    });
    const [[secret, about] = []] = kept;
    expect(secret).toMatch(new RegExp(`${String(data.signingSecretHint)}$`));
    expect(about).toEqual({ operation: "rotateDestinationSecret", id });
    expect(text).not.toContain(secret);
  });

  const secret = "whsec_0123456789abcdef0123456789abcdef";
  const { app: id } = demo.destinations;
  it.each<[string, object]>([
    ["inside another field", { id, data: { signingSecret: secret } }],
    ["empty, and in another field", { id, signingSecret: "", secret }],
    ["at its place and in another field", { id, signingSecret: secret, data: { signingSecret: secret } }],
  ])("an answer with the secret %s is not shown", async (_, body) => {
    const fetch = async () => Response.json(body);
    const { call } = await connectToPlatform({ allowChanges: true, saveSecret, client: { fetch } });
    const { isError, text, data } = await call("rotate_destination_secret", { id });
    expect({ isError, data }).toEqual({ isError: true, data: {} });
    expect(text).toContain("Outcome: applied. The request was carried out");
    expect(text).toContain("Do not call rotate_destination_secret again");
    expect(text).toMatch(/not shown|could not be used/);
    expect(text).not.toContain(secret);
  });

  it("the tools act on the configured account only", async () => {
    const accountId = demo.accountId;
    const { call, tools, backend } = await connectToPlatform({ client: { accountId } });
    for (const { inputSchema } of await tools()) expect(inputSchema.properties).not.toHaveProperty("accountId");
    const { isError, text } = await call("list_roles", { accountId: demo.foreignAccountId });
    expect(isError).toBe(true);
    expect(text).toContain("accountId");
    expect(backend.requests.list()).toEqual([]);
    expect(await call("list_roles")).toMatchObject({ isError: false });
  });

  it("a secret that cannot be kept is reported as lost, and not shown", async () => {
    let lost = "";
    const { call } = await connectToPlatform({
      allowChanges: true,
      saveSecret(secret) {
        lost = secret;
        throw new Error("the disk is full");
      },
    });
    const { isError, text } = await call("rotate_destination_secret", { id: demo.destinations.app });
    expect(isError).toBe(true);
    expect(text).toContain("the disk is full");
    expect(text).toContain("Outcome: applied.");
    expect(lost).not.toBe("");
    expect(text).not.toContain(lost);
  });
});
