import { expect, it } from "vitest";
import { BodyBuffer } from "../src/send/body.ts";

const bytes = new TextEncoder().encode('{"name":"Zoë"}');

function buffer(...chunks: Uint8Array[]): BodyBuffer {
  const all = new BodyBuffer();
  for (const chunk of chunks) all.add(chunk);
  return all;
}

it.each([...bytes.keys()])("reads a body that arrives in two chunks, split at byte %i", (at) => {
  expect(buffer(bytes.subarray(0, at), bytes.subarray(at)).text(true)).toBe('{"name":"Zoë"}');
});

it("reads a body that ends within a character up to that character", () => {
  expect(buffer(bytes.subarray(0, 12)).text(false)).toBe('{"name":"Zo');
});

it("returns the same text each time", () => {
  const whole = buffer(bytes.subarray(0, 12), bytes.subarray(12));
  expect([whole.text(true), whole.text(false)]).toEqual(['{"name":"Zoë"}', '{"name":"Zoë"}']);
});
