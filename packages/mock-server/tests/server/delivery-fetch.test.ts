import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { createDeliveryFetch, isRefusedAddress } from "../../src/server/delivery-fetch.ts";

let close = () => {};
afterEach(() => close());

/** Starts a receiver on a free loopback port. */
async function receiver(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  close = () => server.close().closeAllConnections();
  return (server.address() as AddressInfo).port;
}

describe("a webhook delivery", () => {
  it("sends headers and body, and returns the response", async () => {
    const port = await receiver((request, response) => {
      request
        .setEncoding("utf8")
        .on("data", (body) => response.writeHead(202).end(`${request.headers["x-a"]} ${body}`));
    });
    const answer = await createDeliveryFetch()(`http://127.0.0.1:${port}/`, {
      method: "POST",
      headers: { "x-a": "1" },
      body: "offer",
    });
    expect([answer.status, await answer.text()]).toEqual([202, "1 offer"]);
  });

  it("resolves a name once and connects to the checked address", async () => {
    const port = await receiver((request, response) => response.end(request.headers.host));
    const answers = [[{ address: "127.0.0.1" }], [{ address: "169.254.169.254" }]];
    const deliver = createDeliveryFetch(async () => answers.shift() ?? []);
    expect(await (await deliver(`http://app.test:${port}/`)).text()).toBe(`app.test:${port}`);
    await expect(deliver(`http://app.test:${port}/`)).rejects.toThrow("169.254.169.254");
  });

  it.each([
    [["::1", "127.0.0.1"]],
    [["127.0.0.1", "::1"]],
    [["127.0.0.3", "127.0.0.2", "127.0.0.1"]],
    [["::1", "127.0.0.9", "127.0.0.1"]],
  ])("tries each of the addresses %j of a name, of which one listens", async (addresses) => {
    const port = await receiver((request, response) => response.end(request.headers.host));
    const deliver = createDeliveryFetch(async () => addresses.map((address) => ({ address })));
    expect(await (await deliver(`http://app.test:${port}/`)).text()).toBe(`app.test:${port}`);
  });

  it("is not sent when any address of a name is the server's own", async () => {
    const port = await receiver((_, response) => response.end());
    const addresses = [{ address: "127.0.0.1" }, { address: "127.0.0.2" }];
    const deliver = createDeliveryFetch(
      async () => addresses,
      (address) => address === "127.0.0.2",
    );
    await expect(deliver(`http://app.test:${port}/`)).rejects.toThrow("to the mock server itself (127.0.0.2:");
  });

  const [here, metadata, other] = ["127.0.0.1", "169.254.169.254", "127.0.0.2"];
  it.each([[[metadata, here]], [[here, metadata]], [[here, metadata, other]], [[metadata]]])(
    "is not sent when a name also has a refused address: %j",
    async (addresses) => {
      let received = 0;
      const port = await receiver((_, response) => {
        received += 1;
        response.end();
      });
      const deliver = createDeliveryFetch(async () => addresses.map((address) => ({ address })));
      await expect(deliver(`http://app.test:${port}/`)).rejects.toThrow(`metadata addresses (${metadata})`);
      expect(received).toBe(0);
    },
  );

  it("never reaches the mock server itself, by any name", async () => {
    const port = await receiver((_, response) => response.end());
    const isOwn = (address: string, at: number) => address === "127.0.0.1" && at === port;
    const deliver = createDeliveryFetch(async () => [{ address: "127.0.0.1" }], isOwn);
    for (const host of ["127.0.0.1", "2130706433", "0x7f.1", "app.test", "app.test."])
      await expect(deliver(`http://${host}:${port}/_control/v1/reset`), host).rejects.toThrow(
        `Webhooks are not delivered to the mock server itself (127.0.0.1:${port})`,
      );
  });

  it("also compares the default port", async () => {
    const deliver = createDeliveryFetch(undefined, (_, port) => port === 80 || port === 443);
    await expect(deliver("http://127.0.0.1/")).rejects.toThrow("(127.0.0.1:80)");
    await expect(deliver("https://127.0.0.1/")).rejects.toThrow("(127.0.0.1:443)");
  });

  it("follows no redirect", async () => {
    const port = await receiver((_, response) =>
      response.writeHead(302, { location: "http://169.254.169.254/" }).end(),
    );
    expect((await createDeliveryFetch()(`http://127.0.0.1:${port}/`)).status).toBe(302);
  });

  it("reads an endless response only as far as it is asked to, and then closes the connection", async () => {
    let onClose = () => {};
    const closed = new Promise<void>((resolve) => {
      onClose = resolve;
    });
    const port = await receiver((_, response) => {
      const write = (): void =>
        void response.write("x".repeat(10_000), () => response.destroyed || setImmediate(write));
      response.once("close", onClose);
      write();
    });
    const answer = await createDeliveryFetch()(`http://127.0.0.1:${port}/`);
    const reader = answer.body?.getReader();
    expect((await reader?.read())?.value?.byteLength).toBeGreaterThan(0);
    await reader?.cancel();
    await closed;
  });

  it("ends a body when its signal aborts", async () => {
    const port = await receiver((_, response) => response.write("a"));
    const ended = new AbortController();
    const answer = await createDeliveryFetch()(`http://127.0.0.1:${port}/`, { signal: ended.signal });
    const text = answer.text();
    ended.abort();
    await expect(text).rejects.toThrow();
  });

  it("says what a refused and a closed connection mean", async () => {
    const port = await receiver((request) => request.socket.destroy());
    await expect(createDeliveryFetch()(`http://127.0.0.1:${port}/`)).rejects.toThrow(
      `the connection was closed without an answer by 127.0.0.1:${port} (ECONNRESET)`,
    );
    await expect(createDeliveryFetch()("http://127.0.0.1:1/")).rejects.toThrow(
      "nothing listens on 127.0.0.1:1 (ECONNREFUSED)",
    );
  });

  it("says that a server without TLS is none for https", async () => {
    const port = await receiver((_, response) => response.end());
    await expect(createDeliveryFetch()(`https://127.0.0.1:${port}/`)).rejects.toThrow(
      `127.0.0.1:${port} does not use TLS (`,
    );
  });

  it("ends when its signal aborts", async () => {
    const port = await receiver(() => {});
    await expect(
      createDeliveryFetch()(`http://127.0.0.1:${port}/`, { signal: AbortSignal.timeout(20) }),
    ).rejects.toThrow();
  });

  it("ends when its signal aborts while the name is being resolved", async () => {
    const deliver = createDeliveryFetch(() => new Promise(() => {}));
    const delivery = deliver("http://app.test/", { signal: AbortSignal.timeout(20) });
    await expect(delivery).rejects.toMatchObject({ name: "TimeoutError" });
  });

  it.each(["ftp://127.0.0.1/", "file:///etc/passwd", "data:,x"])("rejects %s", async (url) => {
    await expect(createDeliveryFetch()(url)).rejects.toThrow("http and https URLs only");
  });

  it.each(["http://169.254.169.254/", "http://[fe80::1]/", "http://2852039166/", "http://[::ffff:a9fe:a9fe]/"])(
    "never reaches %s",
    async (url) => {
      await expect(createDeliveryFetch()(url)).rejects.toThrow("link-local and metadata addresses");
    },
  );
});

