/**
 * JWTs, HS256 with `api.jwt_secret`. `token_type` keeps types apart. Access and refresh tokens are valid only while
 * their session is. A device token only proves that the browser has signed in to the account.
 */
import { errors, jwtVerify, SignJWT } from "jose";
import type { Clock } from "../../lib/clock.ts";
import { type Role, ROLES } from "../../lib/access.ts";

type TokenType = "access" | "refresh" | "device";

export type TokenClaims = {
  accountId: number;
  role: Role;
  sessionId: string;
  /** For a refresh token, `Session.refreshId`. */
  tokenId: string;
  /** Epoch ms, rounded down to seconds in the token. */
  expiresAt: number;
  /** The last session of the browser that has shown the account's second factor. */
  factorId: string | null;
};

export type Tokens = ReturnType<typeof createTokens>;

const ALGORITHM = "HS256";
const LONGEST_TOKEN = 2048;
const CLAIMS = ["sub", "role", "iat", "exp", "jti", "sid", "token_type"];

export function createTokens({ secret, clock }: { secret: () => string; clock: Clock }) {
  let imported: { secret: string; key: Promise<CryptoKey> } | undefined;

  const signingKey = (): Promise<CryptoKey> => {
    const current = secret();
    if (current === "")
      return Promise.reject(new Error("api.jwt_secret is empty; restart the server to generate it."));
    if (imported?.secret !== current) imported = { secret: current, key: importKey(current) };
    return imported.key;
  };

  return {
    async sign(
      type: TokenType,
      { accountId, role, sessionId, tokenId, expiresAt, factorId }: TokenClaims,
    ): Promise<string> {
      const factor = factorId !== null && { fid: factorId };
      return new SignJWT({ role, sid: sessionId, token_type: type, ...factor })
        .setProtectedHeader({ alg: ALGORITHM, typ: "JWT" })
        .setSubject(String(accountId))
        .setJti(tokenId)
        .setIssuedAt(Math.floor(clock.now() / 1000))
        .setExpirationTime(Math.floor(expiresAt / 1000))
        .sign(await signingKey());
    },

    /** Null for an invalid token or another type. */
    async verify(type: TokenType, token: string): Promise<TokenClaims | null> {
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
  const { sub, role, sid, jti, exp, fid } = payload;
  const accountId = typeof sub === "string" && /^\d{1,16}$/.test(sub) ? Number(sub) : Number.NaN;
  const known = ROLES.find((one) => one === role);
  if (!Number.isSafeInteger(accountId) || known === undefined) return null;
  if (typeof sid !== "string" || typeof jti !== "string" || typeof exp !== "number") return null;
  const factorId = typeof fid === "string" ? fid : null;
  return { accountId, role: known, sessionId: sid, tokenId: jti, expiresAt: exp * 1000, factorId };
}
