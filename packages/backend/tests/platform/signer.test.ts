import { expect, it } from "vitest";
import { sign } from "../../src/platform/delivery-plan.ts";

// printf '1772452800.{"type":"transfer.offer"}' | openssl dgst -sha256 -hmac first
const at = 1_772_452_800_999;
const body = '{"type":"transfer.offer"}';
const first = "ec068648dcfc2b4c5bf71d94007945c1feaf7a16642b5284fbed0f43c347eec6";
const second = "c381723560208a6ec218d6150174b71a9cd621b453db28ff2b14488b08aab897";

it("signs the timestamp in seconds and the body as openssl does", () => {
  expect(sign(body, ["first"], at, {}, false).header).toBe(`t=1772452800,v1=${first}`);
});

it("writes one signature per secret, in their order", () => {
  expect(sign(body, ["second", "first"], at, {}, false).header).toBe(`t=1772452800,v1=${second},v1=${first}`);
});
