import { deflateRawSync } from "node:zlib";
import { expect, it } from "vitest";
import { decode, encode } from "../playground/share.ts";

it.each(["", 'console.log("äöü 😀");\n', "x".repeat(50_000)])("a link holds a program: %#", async (source) => {
  const text = await encode(source);
  expect(text).toMatch(/^[\w-]*$/);
  expect(await decode(text ?? "")).toBe(source);
});

it("a program that no link can hold gets none", async () => {
  const longest = "x".repeat(100_000);
  expect(await decode((await encode(longest)) ?? "")).toBe(longest);
  expect(await encode(`${longest}x`)).toBeUndefined();
});

it.each(["", "!", "abc", "AAAA"])("a damaged link holds none: %j", async (text) => {
  expect(await decode(text)).toBeUndefined();
});

it("a short link does not expand to a very long program", async () => {
  const text = deflateRawSync(Buffer.alloc(100_000_000, "x")).toString("base64url");
  expect(await decode(text)).toBeUndefined();
});
