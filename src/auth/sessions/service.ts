/**
 * Sessions with rotating refresh tokens: using the one valid token replaces it. A second use of a replaced token
 * indicates theft and revokes the session (RFC 9700, 4.14.2). But two tabs may send one token at once, so for ten
 * seconds the replaced token still gets a pair with the current refresh token. A refresh costs a transaction, so
 * refreshes are limited per session, or per address without a valid token.
 */
import { type PageAt, rowsOfPage } from "../../lib/page-query.ts";
import { lockPasswordHash } from "../account.repository.ts";
import type { SessionClient } from "../auth-core.ts";
import type { Core } from "../../platform/core.ts";
import { type Credential, hasShownFactor, type SignInMethod } from "../../lib/credential.ts";
import { appError } from "../../lib/errors.ts";
import type { Account } from "../account.ts";
import type { Config } from "../../platform/config/config.service.ts";
import type { ChangeTransaction } from "../../platform/cluster/changes.ts";
import type { AddressLimit } from "../address-limit.ts";
import { createFreshCache } from "../fresh-cache.ts";
import type { SessionsRepository } from "./repository.ts";
import { isAlive, type Session, type SessionOwner, type SignedIn } from "./session.ts";
import { createSigning, type TokenClaims, type Tokens } from "./tokens.ts";
import type { Actor } from "../../lib/actor.ts";

const GRACE_MS = 10_000;
const DAY_MS = 86_400_000;
/** Ended sessions are kept this long for investigation. */
const KEPT_MS = DAY_MS;

type Deps = Core & {
  repository: SessionsRepository;
  tokens: Tokens;
  /** Keys are session ids, or addresses. */
  refreshLimit: AddressLimit;
};

/** `factorId`: the former session of the browser that has shown the second factor. */
type SignInGiven = {
  passwordHash: string;
  client: SessionClient;
  by: SignInMethod;
  factorId: string | null;
};

/** `reused`: neither the valid refresh token nor the one just replaced. */
type Rotation = { is: "ended" | "reused" } | { is: "good"; session: Session; account: Account };

export type Sessions = ReturnType<typeof createSessions>;

export function createSessions(deps: Deps) {
  const { repository, changes, tokens, refreshLimit, clock, logger } = deps;
  const cache = createFreshCache<SessionOwner>({ find: repository.find, clock });
  const { sign, newDeviceToken } = createSigning(deps);
  const open = (tx: ChangeTransaction, accountId: number, client: SessionClient, by: SignInMethod) =>
    openSession(deps, tx, { accountId, client, by });
  changes.subscribe("sessions", cache.drop);
  changes.subscribe("users", cache.clear);

  async function end(ids: readonly string[]): Promise<void> {
    await changes.write(async (tx) => {
      for (const id of ids) await repository.revoke(tx.db, id, clock.now());
      tx.changed("sessions", ids);
    });
  }

  async function endAllOf(tx: ChangeTransaction, accountId: number): Promise<void> {
    await repository.revokeAllOf(tx.db, accountId, clock.now());
    tx.changed("users", [String(accountId)]);
  }

  async function endAllWith(ids: readonly string[]): Promise<void> {
    const owners = await Promise.all(ids.map(repository.find));
    const alive = owners.filter((owner) => isAlive(owner, clock.now()));
    await changes.write(async (tx) => {
      for (const { account } of alive) await endAllOf(tx, account.id);
    });
  }

  return {
    open,
    sign,
    newDeviceToken,

    /** @throws AuthFailed when the password changed or the account was disabled meanwhile */
    async start(
      account: Account,
      { passwordHash, factorId, ...given }: SignInGiven,
      also: (tx: ChangeTransaction) => Promise<void> = async () => {},
    ): Promise<SignedIn> {
      const session = await changes.write(async (tx) => {
        if ((await lockPasswordHash(tx.db, deps.database, account.id)) !== passwordHash)
          throw appError("AuthFailed", "The password was changed meanwhile. Sign in again.");
        await also(tx);
        return open(tx, account.id, given.client, given.by);
      });
      return sign(session, account, factorId);
    },

    /**
     * New tokens for the first valid refresh token. A sibling site or an earlier cookie setting may have left cookies
     * of the same name, so a reused token counts as theft only when none is valid.
     * @throws TokenInvalid, RateLimitExceeded
     */
    async refresh(refreshTokens: readonly string[], address: string): Promise<SignedIn> {
      const reused: string[] = [];
      const verified = await Promise.all(refreshTokens.map((token) => tokens.verify("refresh", token)));
      const ours = verified.filter((claims) => claims !== null);
      if (ours.length === 0) await refreshLimit.take(address);
      for (const claims of ours) {
        await refreshLimit.take(`session ${claims.sessionId}`);
        const rotation = await rotateToken(deps, claims, address);
        if (rotation.is === "good") return sign(rotation.session, rotation.account, claims.factorId);
        if (rotation.is === "reused") reused.push(claims.sessionId);
      }
      if (reused.length > 0) {
        await end(reused);
        logger.warn({ sessions: reused }, "a refresh token was used twice; its session was revoked");
      }
      throw appError("TokenInvalid", "The refresh token is missing, expired or already used. Sign in again.");
    },

    /** Returns null when no token is valid. */
    async authenticate(accessTokens: readonly string[]): Promise<Account | null> {
      for (const token of accessTokens) {
        const claims = await tokens.verify("access", token);
        if (claims === null) continue;
        const owner = await cache.get(claims.sessionId);
        if (!isAlive(owner, clock.now())) continue;
        return { ...owner.account, credential: credentialOf(owner.session, claims) };
      }
      return null;
    },

    /** The account of a session that has not ended, whatever its access token contains. */
    async accountOf(sessionId: string): Promise<Account | null> {
      const owner = await cache.get(sessionId);
      return isAlive(owner, clock.now()) ? owner.account : null;
    },

    /**
     * Ignores invalid tokens. Returns the sessions of the valid ones. `everywhere`: all sessions of the accounts whose
     * session has not ended.
     */
    async signOut(sent: SentTokens, { everywhere = false } = {}): Promise<string[]> {
      const claims = await Promise.all([
        ...sent.access.map((token) => tokens.verify("access", token)),
        ...sent.refresh.map((token) => tokens.verify("refresh", token)),
      ]);
      const ids = [...new Set(claims.flatMap((one) => (one === null ? [] : [one.sessionId])))];
      if (ids.length > 0 && everywhere) await endAllWith(ids);
      else if (ids.length > 0) await end(ids);
      return ids;
    },

    endAllOf,

    ...createSessionList(deps),

    async removeAllOf(tx: ChangeTransaction, accountId: number): Promise<void> {
      await repository.removeAllOf(tx.db, accountId);
      tx.changed("users", [String(accountId)]);
    },

    /** Returns how many. */
    removeEnded: (limit: number): Promise<number> => repository.removeEnded(clock.now() - KEPT_MS, limit),
  };
}

