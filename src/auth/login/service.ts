import type { NotifyOfClient, RequestClient } from "../auth-core.ts";
import type { Core } from "../../platform/core.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { COMMAND, type Via } from "../../lib/actor.ts";
import type { SignInMethod } from "../../lib/credential.ts";
import { AppError, appError } from "../../lib/errors.ts";
import { emailSchema } from "../../lib/email-address.ts";
import { validated } from "../../lib/validated.ts";
import { type Account, BUILT_IN_ADMIN } from "../account.ts";
import { type AccountDelay, type DelayKey, type FactorKey, factorKeyOf } from "./account-delay.ts";
import type { ChangeTransaction } from "../../platform/cluster/changes.ts";
import type { Passwords, PasswordAttempt, PasswordHolder, PasswordCheck } from "./password.ts";
import type { SignInEvents } from "./sign-in-events.ts";
import { type FormerTokens, formerSessions, type Tokens } from "../sessions/tokens.ts";
import type { Session, SignedIn } from "../sessions/session.ts";
import type { Sessions } from "../sessions/service.ts";
import {
  userEvent,
  canMatchPassword,
  newPasswordSchema,
  NO_PASSWORD,
  toAccount,
  type User,
  usernameSchema,
} from "../users/user.ts";
import type { UsersRepository } from "../users/repository.ts";

type LoginAttempt = {
  /** A username or a confirmed e-mail address; default: the built-in administrator. */
  username?: string | null | undefined;
  password: string;
  client: RequestClient;
  via: Via;
} & Codes &
  FormerTokens;

/** `formerHash`: that which the new one replaces, as stored. */
type AlsoWithPassword = (tx: ChangeTransaction, formerHash: string) => Promise<void>;

export type Codes = { totp?: string | null | undefined; recoveryCode?: string | null | undefined };

type PasswordChange = Pick<LoginAttempt, "client" | "via"> & { by: SignInMethod };

/** Checks what an account has to prove besides its password; null: nothing. */
type SecondFactorCheck = {
  admit(account: Account, codes: Codes, key: FactorKey): Promise<Proof | null>;
};

/** `use` takes the code in the transaction of what it allows; `settle` follows its commit. */
export type Proof = {
  by: "totp" | "recovery_code";
  use(tx: ChangeTransaction): Promise<void>;
  settle(): Promise<void>;
};

type Deps = Core & {
  users: UsersRepository;
  /** The account with that confirmed address. */
  ownerOf(email: string): Promise<number | null>;
  sessions: Sessions;
  tokens: Tokens;
  passwords: Passwords;
  passwordCheck: PasswordCheck;
  accountDelay: AccountDelay;
  signIns: SignInEvents;
  notifyNewBrowser: NotifyOfClient;
  secondFactor: SecondFactorCheck;
  /** Ends the one-time addresses of the set-up. */
  closeSetUp(tx: Db): Promise<void>;
};

export type Login = ReturnType<typeof createLogin>;

