import { describe, expect, test } from "bun:test";
import { SignJWT } from "jose";
import { createTokens, type TokenClaims } from "./tokens.ts";

const NOW = Date.UTC(2026, 10, 20, 12);
const SECRET = "a secret of more than thirty-two bytes";
const bytes = (secret: string) => new TextEncoder().encode(secret);
const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

function setUp() {
  const time = { now: NOW };
  const state = { secret: SECRET };
  const tokens = createTokens({ secret: () => state.secret, clock: { now: () => time.now } });
  return { time, state, tokens };
}

const CLAIMS: TokenClaims = {
  accountId: 7,
  role: "user",
  sessionId: "5c1f64a7-5a2e-4b7e-a0a2-9d1d1f0f9a11",
  tokenId: "one",
  expiresAt: NOW + 60_000,
  factorId: null,
};

const PAYLOAD = {
  sub: "7",
  role: "admin",
  jti: "one",
  sid: CLAIMS.sessionId,
  token_type: "access",
  iat: NOW / 1000,
  exp: NOW / 1000 + 60,
};

describe("tokens", () => {
  test("verify with the signed claims", async () => {
    const { tokens } = setUp();
    const token = await tokens.sign("access", CLAIMS);
    expect(await tokens.verify("access", token)).toEqual(CLAIMS);
    const [header, payload] = token.split(".").map((part) => Buffer.from(part, "base64url").toString());
    expect(JSON.parse(header!)).toEqual({ alg: "HS256", typ: "JWT" });
    expect(JSON.parse(payload!)).toEqual({ ...PAYLOAD, role: "user" });
    const shown = { ...CLAIMS, factorId: "5c1f64a7-5a2e-4b7e-a0a2-9d1d1f0f9a12" };
    expect(await tokens.verify("device", await tokens.sign("device", shown))).toEqual(shown);
  });

  test("of one type are refused as another", async () => {
    const { tokens } = setUp();
    expect(await tokens.verify("refresh", await tokens.sign("access", CLAIMS))).toBeNull();
    expect(await tokens.verify("access", await tokens.sign("refresh", CLAIMS))).toBeNull();
  });

  test("expire at their second", async () => {
    const { tokens, time } = setUp();
    const token = await tokens.sign("access", CLAIMS);
    time.now = NOW + 59_999;
    expect(await tokens.verify("access", token)).not.toBeNull();
    time.now = NOW + 60_000;
    expect(await tokens.verify("access", token)).toBeNull();
  });

  test("are invalid after a change of the secret", async () => {
    const { tokens, state } = setUp();
    const token = await tokens.sign("access", CLAIMS);
    state.secret = "another secret of thirty-two bytes!";
    expect(await tokens.verify("access", token)).toBeNull();
    state.secret = "";
    expect(tokens.verify("access", token)).rejects.toThrow("api.jwt_secret");
  });
});

describe("a token that was verified", () => {
  test("is known by its whole text and type only", async () => {
    const { tokens } = setUp();
    const token = await tokens.sign("access", CLAIMS);
    const other = await tokens.sign("access", { ...CLAIMS, accountId: 8 });
    expect(await tokens.verify("access", token)).toEqual(CLAIMS);
    expect(tokens.verify("access", token)).toEqual(CLAIMS);
    expect(await tokens.verify("refresh", token)).toBeNull();
    expect(await tokens.verify("access", `${token}x`)).toBeNull();
    const [start, signature] = [other.slice(0, other.lastIndexOf(".")), token.split(".")[2]];
    expect(await tokens.verify("access", `${start}.${signature}`)).toBeNull();
  });

  test("expires, and ends with the secret, also when that changes during its verification", async () => {
    const { tokens, state, time } = setUp();
    const token = await tokens.sign("access", CLAIMS);
    const pending = tokens.verify("access", token);
    state.secret = "another secret of thirty-two bytes!";
    const later = await tokens.sign("access", CLAIMS);
    await pending;
    expect(await tokens.verify("access", token)).toBeNull();
    expect(await tokens.verify("access", later)).toEqual(CLAIMS);
    state.secret = SECRET;
    expect(await tokens.verify("access", later)).toBeNull();
    expect(await tokens.verify("access", token)).toEqual(CLAIMS);
    time.now = NOW + 60_000;
    expect(await tokens.verify("access", token)).toBeNull();
  });

  test("is verified again when more than two generations have come after it", async () => {
    const tokens = createTokens({ secret: () => SECRET, clock: { now: () => NOW }, generationSize: 2 });
    const all = await Promise.all(
      [1, 2, 3, 4, 5].map((accountId) => tokens.sign("access", { ...CLAIMS, accountId })),
    );
    for (const token of all) await tokens.verify("access", token);
    expect(all.map((token) => tokens.verify("access", token) instanceof Promise)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    for (const [at, token] of all.entries())
      expect(await tokens.verify("access", token)).toMatchObject({ accountId: at + 1 });
  });
});

const refused = async (token: string) => expect(await setUp().tokens.verify("access", token)).toBeNull();
const signed = (payload: Record<string, unknown>, secret = SECRET, alg = "HS256") =>
  new SignJWT(payload).setProtectedHeader({ alg }).sign(bytes(secret));

describe("forged tokens are refused", () => {
  test("the helper signs valid tokens with the right secret", async () => {
    expect(await setUp().tokens.verify("access", await signed(PAYLOAD))).toMatchObject({ role: "admin" });
  });

  test.each(["none", "None", "NONE", "HS256"])("unsigned with alg %s", async (alg) => {
    await refused(`${base64url({ alg, typ: "JWT" })}.${base64url(PAYLOAD)}.`);
    await refused(`${base64url({ alg, typ: "JWT" })}.${base64url(PAYLOAD)}`);
  });

  test("with another secret or algorithm", async () => {
    await refused(await signed(PAYLOAD, "some other secret of enough bytes"));
    await refused(await signed(PAYLOAD, SECRET.repeat(2), "HS512"));
    await refused(await signed(PAYLOAD, SECRET.repeat(2), "HS384"));
  });

  test("with a changed payload", async () => {
    const [header, , signature] = (await setUp().tokens.sign("access", CLAIMS)).split(".");
    await refused(`${header}.${base64url({ ...PAYLOAD, sub: "0" })}.${signature}`);
  });

  test.each(Object.keys(PAYLOAD))("without %s", async (claim) => {
    const { [claim as keyof typeof PAYLOAD]: _, ...rest } = PAYLOAD;
    await refused(await signed(rest));
  });

  test.each([
    { sub: "-1" },
    { sub: "1e3" },
    { sub: "99999999999999999999" },
    { role: "root" },
    { sid: 5 },
    { jti: ["one"] },
    { exp: "later" },
    { token_type: "Access" },
    { nbf: NOW / 1000 + 30 },
  ])("with %p", async (change) => {
    await refused(await signed({ ...PAYLOAD, ...change }));
  });

  test.each(["", ".", "..", "a.b.c", "\0", "Ä.Ö.Ü", "e30.e30.e30", "x".repeat(100_000), "a.".repeat(900)])(
    "malformed %#",
    refused,
  );
});
