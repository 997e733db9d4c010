import { signWebhook } from "@call-transfer/sdk/webhooks";
import { describe, expect, it } from "vitest";
import { deliveryAsCurl, verifyByHand, verifyWithSdk } from "../src/data/code/verify-code.ts";

/** The function of the snippet, as a module. */
async function isGenuine(): Promise<(body: string, header: string, secrets: readonly string[]) => boolean> {
  return (await import(`data:text/javascript,${encodeURIComponent(verifyByHand)}`)).isGenuine;
}

describe("the code by hand", () => {
  const body = '{"type":"transfer.offer","name":"Zoë"}';

  it("accepts a webhook signed with any of the secrets", async () => {
    const check = await isGenuine();
    const header = await signWebhook(body, { secret: ["new", "old"] });
    expect(check(body, header, ["new"])).toBe(true);
    expect(check(body, header, ["old"])).toBe(true);
  });

  it("refuses another secret, another body, an old time and a broken header", async () => {
    const check = await isGenuine();
    const header = await signWebhook(body, { secret: "s" });
    const old = await signWebhook(body, { secret: "s", timestampMs: Date.now() - 301_000 });
    expect(check(body, header, ["s"])).toBe(true);
    expect(check(body, header, ["other"])).toBe(false);
    expect(check(`${body} `, header, ["s"])).toBe(false);
    expect(check(body, old, ["s"])).toBe(false);
    for (const broken of ["", "t=,v1=", "v1=aa", header.replace("t=", "t=x")])
      expect(check(body, broken, ["s"])).toBe(false);
  });
});

it("the code with the SDK names what the SDK exports", async () => {
  const names = /import \{ ([^}]+) \} from "@call-transfer\/sdk\/webhooks"/.exec(verifyWithSdk)?.[1]?.split(", ") ?? [];
  expect(names).toHaveLength(3);
  expect(Object.keys(await import("@call-transfer/sdk/webhooks"))).toEqual(expect.arrayContaining(names));
});

it("the curl command quotes what a shell would read", () => {
  expect(deliveryAsCurl("http://h/a?b=c", { "X-A": "it's" }, "{}")).toBe(
    `curl -X POST 'http://h/a?b=c' \\\n  -H 'X-A: it'\\''s' \\\n  --data-binary '{}'`,
  );
});
