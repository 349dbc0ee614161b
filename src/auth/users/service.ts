/**
 * Accounts other than the built-in administrator. A new password, another role or disabling ends the account's sessions
 * in the same transaction, disabling also its API tokens.
 */
import { type PageAt, rowsOfPage } from "../../lib/page-query.ts";
import { given } from "../../lib/given.ts";
import type { Core } from "../../platform/core.ts";
import { type Actor, SYSTEM } from "../../lib/actor.ts";
import { appError } from "../../lib/errors.ts";
import { BUILT_IN_ADMIN } from "../account.ts";
import type { ChangeTransaction } from "../../platform/cluster/changes.ts";
import type { Sessions } from "../sessions/service.ts";
import type { ApiTokens } from "../tokens/service.ts";
import type { UsersRepository } from "./repository.ts";
import {
  type Belongings,
  type CreateUser,
  invitedHash,
  type ListedUser,
  NOT_ACCOUNTS,
  type NamedPerson,
  type UpdateUser,
  type User,
  type UserFilter,
  userEvent,
} from "./user.ts";
import { asciiLower } from "../../lib/ascii-lower.ts";

type Deps = Core & {
  repository: UsersRepository;
  sessions: Sessions;
  apiTokens: Pick<ApiTokens, "removeAllOf">;
  secondFactor: { removeAllOf(tx: ChangeTransaction, id: number): Promise<void> };
  teams: {
    leaveAll(tx: ChangeTransaction, user: User, actor: Actor, transferTo?: string): Promise<void>;
    finishFiles(): Promise<void>;
  };
  passwords: { hashPassword(plain: string): Promise<string> };
  accountDelay: { clear(account: { username: string }): Promise<void> };
};

const MOST_SUGGESTIONS = 10;

/** `password` is null for an account that chooses it by a link. */
type NewUser = Omit<CreateUser, "password" | "invite"> & { password: string | null };

export type Users = ReturnType<typeof createUsers>;

