import type { Db } from "../../db/dialect.ts";
import { type Actor, COMMAND, type Via } from "../../lib/actor.ts";
import type { Clock } from "../../lib/clock.ts";
import { AppError, appError } from "../../lib/errors.ts";
import type { RecordEvents } from "../../lib/event.ts";
import { validated } from "../../lib/validated.ts";
import { type Account, BUILT_IN_ADMIN } from "../account.ts";
import type { AccountDelay, DelayKey } from "./account-delay.ts";
import type { AuthConfig } from "../auth-config.ts";
import type { AuthChanges, AuthTransaction } from "../changes.ts";
import type { Passwords } from "./password.ts";
import type { PasswordAttempt, PasswordHolder, PasswordCheck } from "./password-check.ts";
import type { SignInEvents } from "./sign-in-events.ts";
import type { Session, SessionClient } from "../sessions/session.ts";
import type { Sessions } from "../sessions/service.ts";
import type { SignedIn } from "../sessions/signing.ts";
import type { Tokens } from "../sessions/tokens.ts";
import { userEvent } from "../users/user-events.ts";
import { newPasswordSchema, toAccount, type User, usernameSchema } from "../users/user.ts";
import type { UsersRepository } from "../users/repository.ts";

export type LoginAttempt = {
  /** Default: the built-in administrator. */
  username?: string | null | undefined;
  password: string;
  totp?: string | null | undefined;
  recoveryCode?: string | null | undefined;
  client: SessionClient & { address: string };
  via: Via;
  /** Of earlier sessions. */
  refreshTokens: readonly string[];
  deviceTokens: readonly string[];
};

type Doing = Pick<LoginAttempt, "client" | "via">;

/** Writes `api.admin_token`; `opens`: and turns sign-in with a password on. `also` runs in its transaction and may be retried. */
export type AdminPasswordSetting = {
  setAdminPasswordHash(
    hash: string,
    changedBy: string | Pick<Actor, "name" | "via">,
    also: (tx: AuthTransaction) => Promise<void>,
    options?: { opens: boolean },
  ): Promise<void>;
};

/** What an account proves besides its password; null: nothing is asked. */
export type SecondFactorCheck = {
  admit(
    account: Account,
    codes: Pick<LoginAttempt, "totp" | "recoveryCode">,
    key: FactorKey,
  ): Promise<{
    by: "totp" | "recovery_code";
    use(tx: AuthTransaction): Promise<void>;
    settle(): Promise<void>;
  } | null>;
};

type FactorKey = { username: string } | { sessionId: string };

type Deps = {
  users: UsersRepository;
  sessions: Sessions;
  tokens: Tokens;
  passwords: Passwords;
  passwordCheck: PasswordCheck;
  accountDelay: AccountDelay;
  config: AuthConfig & AdminPasswordSetting;
  changes: AuthChanges;
  signIns: SignInEvents;
  /** A browser that the account has not used before has signed in. */
  tellNewBrowser(tx: AuthTransaction, account: Account, client: SessionClient): Promise<void>;
  secondFactor: SecondFactorCheck;
  /** Ends the one-time addresses of the set-up. */
  closeSetUp(tx: Db): Promise<void>;
  record: RecordEvents<Db>;
  clock: Clock;
};

export type Login = ReturnType<typeof createLogin>;

