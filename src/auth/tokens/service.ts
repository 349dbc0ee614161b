/**
 * API tokens. Known ones are checked in memory. A wrong form or checksum costs no query, and an address may ask for a
 * bounded number of unknown ones. Revoking reaches every worker before the response.
 */
import { type PageAt, rowsOfPage } from "../../lib/page-query.ts";
import { findAccount, lockAccount } from "../account.repository.ts";
import type { Core } from "../../platform/core.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { SCOPES, SCOPES_OF, type Scope } from "../../lib/access.ts";
import { type Actor, mayRead } from "../../lib/actor.ts";
import { appError, badField } from "../../lib/errors.ts";
import { isTeam } from "../../lib/owner.ts";
import type { Account } from "../account.ts";
import type { AddressBuckets } from "../address-limit.ts";
import { tooManyAttempts } from "../../lib/rate-buckets.ts";
import type { ChangeTransaction } from "../../platform/cluster/changes.ts";
import { createFreshCache } from "../fresh-cache.ts";
import {
  isExpired,
  type ApiToken,
  type CreateToken,
  parseTokenExpiry,
  viewToken,
  hashOfToken,
  isTokenText,
  newTokenText,
} from "./api-token.ts";
import type { ApiTokensRepository, TokenOwner } from "./repository.ts";

const HOUR_MS = 3_600_000;
/** Lets its owner see why it is refused. */
const KEPT_MS = 30 * 24 * HOUR_MS;
const MOST_TOKENS = 100;

type Deps = Core & {
  repository: ApiTokensRepository;
  /** Limits lookups of tokens that are not in memory. */
  lookups: AddressBuckets;
};

export type ApiTokens = ReturnType<typeof createApiTokens>;

