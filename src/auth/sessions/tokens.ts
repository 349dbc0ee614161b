/**
 * JWTs, HS256 with `api.jwt_secret`. `token_type` keeps types apart. Access and refresh tokens are valid only while
 * their session is. A device token only proves that the browser has signed in to the account.
 */
import type { Core } from "../../platform/core.ts";
import { errors, jwtVerify, SignJWT } from "jose";
import type { Clock } from "../../lib/clock.ts";
import { createGenerationMap } from "../../lib/generation-map.ts";
import { type Role, ROLES } from "../../lib/access.ts";
import { hasShownFactor } from "../../lib/credential.ts";
import { ownText } from "../../lib/own-text.ts";
import type { Account } from "../account.ts";
import { csrfToken } from "./cookies.ts";
import type { Session, SignedIn } from "./session.ts";

/** The secret that signs tokens, and the time at which they are checked. */
export type TokenKey = { secret: () => string; clock: Clock; generationSize?: number };

type TokenType = "access" | "refresh" | "device";

export type TokenClaims = {
  accountId: number;
  role: Role;
  sessionId: string;
  /** The id of the token; in a refresh token it is `Session.refreshId`. */
  tokenId: string;
  /** Epoch ms, rounded down to seconds in the token. */
  expiresAt: number;
  /** The last session of the browser that has shown the account's second factor. */
  factorId: string | null;
};

type Verified = { token: string; type: TokenType; claims: TokenClaims };

export type Tokens = ReturnType<typeof createTokens>;

const ALGORITHM = "HS256";
const LONGEST_TOKEN = 2048;
/** Access tokens have about 400 characters. */
const VERIFIED_GENERATION = 5_000;
const CLAIMS = ["sub", "role", "iat", "exp", "jti", "sid", "token_type"];

export function createTokens({ secret, clock, generationSize = VERIFIED_GENERATION }: TokenKey) {
  let imported: { secret: string; key: Promise<CryptoKey> } | undefined;
  /** Valid tokens that were verified, by their text: a signature is checked once. Those of another secret are gone. */
  const verified = createGenerationMap<Verified>(generationSize);

  const signingKey = (): Promise<CryptoKey> => {
    const current = secret();
    if (current === "")
      return Promise.reject(new Error("api.jwt_secret is empty; restart the server to generate it."));
    if (imported?.secret !== current) {
      imported = { secret: current, key: importKey(current) };
      verified.clear();
    }
    return imported.key;
  };

  const remember = (found: Verified): void => verified.set(found.token, found);

  /** Claims of a token that was verified with this secret and has not expired. */
  function known(type: TokenType, token: string): TokenClaims | null {
    const found = imported?.secret === secret() ? verified.get(token) : undefined;
    // As jose reads the clock: in whole seconds.
    if (found?.type !== type || found.claims.expiresAt <= Math.floor(clock.now() / 1000) * 1000) return null;
    remember(found);
    return found.claims;
  }

  async function check(type: TokenType, token: string): Promise<TokenClaims | null> {
    if (token.length > LONGEST_TOKEN) return null;
    const under = secret();
    try {
      const { payload } = await jwtVerify(token, await signingKey(), {
        algorithms: [ALGORITHM],
        requiredClaims: CLAIMS,
        currentDate: new Date(clock.now()),
      });
      const claims = payload["token_type"] === type ? toClaims(payload) : null;
      if (claims !== null && imported?.secret === under) remember({ token: ownText(token), type, claims });
      return claims;
    } catch (error) {
      if (error instanceof errors.JOSEError) return null;
      throw error;
    }
  }

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

    /** Returns null for an invalid token or another type. */
    verify: (type: TokenType, token: string): TokenClaims | null | Promise<TokenClaims | null> =>
      known(type, token) ?? check(type, token),
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

const MINUTE_MS = 60_000;
const DEVICE_MS = 365 * 86_400_000;

/** The tokens of a session. */
export function createSigning({ tokens, config, clock }: Core & { tokens: Tokens }) {
  return {
    /** @param factorId the former session of the browser that has shown the second factor */
    async sign(session: Session, account: Account, factorId: string | null = null): Promise<SignedIn> {
      const now = clock.now();
      const accessExpiresAt = Math.min(
        now + config.get("api.access_token_minutes") * MINUTE_MS,
        session.expiresAt,
      );
      const claims = {
        accountId: session.accountId,
        role: account.role,
        sessionId: session.id,
        factorId: hasShownFactor(session.signedInBy) ? session.id : factorId,
      };
      return {
        account,
        access: await tokens.sign("access", {
          ...claims,
          tokenId: crypto.randomUUID(),
          expiresAt: accessExpiresAt,
        }),
        refresh: await tokens.sign("refresh", {
          ...claims,
          tokenId: session.refreshId,
          expiresAt: session.expiresAt,
        }),
        csrf: csrfToken(config.get("api.jwt_secret"), session.id),
        accessMaxAge: (accessExpiresAt - now) / 1000,
        refreshMaxAge: (session.expiresAt - now) / 1000,
      };
    },

    /** Returns null when one of `sent` proves as much about the browser. */
    async newDeviceToken(
      account: Account,
      sent: readonly string[],
    ): Promise<{ value: string; maxAge: number } | null> {
      if (account.credential === undefined) return null;
      const { sessionId, factorId } = account.credential;
      const known = (await Promise.all(sent.map((token) => tokens.verify("device", token)))).filter(
        (claims) => claims?.accountId === account.id,
      );
      const isEnough = factorId === null || known.some((claims) => claims?.factorId);
      if (known.length > 0 && isEnough) return null;
      const value = await tokens.sign("device", {
        accountId: account.id,
        role: account.role,
        sessionId,
        factorId,
        tokenId: crypto.randomUUID(),
        expiresAt: clock.now() + DEVICE_MS,
      });
      return { value, maxAge: DEVICE_MS / 1000 };
    },
  };
}

/** What a browser sends of earlier sessions. */
export type FormerTokens = { refreshTokens: readonly string[]; deviceTokens: readonly string[] };

/** `factorId`: the last one that has shown the second factor. */
type FormerSession = { sessionId: string; factorId: string | null };

/** The former sessions of a browser, by the id of their account. */
export async function formerSessions(
  tokens: Pick<Tokens, "verify">,
  { refreshTokens, deviceTokens }: FormerTokens,
): Promise<ReadonlyMap<number, FormerSession>> {
  const found = new Map<number, FormerSession>();
  for (const [type, sent] of [
    ["refresh", refreshTokens],
    ["device", deviceTokens],
  ] as const) {
    for (const token of sent) {
      const claims = await tokens.verify(type, token);
      if (claims === null) continue;
      const { accountId, sessionId, factorId } = claims;
      const known = found.get(accountId) ?? { sessionId, factorId };
      found.set(accountId, { ...known, factorId: known.factorId ?? factorId });
    }
  }
  return found;
}
