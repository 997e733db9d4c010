import { createSandboxRegistry, demo } from "@call-transfer/backend";
import { signal } from "@preact/signals";
import { afterEach, describe, expect, it } from "vitest";
import { follow } from "../src/data/connection/follow.ts";
import { createMemoryRouter } from "../src/data/place.ts";
import { createSession, type Session } from "../src/data/session.ts";

const baseUrl = "http://backend.test";
const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

/** A session over sandboxes in this process, once it is live. */
async function start() {
  const sandboxes = createSandboxRegistry();
  const fetch = (request: Request) => sandboxes.fetch(request);
  const session = createSession(
    { baseUrl, program: undefined, address: baseUrl, fetch, follow: (...args) => follow({ baseUrl, fetch }, ...args) },
    createMemoryRouter(),
    { onKey: () => () => {}, theme: signal(undefined) },
  );
  ends.push(
    () => session.end(),
    () => sandboxes.close(),
  );
  await expect.poll(() => session.clock.clock.value).toBeDefined();
  return { session, sandboxes, backend: sandboxes.default };
}

const availability = () => new Request(`${baseUrl}/api/v1/transfers/members/${demo.members.owner}/availability`);
const texts = (session: Session) => session.notices.value.map(({ text }) => text);

describe("credentials of the page", () => {
  it("a role's token is issued once, for the account of its member", async () => {
    const { session } = await start();
    const headers = await session.credentials.headers("owner");
    expect(headers["X-Account-Id"]).toBe(demo.accountId);
    expect(await session.credentials.headers("owner")).toBe(headers);
    expect((await session.credentials.send("owner", availability())).status).toBe(200);
  });

  it("a clock jump past the end of a token says so, and the next request gets another token", async () => {
    const { session, backend } = await start();
    const before = await session.credentials.headers("owner");
    await backend.advance({ by: 24 * 3_600_000 });
    await expect
      .poll(() => texts(session))
      .toEqual([expect.stringMatching(/token of this page for the role owner expired at \d\d:00:00/)]);
    expect((await session.credentials.send("owner", availability())).status).toBe(200);
    expect(await session.credentials.headers("owner")).not.toEqual(before);
  });

  it("a token that expires before the page learns of the jump is renewed by the response", async () => {
    const { session, backend } = await start();
    await session.credentials.headers("owner");
    await backend.advance({ by: 24 * 3_600_000 });
    expect((await session.credentials.send("owner", availability())).status).toBe(200);
    expect(texts(session)).toEqual([expect.stringContaining("had expired. The page got a new one.")]);
  });

  it("credentials that the API refuses stay refused", async () => {
    const { session } = await start();
    const codes = [];
    for (const caller of ["expiredToken", "revokedKey", "none"] as const)
      codes.push(Object(await (await session.credentials.send(caller, availability())).json()).code);
    expect(codes).toEqual(["token_expired", "api_key_revoked", "token_missing"]);
    expect(texts(session)).toEqual([]);
  });

  it("a key that a reset removed is issued again", async () => {
    const { session, backend } = await start();
    await session.credentials.headers("revokedKey");
    backend.reset();
    const answer = async () => (await session.credentials.send("revokedKey", availability())).json();
    await expect.poll(answer).toMatchObject({ code: "api_key_revoked" });
  });

  it("each sandbox has its own", async () => {
    const { session, sandboxes } = await start();
    sandboxes.create("other", { clockMode: "frozen", now: "2031-03-02T12:00:00Z" });
    const before = await session.credentials.headers("owner");
    session.switchTo("other");
    expect(await session.credentials.headers("owner")).not.toEqual(before);
    expect((await session.credentials.send("owner", availability())).status).toBe(200);
  });
});