export function createApiTokens({ database, repository, changes, record, lookups, clock }: Deps) {
  const cache = createFreshCache<TokenOwner>({ find: repository.findByHash, clock });
  changes.subscribe("tokens", cache.drop);
  changes.subscribe("users", cache.clear);

  /** @throws RateLimitExceeded */
  async function lookUp(hash: string, address: string): Promise<TokenOwner | null> {
    const waitMs = lookups.tryNow(address);
    if (waitMs > 0) throw tooManyAttempts("Too many unknown API tokens from your address", waitMs);
    let isUnknown = false;
    try {
      const owner = await cache.get(hash);
      isUnknown = owner === null;
      return owner;
    } finally {
      if (!isUnknown) lookups.giveBack(address);
    }
  }

  function markUsed(token: ApiToken, now: number): void {
    const hour = now - (now % HOUR_MS);
    if (token.lastUsedAt !== null && token.lastUsedAt >= hour) return;
    token.lastUsedAt = hour;
    // The next read of the token makes up for a failure.
    repository.markUsed(token.id, hour).catch(() => undefined);
  }

  return {
    /** Returns null for a token that is invalid, expired or revoked. @throws RateLimitExceeded */
    async authenticate(
      text: string,
      address: string,
    ): Promise<{ account: Account; token: Pick<ApiToken, "name" | "scopes" | "folderId"> } | null> {
      if (!isTokenText(text)) return null;
      const hash = hashOfToken(text);
      const owner = await (cache.known(hash) ?? lookUp(hash, address));
      const now = clock.now();
      if (owner === null || owner.account === null) return null;
      const { token, account } = owner;
      if (isExpired(token, now)) return null;
      markUsed(token, now);
      return { account, token };
    },

    /** Newest first. `accountId` null: of all accounts. */
    async list(accountId: number | null, at: PageAt) {
      const total = await repository.count(accountId);
      return { tokens: await repository.list(accountId, rowsOfPage(at)), total };
    },

    /** `accountId` null: of any account. @throws NotFound */
    async get(id: number, accountId: number | null, db?: Db): Promise<ApiToken> {
      const found = await repository.find(id, accountId, db);
      if (found === null) throw tokenNotFound();
      return found;
    },

    /**
     * The token's text is nowhere else. @throws BadRequest, Forbidden (scopes that the account lacks), Conflict (name,
     * number of tokens), NotFound (the account ended meanwhile)
     */
    async create(accountId: number, input: CreateToken, actor: Actor): Promise<ApiToken & { text: string }> {
      const now = clock.now();
      const expiresAt = parseTokenExpiry(input.expires_at, now);
      const { name } = input;
      const scopes = SCOPES.filter((scope) => input.scopes.includes(scope));
      const text = newTokenText();
      const folderId = input.folder_id ?? null;
      if (folderId !== null) requireFileScopes(scopes);
      const token = { accountId, name, scopes, createdAt: now, expiresAt, lastUsedAt: null, folderId };
      const id = await changes.write(async (tx) => {
        const account = await lockAccount(tx.db, database, accountId);
        if (account === null) throw appError("NotFound", "The account is disabled or deleted.");
        requireScopesOfRole(account, scopes);
        if (folderId !== null) await requireFolder(repository, tx.db, account, folderId);
        if ((await repository.count(accountId, tx.db)) >= MOST_TOKENS) {
          throw appError("Conflict", `An account has at most ${MOST_TOKENS} tokens; revoke one first.`);
        }
        const newId = await repository.insert(tx.db, { ...token, hash: hashOfToken(text) });
        const after = { account: account.username, ...stateOf({ ...token, id: newId }) };
        await record(tx.db, [{ at: now, actor, action: "token.create", subject: name, after }]);
        return newId;
      });
      return { ...token, id, text };
    },

    /** `accountId` null: of any account. @throws NotFound */
    revoke(id: number, accountId: number | null, actor: Actor): Promise<ApiToken> {
      return changes.write(async (tx) => {
        const found = await repository.lock(tx.db, id, accountId);
        if (found === null) throw tokenNotFound();
        const { hash, ...token } = found;
        await repository.remove(tx.db, id);
        const owner = await findAccount(tx.db, token.accountId);
        const before = { account: owner?.username, ...stateOf(token) };
        const event = { at: clock.now(), actor, action: "token.revoke", subject: token.name, before };
        await record(tx.db, [event]);
        tx.changed("tokens", [hash]);
        return token;
      });
    },

    /** Removes those that expired long ago; returns how many. */
    removeExpired: (limit: number): Promise<number> => repository.removeExpired(clock.now() - KEPT_MS, limit),

    async removeAllOf(tx: ChangeTransaction, accountId: number): Promise<void> {
      await repository.removeAllOf(tx.db, accountId);
      tx.changed("users", [String(accountId)]);
    },
  };
}

const tokenNotFound = () => appError("NotFound", "There is no such token.");

/** The state that events record. */
function stateOf(token: ApiToken): object {
  const { id, name, scopes, expires_at, folder_id } = viewToken(token, token.createdAt);
  return { id, name, scopes, expires_at, ...(folder_id !== null && { folder_id }) };
}

/** @throws BadRequest */
function requireFileScopes(scopes: readonly Scope[]): void {
  if (scopes.includes("admin")) {
    throw badField("folder_id", "folder_id can't go with the scope admin, which reaches everything.");
  }
  if (!scopes.some((scope) => scope.startsWith("files:"))) {
    throw badField("folder_id", "folder_id needs the scope files:read or files:write.");
  }
}

/** A folder of the account or of its teams. @throws FolderNotFound */
async function requireFolder(
  { ownerOfFolder }: ApiTokensRepository,
  db: Db,
  account: Account,
  folderId: number,
): Promise<void> {
  const owner = await ownerOfFolder(db, folderId);
  const { id, role } = account;
  const reach = { accountId: id, ownOnly: role !== "admin", teams: (await findAccount(db, id))?.teams };
  if (owner === id || (owner !== null && isTeam(owner) && mayRead(reach, owner))) return;
  throw appError("FolderNotFound", "There is no such folder.");
}

/** @throws Forbidden */
function requireScopesOfRole({ role }: Account, scopes: readonly ApiToken["scopes"][number][]): void {
  const missing = scopes.filter((scope) => !SCOPES_OF[role].includes(scope));
  if (missing.length === 0) return;
  throw appError(
    "Forbidden",
    `An account of the role ${role} can't give a token the scope ${missing.join(", ")}.`,
  );
}
