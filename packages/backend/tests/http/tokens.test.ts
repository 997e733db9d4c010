import { SignJWT } from "jose";
import { describe, expect, it } from "vitest";
import { createTokens } from "../../src/http/authenticate.ts";

describe("access tokens", () => {
  const secret = new Uint8Array(32).fill(1);
  const signed = (claims: object, header: object = { alg: "HS256", typ: "JWT" }) =>
    new SignJWT({ ...claims }).setProtectedHeader(header as { alg: string }).sign(secret);

  it("are invalid once the secret has changed, also if they were verified before", async () => {
    const tokens = createTokens(secret);
    const token = tokens.sign("user", 7);
    tokens.verify(token);
    tokens.secret = new Uint8Array(32).fill(2);
    expect(tokens.verify(token)).toBeUndefined();
    expect(tokens.secret).toEqual(new Uint8Array(32).fill(2));
  });

  it.each(["user", "Zoë, ≥ 1 ? ~ 你", "~~~ >>> ???"])(
    "are signed as another library signs them, for %j",
    async (userId) => {
      const tokens = createTokens(secret);
      expect(tokens.sign(userId, 7)).toBe(await signed({ sub: userId, exp: 7 }));
      expect(tokens.verify(tokens.sign(userId, 7))).toEqual({ userId, expiresAt: 7 });
    },
  );

  it.each([
    ["no user", { exp: 7 }],
    ["no end", { sub: "user" }],
    ["a user that is no text", { sub: 5, exp: 7 }],
    ["an end that is no number", { sub: "user", exp: "7" }],
  ])("with %s are invalid", async (_, claims) => {
    expect(createTokens(secret).verify(await signed(claims))).toBeUndefined();
  });

  it.each([
    { alg: "HS512", typ: "JWT" },
    { alg: "HS256", typ: "other" },
  ])("with the header %j are invalid", async (header) => {
    const token = await signed({ sub: "user", exp: 7 }, header);
    expect(createTokens(secret).verify(token)).toBeUndefined();
  });

  it("with more parts or text around them are invalid", async () => {
    const tokens = createTokens(secret);
    const token = tokens.sign("user", 7);
    for (const changed of [`${token}.x`, ` ${token}`, `x.${token}`, `${token} `])
      expect(tokens.verify(changed)).toBeUndefined();
  });
});
