/**
 * Passkeys: discoverable credentials with user verification (Web Authentication, Level 3). One is both factors by
 * itself. A sign-in is known by the credential, whose key has signed it, so the user handle needs no check. A challenge
 * is accepted once, in the transaction of what it allows.
 */
import { findAccount, lockAccount, useOnce } from "../account.repository.ts";
import type { AuthCore, RequestClient, SignInMails } from "../auth-core.ts";
import { createHmac } from "node:crypto";
import type { Actor, Via } from "../../lib/actor.ts";
import { AppError, appError } from "../../lib/errors.ts";
import { keptAddress } from "../../lib/kept-address.ts";
import type { Account } from "../account.ts";
import type { ChangeTransaction } from "../../platform/cluster/changes.ts";
import type { SignInEvents } from "../login/sign-in-events.ts";
import { type FormerTokens, formerSessions, type Tokens } from "../sessions/tokens.ts";
import type { SignedIn } from "../sessions/session.ts";
import type { Sessions } from "../sessions/service.ts";
import type { SecondFactor } from "../second-factor/service.ts";
import {
  CHALLENGE_MS,
  type Challenges,
  ALGORITHMS,
  challengeOf,
  hostOf,
  readAssertion,
  readNew,
  type Site,
} from "./webauthn.ts";
import type { Assertion, NewCredential, Passkey } from "./passkey.ts";
import type { PasskeyRepository } from "./repository.ts";

const MOST_PASSKEYS = 20;

const SIGN_IN = "sign in";

type Deps = AuthCore & {
  repository: PasskeyRepository;
  challenges: Challenges;
  sessions: Sessions;
  tokens: Tokens;
  signIns: SignInEvents;
  mails: SignInMails;
  secondFactor: SecondFactor;
};

type SignIn = FormerTokens & { credential: Assertion; site: Site; client: RequestClient; via: Via };

export type Passkeys = ReturnType<typeof createPasskeys>;

export function createPasskeys(deps: Deps) {
  const { challenges, repository } = deps;
  return {
    /** The options of `navigator.credentials.get()`. Costs no query. */
    requestOptions: (site: Site) => ({
      challenge: challenges.make(SIGN_IN),
      rpId: hostOf(site),
      userVerification: "required" as const,
      timeout: CHALLENGE_MS,
    }),

    listOf: (accountId: number): Promise<Passkey[]> => repository.listOf(accountId),

    ...createUses(deps),
    ...createChanges(deps),
  };
}

/** Signing in, and proving that one is still there. */
function createUses(deps: Deps) {
  const { repository, challenges, changes, sessions, tokens, signIns, mails, config, clock, logger } = deps;

  /**
   * The passkey, if its key has signed the challenge; `take` counts that as used. `known` hears whose it is before that.
   * @throws AuthFailed, BadRequest
   */
  async function verified(
    credential: Assertion,
    site: Site,
    onFound: (accountId: number) => void = () => {},
  ) {
    const challenge = challengeOf(credential, site);
    const end = challenges.endOf(challenge, SIGN_IN);
    if (end === null) throw passkeyRefused("This took too long. Try again.");
    const passkey = await repository.find(credential.id);
    if (passkey === null)
      throw passkeyRefused(
        "This passkey is not known here. Sign in another way, and remove it from your device.",
      );
    onFound(passkey.accountId);
    const assertion = await readAssertion(credential, passkey, { ...site, challenge });
    if ("refused" in assertion) {
      logger.warn(
        { err: assertion.refused, account: passkey.accountId },
        "an assertion of a passkey was refused",
      );
      throw passkeyRefused("The passkey was not accepted. Try again.");
    }

    async function take(tx: ChangeTransaction): Promise<Account> {
      const now = clock.now();
      const account = await lockAccount(tx.db, deps.database, passkey!.accountId);
      const current = await repository.lock(tx.db, passkey!.id);
      if (account === null || current === null)
        throw passkeyRefused("This passkey was removed, or its account is disabled.");
      const { counter, backedUp } = assertion as { counter: number; backedUp: boolean };
      if ((counter > 0 || current.counter > 0) && counter <= current.counter) {
        logger.warn(
          { account: account.id, passkey: current.id, counter, expected: current.counter + 1 },
          "the counter of a passkey went backwards; a copy of it may be in use",
        );
        throw passkeyRefused(
          "The passkey was not accepted: a copy of it may be in use. Sign in another way, and remove it.",
        );
      }
      if (!(await useOnce(tx.db, { kind: "passkey", secret: challenge }, { end: end!, now }))) {
        throw passkeyRefused("This answer was used already. Try again.");
      }
      await repository.markUsed(tx.db, current.id, { counter, backedUp, at: now });
      return account;
    }
    return { accountId: passkey.accountId, take };
  }

  return {
    /** @throws AuthFailed, BadRequest for another origin */
    async signIn({ credential, site, client, via, ...sent }: SignIn): Promise<SignedIn> {
      let accountId: number | null = null;
      try {
        const { take } = await verified(credential, site, (id) => (accountId = id));
        const former = await formerSessions(tokens, sent);
        const { account, session } = await changes.write(async (tx) => {
          const found = await take(tx);
          const { username, id } = found;
          await signIns.succeeded(tx.db, { username, address: client.address, via, by: "passkey" });
          if (!former.has(id)) await mails.newBrowser(tx, found, client);
          return { account: found, session: await sessions.open(tx, id, client, "passkey") };
        });
        return await sessions.sign(session, account);
      } catch (error) {
        if (error instanceof AppError && error.name === "AuthFailed") {
          deps.onFailure("passkey");
          const address = keptAddress(client.address, config.get("privacy.addresses"));
          logger.warn({ address, reason: error.message }, "a sign-in by passkey was refused");
          const owner = accountId === null ? null : await findAccount(deps.database.read, accountId);
          await signIns.failed({
            username: owner?.username ?? null,
            address: client.address,
            via,
            by: "passkey",
          });
        }
        throw error;
      }
    },

    /** Confirms the session by one of the caller's own passkeys, as its second factor. @throws AuthFailed, BadRequest */
    async confirm(
      account: Account,
      { credential, site }: Pick<SignIn, "credential" | "site">,
    ): Promise<void> {
      const { accountId, take } = await verified(credential, site);
      if (accountId !== account.id) throw passkeyRefused("This passkey belongs to another account.");
      await changes.write(async (tx) => {
        await take(tx);
        await sessions.prove(tx, account.credential, "passkey");
      });
    },
  };
}

