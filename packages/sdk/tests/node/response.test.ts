// The response of nodeFetch and its headers beside those of fetch: both are made lazily, which nobody may notice.
import { createServer } from "node:http";
import { inspect } from "node:util";
import { afterEach, describe, expect, it } from "vitest";
import { closeAll, fetchOf, listen } from "./servers.ts";

afterEach(closeAll);

const read: Readonly<Record<string, (response: Response) => unknown>> = {
  text: (response) => response.text(),
  json: (response) => response.json(),
  arrayBuffer: async (response) => [...new Uint8Array(await response.arrayBuffer())],
  bytes: async (response) => [...(await response.bytes())],
  blob: async (response) => {
    const blob = await response.blob();
    return [blob.type, await blob.text()];
  },
  async "a stream"({ body }) {
    let text = "";
    for await (const chunk of body ?? []) text += Buffer.from(chunk).toString();
    return text;
  },
  "what middleware makes of it": async (response) => {
    const other = new Response((await response.text()) || null, response);
    return [other.status, other.statusText, [...other.headers], await other.text()];
  },
  "whether it was read": async (response) => {
    const before = response.bodyUsed;
    await response.text();
    return [before, response.bodyUsed, await response.text().catch(({ name }: Error) => name)];
  },
};

const use: Readonly<Record<string, (headers: Headers) => unknown>> = {
  get: (headers) => ["X-Twice", "x-none", "content-type", "set-cookie"].map((name) => headers.get(name)),
  has: (headers) => [headers.has("X-TWICE"), headers.has("x-none")],
  entries: (headers) => [[...headers], [...headers.keys()], [...headers.values()]],
  getSetCookie: (headers) => headers.getSetCookie(),
  "a copy": (headers) => [...new Headers(headers)],
  forEach(headers) {
    const seen: unknown[] = [];
    headers.forEach((value, name, all) => {
      seen.push(name, value, all === headers);
    });
    return seen;
  },
  instanceof: (headers) => headers instanceof Headers,
};

/** Both responses to the same request. */
async function both(): Promise<readonly [Response, Response]> {
  const server = createServer((_, response) => {
    response.sendDate = false;
    const headers = { "content-type": "application/json", "set-cookie": ["a=1", "b=2"], "x-twice": ["1", "2"] };
    response.writeHead(201, "Made", headers).end('{"a":"ü"}');
  });
  const url = `http://127.0.0.1:${await listen(server)}`;
  return Promise.all([fetchOf()(url), fetch(url)]);
}

describe("a response has, as from fetch,", () => {
  it.each(Object.keys(read))("%s", async (name) => {
    const [own, global] = await both();
    expect(await read[name]?.(own)).toEqual(await read[name]?.(global));
  });
});

describe("its headers have, as from fetch,", () => {
  it.each(Object.keys(use))("%s", async (name) => {
    const [own, global] = await both();
    expect(use[name]?.(own.headers)).toEqual(use[name]?.(global.headers));
  });

  it("what was set, added and removed", async () => {
    const [own] = await both();
    own.headers.set("content-type", "text/plain");
    own.headers.append("x-twice", "3");
    own.headers.delete("set-cookie");
    const { headers } = own;
    expect([headers.get("content-type"), headers.get("x-twice"), headers.has("set-cookie")]).toEqual([
      "text/plain",
      "1, 2, 3",
      false,
    ]);
  });
});

it("both can be printed", async () => {
  const [own] = await both();
  expect(inspect(own)).toContain("status: 201");
  expect(inspect(own.headers)).toContain("x-twice");
});