export function createUsers({
  repository,
  sessions,
  apiTokens,
  secondFactor,
  teams,
  passwords,
  accountDelay,
  changes,
  record,
  clock,
}: Deps) {
  return {
    /** Ordered by username, numbers at the end by their value. */
    async list(at: PageAt, filter: UserFilter = {}): Promise<{ users: ListedUser[]; total: number }> {
      const total = await repository.count(filter);
      return { users: await repository.list(filter, rowsOfPage(at)), total };
    },

    ...createNames(repository),

    /** @throws NotFound */
    async get(id: number): Promise<User> {
      return (await repository.find(id)) ?? userNotFound();
    },

    /** @throws NotFound */
    async belongings(id: number): Promise<Belongings> {
      if (id !== BUILT_IN_ADMIN.id && (await repository.find(id)) === null) userNotFound();
      return repository.belongings(id);
    },

    /** @throws NotFound */
    async getByUsername(username: string): Promise<User> {
      refuseBuiltIn(username);
      return (await repository.findByUsername(asciiLower(username))) ?? userNotFound();
    },

    /** `also` runs in its transaction. @throws Conflict when the username or the e-mail address is taken */
    async create(
      {
        username,
        password,
        role,
        disabled,
        quota_bytes: quotaBytes = 0,
        language = "en",
        ...contact
      }: NewUser,
      actor = SYSTEM,
      also: (tx: ChangeTransaction, user: User) => Promise<void> = async () => {},
    ): Promise<User> {
      validateFree(username);
      const passwordHash = password === null ? invitedHash() : await passwords.hashPassword(password);
      const now = clock.now();
      const { email = null, display_name: displayName = null } = contact;
      const fields = { username, passwordHash, role, disabled, quotaBytes, language, email, displayName };
      const user = { ...fields, emailVerified: false, createdAt: now, updatedAt: now };
      return changes.write(async (tx) => {
        const id = await repository.insert(tx.db, user);
        await record(tx.db, [userEvent({ actor, now, verb: "create" }, null, user)]);
        tx.changed("users", [String(id)]);
        await also(tx, { id, ...user });
        return { id, ...user };
      });
    },

    /**
     * `also` runs in its transaction.
     * @throws NotFound, Conflict when the username or the e-mail address is taken
     */
    async update(
      id: number,
      { username, password, role, disabled, quota_bytes, email, language, display_name }: UpdateUser,
      actor = SYSTEM,
      also: (tx: ChangeTransaction, after: User, before: User) => Promise<void> = async () => {},
    ): Promise<User> {
      const passwordHash = password === undefined ? undefined : await passwords.hashPassword(password);
      const updated = await changes.write(async (tx) => {
        const user = (await repository.lock(tx.db, id)) ?? userNotFound();
        if (username !== undefined && username !== user.username) validateFree(username);
        const next: User = {
          ...user,
          ...given({ username, passwordHash, role, disabled, quotaBytes: quota_bytes, email, language }),
          ...given({ displayName: display_name }),
          emailVerified: (email === undefined || email === user.email) && user.emailVerified,
          updatedAt: clock.now(),
        };
        await repository.update(tx.db, next);
        await record(tx.db, [userEvent({ actor, now: clock.now(), verb: "update" }, user, next)]);
        const isWeakened =
          passwordHash !== undefined || next.role !== user.role || (next.disabled && !user.disabled);
        if (isWeakened) await sessions.endAllOf(tx, id);
        else tx.changed("users", [String(id)]);
        if (next.disabled) await apiTokens.removeAllOf(tx, id);
        await also(tx, next, user);
        return next;
      });
      if (passwordHash !== undefined) await clearDelays(accountDelay, updated);
      return updated;
    },

    /** @param transferTo gets what it owns  @throws NotFound, BadRequest for an unknown owner, Conflict without it or over its quota */
    async remove(id: number, actor = SYSTEM, transferTo?: string): Promise<User> {
      const gone = await changes.write(async (tx) => {
        const user = (await repository.lock(tx.db, id)) ?? userNotFound();
        await sessions.removeAllOf(tx, id);
        await apiTokens.removeAllOf(tx, id);
        await secondFactor.removeAllOf(tx, id);
        await teams.leaveAll(tx, user, actor, transferTo);
        await repository.remove(tx.db, id);
        await record(tx.db, [userEvent({ actor, now: clock.now(), verb: "delete", transferTo }, user, null)]);
        return user;
      });
      if (transferTo) await teams.finishFiles();
      return gone;
    },
  };
}

/** A sign-in names either. */
async function clearDelays(delay: Deps["accountDelay"], { username, email }: User): Promise<void> {
  await delay.clear({ username });
  if (email !== null) await delay.clear({ username: email });
}

const createNames = (repository: UsersRepository) => ({
  /** Those of the accounts that are called otherwise than their usernames. */
  displayNames: (usernames: readonly string[]): Promise<NamedPerson[]> => repository.displayNames(usernames),

  /** Whom to add to a team, by a part of their names. @throws Forbidden for who manages no team */
  suggestions(search: string, { ownOnly, teams: own }: Actor): Promise<NamedPerson[]> {
    if (ownOnly && ![...(own?.values() ?? [])].includes("manager"))
      throw appError("Forbidden", "Only administrators and managers of teams may search accounts.");
    return repository.suggestions(search, MOST_SUGGESTIONS);
  },
});

function userNotFound(): never {
  throw appError("NotFound", "There is no such account.");
}

function validateFree(username: string): void {
  if (username === BUILT_IN_ADMIN.username) {
    throw appError("Conflict", `'${username}' is the built-in administrator; choose another username.`);
  }
  if (NOT_ACCOUNTS.has(username)) {
    throw appError("Conflict", `Events call Waymark itself '${username}'; choose another username.`);
  }
}

function refuseBuiltIn(username: string): void {
  if (asciiLower(username) === BUILT_IN_ADMIN.username) {
    throw appError(
      "BadRequest",
      "The built-in administrator can't be changed or removed; set its password with the command 'reset-password'.",
    );
  }
}
