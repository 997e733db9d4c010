import { expect, it } from "vitest";
import { BodyBuffer } from "../src/send/body.ts";

const bytes = new TextEncoder().encode('{"name":"Zoë"}');

function buffer(...chunks: Uint8Array[]): BodyBuffer {
  const all = new BodyBuffer();
  for (const chunk of chunks) all.add(chunk);
  return all;
}

it.each([...bytes.keys()])("a body that comes in two pieces, cut at byte %i, is read whole", (at) => {
  expect(buffer(bytes.subarray(0, at), bytes.subarray(at)).text(true)).toBe('{"name":"Zoë"}');
});

it("a body that breaks off within a character is read up to that character", () => {
  expect(buffer(bytes.subarray(0, 12)).text(false)).toBe('{"name":"Zo');
});

it("a body is the same text however often it is asked for", () => {
  const whole = buffer(bytes.subarray(0, 12), bytes.subarray(12));
  expect([whole.text(true), whole.text(false)]).toEqual(['{"name":"Zoë"}', '{"name":"Zoë"}']);
});
