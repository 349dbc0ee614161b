/**
 * The signed tokens. All are JWTs, HS256 under `api.jwt_secret`, with the same claims; `token_type` keeps one from
 * passing for another. An access or refresh token proves who was meant at the time it was signed; whether its session
 * still stands is asked of the session (sessions/service.ts) each time. A device token opens nothing: it proves that its
 * browser has signed in to the account before.
 */
import { errors, jwtVerify, SignJWT } from "jose";
import type { Clock } from "../../lib/clock.ts";
import type { Role } from "../account.ts";

export type TokenType = "access" | "refresh" | "device";

export type TokenClaims = {
  accountId: number;
  role: Role;
  sessionId: string;
  /** Of a refresh token: what the session's row names as the one to come next. */
  tokenId: string;
  /** Epoch ms; the token carries whole seconds. */
  expiresAt: number;
};

export type Tokens = {
  sign(type: TokenType, claims: TokenClaims): Promise<string>;
  /** The claims of a token of this type that we signed and that has not expired; null for anything else. */
  verify(type: TokenType, token: string): Promise<TokenClaims | null>;
};

const ALGORITHM = "HS256";
const LONGEST_TOKEN = 2048;
const CLAIMS = ["sub", "role", "iat", "exp", "jti", "sid", "token_type"];

export function createTokens({ secret, clock }: { secret: () => string; clock: Clock }): Tokens {
  let imported: { secret: string; key: Promise<CryptoKey> } | undefined;

  const signingKey = (): Promise<CryptoKey> => {
    const current = secret();
    if (current === "")
      return Promise.reject(new Error("api.jwt_secret is empty; it is generated at start."));
    if (imported?.secret !== current) imported = { secret: current, key: importKey(current) };
    return imported.key;
  };

  return {
    async sign(type, { accountId, role, sessionId, tokenId, expiresAt }) {
      return new SignJWT({ role, sid: sessionId, token_type: type })
        .setProtectedHeader({ alg: ALGORITHM, typ: "JWT" })
        .setSubject(String(accountId))
        .setJti(tokenId)
        .setIssuedAt(Math.floor(clock.now() / 1000))
        .setExpirationTime(Math.floor(expiresAt / 1000))
        .sign(await signingKey());
    },

    async verify(type, token) {
      if (token.length > LONGEST_TOKEN) return null;
      try {
        const { payload } = await jwtVerify(token, await signingKey(), {
          algorithms: [ALGORITHM],
          requiredClaims: CLAIMS,
          currentDate: new Date(clock.now()),
        });
        return payload["token_type"] === type ? toClaims(payload) : null;
      } catch (error) {
        if (error instanceof errors.JOSEError) return null;
        throw error;
      }
    },
  };
}

const importKey = (secret: string): Promise<CryptoKey> =>
  crypto.subtle.importKey("raw", new TextEncoder().encode(secret), { name: "HMAC", hash: "SHA-256" }, false, [
    "sign",
    "verify",
  ]);

function toClaims(payload: Record<string, unknown>): TokenClaims | null {
  const { sub, role, sid, jti, exp } = payload;
  const accountId = typeof sub === "string" && /^\d{1,16}$/.test(sub) ? Number(sub) : Number.NaN;
  if (!Number.isSafeInteger(accountId) || (role !== "admin" && role !== "user")) return null;
  if (typeof sid !== "string" || typeof jti !== "string" || typeof exp !== "number") return null;
  return { accountId, role, sessionId: sid, tokenId: jti, expiresAt: exp * 1000 };
}