const credentialOf = ({ id, signedInBy, createdAt }: Session, claims: TokenClaims): Credential => ({
  sessionId: id,
  expiresAt: claims.expiresAt,
  signedInBy,
  signedInAt: createdAt,
  factorId: hasShownFactor(signedInBy) ? id : claims.factorId,
});

const lifetime = (config: Config): number => config.get("api.refresh_token_days") * DAY_MS;

/** Sign the session after the commit. */
async function openSession(
  { repository, config, clock }: Deps,
  tx: ChangeTransaction,
  { accountId, client, by }: { accountId: number; client: SessionClient; by: SignInMethod },
): Promise<Session> {
  const { address, browser, os } = client;
  const now = clock.now();
  const session: Session = {
    id: crypto.randomUUID(),
    accountId,
    createdAt: now,
    expiresAt: now + lifetime(config),
    refreshId: crypto.randomUUID(),
    previousId: null,
    rotatedAt: null,
    revokedAt: null,
    address,
    browser,
    os,
    signedInBy: by,
  };
  await repository.insert(tx.db, session);
  return session;
}

function rotateToken(
  { changes, repository, config, clock }: Deps,
  claims: TokenClaims,
  address: string,
): Promise<Rotation> {
  return changes.write(async (tx): Promise<Rotation> => {
    const now = clock.now();
    const owner = await repository.lock(tx.db, claims.sessionId);
    if (!isAlive(owner, now)) return { is: "ended" };
    const { session, account } = owner;
    if (claims.tokenId === session.refreshId) {
      const next: Session = {
        ...session,
        refreshId: crypto.randomUUID(),
        previousId: session.refreshId,
        rotatedAt: now,
        expiresAt: now + lifetime(config),
        address,
      };
      await repository.update(tx.db, next);
      tx.changed("sessions", [session.id]);
      return { is: "good", session: next, account };
    }
    const isJustReplaced =
      claims.tokenId === session.previousId && Math.abs(now - (session.rotatedAt ?? 0)) <= GRACE_MS;
    return isJustReplaced ? { is: "good", session, account } : { is: "reused" };
  });
}

type SentTokens = { access: readonly string[]; refresh: readonly string[] };

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function createSessionList({ repository, changes, record, clock }: Deps) {
  return {
    /** Those that have not ended, the last used first. */
    async list(accountId: number, at: PageAt) {
      const now = clock.now();
      const sessions = await repository.listOf(accountId, now, rowsOfPage(at));
      return { sessions, total: await repository.countOf(accountId, now) };
    },

    /** The session has shown the second factor since its sign-in. */
    async prove(tx: ChangeTransaction, credential: Credential | undefined, by: SignInMethod): Promise<void> {
      if (credential === undefined || hasShownFactor(credential.signedInBy)) return;
      const { sessionId, signedInBy } = credential;
      await repository.prove(tx.db, sessionId, signedInBy === "oidc" ? "oidc_mfa" : by);
      tx.changed("sessions", [sessionId]);
    },

    /** `accountId` null: of any account. @throws NotFound */
    endOne(id: string, accountId: number | null, actor: Actor): Promise<Session> {
      return changes.write(async (tx) => {
        // A database may refuse other texts.
        const owner = UUID.test(id) ? await repository.lock(tx.db, id) : null;
        const isOthers = accountId !== null && owner?.session.accountId !== accountId;
        if (!isAlive(owner, clock.now()) || isOthers) throw appError("NotFound", "There is no such session.");
        const { session, account } = owner;
        const { address, browser, os } = session;
        await repository.revoke(tx.db, id, clock.now());
        const subject = account.username;
        const before = { address, browser, os };
        await record(tx.db, [{ at: clock.now(), actor, action: "session.end", subject, before }]);
        tx.changed("sessions", [id]);
        return session;
      });
    },
  };
}