export function createLogin(deps: Deps) {
  const { users, sessions, tokens, passwords, passwordCheck, accountDelay, config, changes, clock } = deps;
  const { findCandidate, ...own } = createHolders(deps);
  const { checkOwn } = own;
  const { signIns, secondFactor, closeSetUp, record } = deps;

  async function changeUserPassword(
    user: User,
    passwordHash: string,
    { via, client, by }: PasswordChange,
  ): Promise<SignedIn> {
    const session = await changes.write(async (tx) => {
      const current = await users.lock(tx.db, user.id);
      if (current === null || current.passwordHash !== user.passwordHash) throw passwordChanged();
      const next = { ...current, passwordHash, updatedAt: clock.now() };
      await users.update(tx.db, next);
      const actor = { name: user.username, via };
      await record(tx.db, [userEvent({ actor, now: clock.now(), verb: "update" }, current, next)]);
      await sessions.endAllOf(tx, user.id);
      return sessions.open(tx, user.id, client, by);
    });
    return sessions.sign(session, toAccount(user));
  }

  const endAdminAccess = (tx: ChangeTransaction) =>
    closeSetUp(tx.db).then(() => sessions.endAllOf(tx, BUILT_IN_ADMIN.id));

  async function changeAdminPassword(
    checkedHash: string,
    passwordHash: string,
    { via, client, by }: PasswordChange,
  ): Promise<SignedIn> {
    let session: Session | undefined;
    const actor = { name: BUILT_IN_ADMIN.username, via };
    await config.setAdminPasswordHash(passwordHash, actor, async (tx, formerHash) => {
      if (formerHash !== checkedHash) throw passwordChanged();
      await endAdminAccess(tx);
      session = await sessions.open(tx, BUILT_IN_ADMIN.id, client, by);
    });
    return sessions.sign(session!, BUILT_IN_ADMIN);
  }

  return {
    ...own,

    /** @throws AuthFailed, RateLimitExceeded, ServiceUnavailable, NotFound while the admin API is disabled */
    async signIn({ username: typed, password, client, via, ...sent }: LoginAttempt): Promise<SignedIn> {
      const { address } = client;
      if (config.get("api.admin_token") === "")
        throw appError("NotFound", "There is nothing at this address.");
      const { candidate, named } = await findCandidate(typed ?? BUILT_IN_ADMIN.username);
      const former = await formerSessions(tokens, sent);
      const known = (candidate && former.get(candidate.account.id)) ?? null;
      const factorId = known?.factorId ?? null;
      const attempt: PasswordAttempt = {
        password,
        candidate,
        key: known === null ? named : { sessionId: known.sessionId },
        address,
        queue: known === null || candidate === null ? "sign-in" : `account ${candidate.account.id}`,
      };
      const failed = async (error: unknown): Promise<never> => {
        // A right password whose code is still to come is no failure.
        if (error instanceof AppError && error.name === "AuthFailed" && !error.details?.["isPrompted"])
          await signIns.failed({ username: candidate?.account.username ?? null, address, via });
        throw error;
      };
      const { account, passwordHash } = await passwordCheck.check(attempt).catch(failed);
      const proof = await secondFactor.admit(account, sent, factorKeyOf(account, factorId)).catch(failed);
      const by = proof?.by ?? "password";
      const start = sessions.start(account, { passwordHash, client, by, factorId }, async (tx) => {
        await proof?.use(tx);
        await signIns.succeeded(tx.db, { username: account.username, address, via, by });
        if (known === null && via === "panel") await deps.notifyNewBrowser(tx, account, client);
      });
      const signedIn = await start.catch(failed);
      await proof?.settle();
      return signedIn;
    },

    /**
     * Ends all sessions of the account and opens a new one, which has proved what that of the caller has.
     * @throws AuthFailed when `current` is wrong, RateLimitExceeded, ServiceUnavailable, Conflict
     */
    async changePassword(
      account: Account,
      { current, next, ...given }: Omit<PasswordChange, "by"> & { current: string; next: string },
    ): Promise<SignedIn> {
      const change = { ...given, by: account.credential?.signedInBy ?? ("password" as const) };
      const { address } = change.client;
      const { user, passwordHash } = await checkOwn(account, { password: current, address });
      const hash = await passwords.hashPassword(next);
      return user === null
        ? changeAdminPassword(passwordHash, hash, change)
        : changeUserPassword(user, hash, change);
    },

    /**
     * Also ends the administrator's sessions, clears its delay and, for the command, turns sign-in with a password on.
     * @throws BadRequest when the password is too short or too long
     */
    async resetAdminPassword(
      plain: string,
      changedBy: string,
      also: AlsoWithPassword = async () => {},
    ): Promise<void> {
      validated(newPasswordSchema, plain, "The password");
      const hash = await passwords.hashPassword(plain);
      const opens = changedBy === COMMAND.name;
      const run: AlsoWithPassword = async (tx, formerHash) => {
        await also(tx, formerHash);
        await endAdminAccess(tx);
      };
      await config.setAdminPasswordHash(hash, changedBy, run, { opens });
      await accountDelay.clear({ username: BUILT_IN_ADMIN.username });
    },
  };
}

/** Fits the key of a delay. */
const loginEmail = emailSchema.max(100);

const passwordChanged = () => appError("Conflict", "The password was changed meanwhile. Sign in again.");

const candidateOf = (user: User): PasswordHolder => ({
  account: toAccount(user),
  passwordHash: user.passwordHash,
  disabled: user.disabled,
});

/** Whose passwords are checked. */
function createHolders({
  users,
  ownerOf,
  passwordCheck,
  config,
}: Pick<Deps, "users" | "ownerOf" | "passwordCheck" | "config">) {
  const builtIn = (): PasswordHolder => ({
    account: BUILT_IN_ADMIN,
    passwordHash: config.get("api.admin_token"),
    disabled: false,
  });

  /** Whom a name or an address means, and the key of its delay; null: it can't be either. */
  async function findCandidate(
    typed: string,
  ): Promise<{ candidate: PasswordHolder | null; named: DelayKey | null }> {
    const username = usernameSchema.safeParse(typed).data ?? null;
    const email = loginEmail.safeParse(typed).data ?? null;
    const name = username ?? email;
    const candidate = await holderOf(username, email);
    return { candidate, named: name === null ? null : { username: name } };
  }

  /** A username comes before an address. */
  async function holderOf(username: string | null, email: string | null): Promise<PasswordHolder | null> {
    if (username === BUILT_IN_ADMIN.username) return builtIn();
    const named = username === null ? null : await users.findByUsername(username);
    const id = named === null && email !== null ? await ownerOf(email) : null;
    if (id === BUILT_IN_ADMIN.id) return builtIn();
    const user = id === null ? named : await users.find(id);
    return user === null ? null : candidateOf(user);
  }

  /**
   * For changes that a session alone may not make. Returns the account's row, null for the built-in administrator, and
   * the hash that the password matched.
   * @throws AuthFailed, RateLimitExceeded, ServiceUnavailable
   */
  async function checkOwn(
    account: Account,
    { password, address }: { password: string; address: string },
  ): Promise<{ user: User | null; passwordHash: string }> {
    const isBuiltIn = account.id === BUILT_IN_ADMIN.id;
    const user = isBuiltIn ? null : await users.find(account.id);
    const candidate = isBuiltIn ? builtIn() : user === null ? null : candidateOf(user);
    const key: DelayKey = account.credential ?? { username: account.username };
    const queue = `account ${account.id}` as const;
    const { passwordHash } = await passwordCheck.check({ password, candidate, key, address, queue });
    return { user, passwordHash };
  }

  /** Accounts that OpenID Connect has made have none, nor those that are invited. */
  const hasPassword = async ({ id }: Account): Promise<boolean> =>
    id === BUILT_IN_ADMIN.id || canMatchPassword((await users.find(id))?.passwordHash ?? NO_PASSWORD);

  return { findCandidate, checkOwn, hasPassword };
}