it.each([
  ["127.0.0.1", false],
  ["192.168.1.1", false],
  ["fd12:3456::1", false],
  ["fe80::1%eth0", true],
  ["no address", true],
])("isRefusedAddress(%s) is %s", (address, expected) => {
  expect(isRefusedAddress(address)).toBe(expected);
});

/** An IPv6 address that ends in ones. */
const ones = (start: string, groups: number) => `${start}${":ffff".repeat(groups)}`;

/** The first and the last address of each range, and those beside it that belong to no other range. */
const refusedRanges: readonly { readonly of: string; readonly refused: string[]; readonly accepted: string[] }[] = [
  { of: "this network", refused: ["0.0.0.0", "0.255.255.255"], accepted: ["1.0.0.0"] },
  {
    of: "link-local",
    refused: ["169.254.0.0", "169.254.255.255"],
    accepted: ["169.253.255.255", "169.255.0.0"],
  },
  { of: "Alibaba's metadata", refused: ["100.100.100.200"], accepted: ["100.100.100.199", "100.100.100.201"] },
  { of: "Azure's metadata", refused: ["168.63.129.16"], accepted: ["168.63.129.15", "168.63.129.17"] },
  { of: "Oracle's metadata", refused: ["192.0.0.192"], accepted: ["192.0.0.191", "192.0.0.193"] },
  {
    of: "multicast and reserved",
    refused: ["224.0.0.0", "239.255.255.255", "240.0.0.0", "255.255.255.255"],
    accepted: ["223.255.255.255"],
  },
  {
    of: "link-local, site-local and multicast, IPv6",
    refused: ["fe80::", ones("febf", 7), "fec0::", ones("feff", 7), "ff00::", ones("ffff", 7)],
    accepted: [ones("fe7f", 7)],
  },
  {
    of: "Amazon's metadata, IPv6",
    refused: ["fd00:ec2::", ones("fd00:ec2", 6)],
    accepted: [ones("fd00:ec1", 6), "fd00:ec3::"],
  },
  {
    of: "Google's metadata, IPv6",
    refused: ["fd20:ce::", ones("fd20:ce:0:0", 4)],
    accepted: [ones("fd20:cd", 6), "fd20:ce:0:1::"],
  },
  {
    of: "IPv4-compatible",
    refused: ["::", "::0.0.0.2", "::1:0", "::169.254.169.254", "::ffff:ffff"],
    accepted: ["::1", "::1:0:0"],
  },
  { of: "IPv4-mapped", refused: ["::ffff:169.254.0.0", "::ffff:a9fe:ffff"], accepted: ["::ffff:127.0.0.1"] },
  {
    of: "IPv4-translated",
    refused: ["::ffff:0:0:0", "::ffff:0:ffff:ffff"],
    accepted: [ones("::fffe", 3), "::ffff:1:0:0"],
  },
  {
    of: "NAT64",
    refused: ["64:ff9b::", "64:ff9b::ffff:ffff", "64:ff9b:1::", ones("64:ff9b:1", 5)],
    accepted: [ones("64:ff9a", 6), "64:ff9b::1:0:0", ones("64:ff9b:0", 5), "64:ff9b:2::"],
  },
  { of: "6to4", refused: ["2002::", ones("2002", 7)], accepted: [ones("2001", 7), "2003::"] },
];

it.each(refusedRanges)("webhooks go beside, but not into the range of $of", ({ refused, accepted }) => {
  expect([...refused, ...accepted].filter(isRefusedAddress)).toEqual(refused);
});