type Addition = { credential: NewCredential; name: string; site: Site; client: RequestClient; actor: Actor };

/** The own passkeys of an account. */
function createChanges(deps: Deps) {
  const { repository, challenges, changes, secondFactor, config, mails, record, clock } = deps;
  const purposeOf = ({ id, credential }: Account): string => `add ${id} ${credential?.sessionId ?? ""}`;

  async function change(
    id: number,
    accountId: number,
    write: (tx: ChangeTransaction, passkey: Passkey) => Promise<void>,
  ) {
    await changes.write(async (tx) => {
      const passkey = await repository.lock(tx.db, id);
      if (passkey?.accountId !== accountId) throw appError("NotFound", "There is no such passkey.");
      await write(tx, passkey);
    });
  }

  return {
    /** The options of `navigator.credentials.create()`. The caller has proved itself. @throws Conflict */
    async creation(account: Account, site: Site) {
      const known = await repository.listOf(account.id);
      requireRoom(known);
      return {
        challenge: challenges.make(purposeOf(account)),
        rp: { id: hostOf(site), name: config.get("features.instance_name") },
        user: {
          id: userHandle(config.get("api.jwt_secret"), account.id),
          name: account.username,
          displayName: account.username,
        },
        pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: "public-key" as const, alg })),
        excludeCredentials: known.map(({ credentialId: id, transports }) => ({
          id,
          type: "public-key" as const,
          transports: [...transports],
        })),
        authenticatorSelection: {
          residentKey: "required" as const,
          requireResidentKey: true as const,
          userVerification: "required" as const,
        },
        attestation: "none" as const,
        timeout: CHALLENGE_MS,
      };
    },

    /** @throws BadRequest, Conflict, NotFound */
    async add(account: Account, { credential, name, site, client, actor }: Addition): Promise<Passkey> {
      const challenge = challengeOf(credential, site);
      const end = challenges.endOf(challenge, purposeOf(account));
      if (end === null)
        throw appError("BadRequest", "This took too long. Try again.", { field: "credential" });
      const made = await readNew(credential, { ...site, challenge });
      const now = clock.now();
      const passkey = { ...made, accountId: account.id, name, createdAt: now, lastUsedAt: null };
      return changes.write(async (tx) => {
        if ((await lockAccount(tx.db, deps.database, account.id)) === null) {
          throw appError("NotFound", "The account is disabled or deleted.");
        }
        await secondFactor.requireProved(tx, account);
        requireRoom(await repository.listOf(account.id, tx.db));
        if (!(await useOnce(tx.db, { kind: "passkey", secret: challenge }, { end, now }))) {
          throw appError("Conflict", "This passkey is registered already.");
        }
        const id = await repository.insert(tx.db, passkey);
        await record(tx.db, [
          { at: now, actor, action: "passkey.add", subject: account.username, after: { name } },
        ]);
        await mails.newPasskey(tx, account, client);
        await secondFactor.notePasskey(tx, account);
        tx.changed("users", [String(account.id)]);
        return { id, ...passkey };
      });
    },

    /** @throws NotFound */
    async rename(account: Account, id: number, name: string, actor: Actor): Promise<Passkey> {
      let renamed: Passkey;
      await change(id, account.id, async (tx, passkey) => {
        await secondFactor.requireProved(tx, account);
        renamed = { ...passkey, name };
        if (name === passkey.name) return;
        await repository.rename(tx.db, id, name);
        const [before, after] = [{ name: passkey.name }, { name }];
        await record(tx.db, [
          { at: clock.now(), actor, action: "passkey.rename", subject: account.username, before, after },
        ]);
      });
      return renamed!;
    },

    /** @throws NotFound */
    remove: ({ id: accountId, username }: Account, id: number, actor: Actor): Promise<void> =>
      change(id, accountId, async (tx, { name }) => {
        await repository.remove(tx.db, id);
        const before = { name };
        await record(tx.db, [
          { at: clock.now(), actor, action: "passkey.remove", subject: username, before },
        ]);
        tx.changed("users", [String(accountId)]);
      }),
  };
}

/** @throws Conflict */
function requireRoom(known: readonly Passkey[]): void {
  if (known.length < MOST_PASSKEYS) return;
  throw appError("Conflict", `An account has at most ${MOST_PASSKEYS} passkeys. Remove one first.`);
}

/** Tells nothing about the account, and is the same for all of its passkeys, so that a device keeps one. */
const userHandle = (secret: string, accountId: number): string =>
  createHmac("sha256", secret).update(`waymark user handle: ${accountId}`).digest("base64url");

const passkeyRefused = (message: string) => appError("AuthFailed", message, { field: "passkey" });