export function createLogin(deps: Deps) {
  const { users, sessions, tokens, passwords, passwordCheck, accountDelay, config, changes, clock } = deps;
  const { findCandidate, checkOwn } = createHolders(deps);
  const { signIns, secondFactor, closeSetUp, record } = deps;

  async function changeUserPassword(
    user: User,
    passwordHash: string,
    { via, client }: Doing,
  ): Promise<SignedIn> {
    const session = await changes.write(async (tx) => {
      const current = await users.lock(tx.db, user.id);
      if (current === null || current.passwordHash !== user.passwordHash) {
        throw appError("Conflict", "The password was changed meanwhile. Sign in again.");
      }
      const next = { ...current, passwordHash, updatedAt: clock.now() };
      await users.update(tx.db, next);
      const actor = { name: user.username, via };
      await record(tx.db, [userEvent({ actor, now: clock.now(), verb: "update" }, current, next)]);
      await sessions.endAllOf(tx, user.id);
      return sessions.open(tx, user.id, client);
    });
    return sessions.sign(session, toAccount(user));
  }

  const endAdminAccess = (tx: AuthTransaction) =>
    closeSetUp(tx.db).then(() => sessions.endAllOf(tx, BUILT_IN_ADMIN.id));

  async function changeAdminPassword(passwordHash: string, { via, client }: Doing): Promise<SignedIn> {
    let session: Session | undefined;
    const by = { name: BUILT_IN_ADMIN.username, via };
    await config.setAdminPasswordHash(passwordHash, by, async (tx) => {
      await endAdminAccess(tx);
      session = await sessions.open(tx, BUILT_IN_ADMIN.id, client);
    });
    return sessions.sign(session!, BUILT_IN_ADMIN);
  }

  return {
    /** For changes that a session alone may not make. @throws AuthFailed, RateLimitExceeded, ServiceUnavailable */
    checkOwn,

    /** @throws AuthFailed, RateLimitExceeded, ServiceUnavailable, NotFound while the admin API is disabled */
    async signIn({ username: typed, password, client, via, ...sent }: LoginAttempt): Promise<SignedIn> {
      const { address } = client;
      if (config.get("api.admin_token") === "")
        throw appError("NotFound", "There is nothing at this address.");
      const username = usernameSchema.safeParse(typed ?? BUILT_IN_ADMIN.username).data ?? null;
      const candidate = await findCandidate(username);
      const named: DelayKey | null = username === null ? null : { username };
      const known = await formerSession(tokens, sent, candidate?.account.id);
      const attempt: PasswordAttempt = {
        password,
        candidate,
        key: known ?? named,
        address,
        queue: known === null || candidate === null ? "sign-in" : `account ${candidate.account.id}`,
      };
      const failed = async (error: unknown): Promise<never> => {
        // A right password whose code is still to come is no failure.
        if (error instanceof AppError && error.name === "AuthFailed" && !error.details?.["isAsked"])
          await signIns.failed({ username: candidate?.account.username ?? null, address, via });
        throw error;
      };
      const { account, passwordHash } = await passwordCheck.check(attempt).catch(failed);
      const factorKey = known ?? { username: account.username };
      const proof = await secondFactor.admit(account, sent, factorKey).catch(failed);
      const start = sessions.start(account, { passwordHash, client }, async (tx) => {
        await proof?.use(tx);
        const by = proof?.by;
        await signIns.succeeded(tx.db, { username: account.username, address, via, by });
        if (known === null && via === "panel") await deps.tellNewBrowser(tx, account, client);
      });
      const signedIn = await start.catch(failed);
      await proof?.settle();
      return signedIn;
    },

    /**
     * Ends all sessions of the account and opens a new one.
     * @throws AuthFailed when `current` is wrong, RateLimitExceeded, ServiceUnavailable, Conflict
     */
    async changePassword(
      account: Account,
      { current, next, ...doing }: Doing & { current: string; next: string },
    ): Promise<SignedIn> {
      const user = await checkOwn(account, { password: current, address: doing.client.address });
      const hash = await passwords.hashPassword(next);
      return user === null ? changeAdminPassword(hash, doing) : changeUserPassword(user, hash, doing);
    },

    /**
     * Also ends the administrator's sessions, clears its delay and, for the command, turns sign-in with a password on.
     * @throws BadRequest when the password is too short or too long
     */
    async resetAdminPassword(plain: string, changedBy: string): Promise<void> {
      validated(newPasswordSchema, plain, "The password");
      const hash = await passwords.hashPassword(plain);
      const opens = changedBy === COMMAND.name;
      await config.setAdminPasswordHash(hash, changedBy, endAdminAccess, { opens });
      await accountDelay.clear({ username: BUILT_IN_ADMIN.username });
    },
  };
}

const candidateOf = (user: User): PasswordHolder => ({
  account: toAccount(user),
  passwordHash: user.passwordHash,
  disabled: user.disabled,
});

/** The browser's former session with the account; null without proof of one. */
async function formerSession(
  tokens: Tokens,
  { refreshTokens, deviceTokens }: Pick<LoginAttempt, "refreshTokens" | "deviceTokens">,
  accountId: number | undefined,
): Promise<{ sessionId: string } | null> {
  for (const [type, sent] of [
    ["refresh", refreshTokens],
    ["device", deviceTokens],
  ] as const) {
    for (const token of sent) {
      const claims = await tokens.verify(type, token);
      if (claims !== null && claims.accountId === accountId) return { sessionId: claims.sessionId };
    }
  }
  return null;
}

/** Whose passwords are checked. */
function createHolders({ users, passwordCheck, config }: Pick<Deps, "users" | "passwordCheck" | "config">) {
  const builtIn = (): PasswordHolder => ({
    account: BUILT_IN_ADMIN,
    passwordHash: config.get("api.admin_token"),
    disabled: false,
  });

  async function findCandidate(username: string | null): Promise<PasswordHolder | null> {
    if (username === BUILT_IN_ADMIN.username) return builtIn();
    const user = username === null ? null : await users.findByUsername(username);
    return user === null ? null : candidateOf(user);
  }

  /** The account's row; null for the built-in administrator. */
  async function checkOwn(
    account: Account,
    { password, address }: { password: string; address: string },
  ): Promise<User | null> {
    const isBuiltIn = account.id === BUILT_IN_ADMIN.id;
    const user = isBuiltIn ? null : await users.find(account.id);
    const candidate = isBuiltIn ? builtIn() : user === null ? null : candidateOf(user);
    const key: DelayKey = account.credential ?? { username: account.username };
    await passwordCheck.check({ password, candidate, key, address, queue: `account ${account.id}` });
    return user;
  }

  return { findCandidate, checkOwn };
}
