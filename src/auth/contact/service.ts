/**
 * Addresses of accounts and what their mails are for: invitation, new password, proof of an address. A new address
 * counts once its owner has followed a link, so nobody gets mails of somebody else's account.
 */
import { given } from "../../lib/given.ts";
import { lockAccount, lockPasswordHash } from "../account.repository.ts";
import type { Core } from "../../platform/core.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { type Actor, SYSTEM } from "../../lib/actor.ts";
import { appError, AppError } from "../../lib/errors.ts";
import { type Account, BUILT_IN_ADMIN } from "../account.ts";
import type { ChangeTransaction } from "../../platform/cluster/changes.ts";
import type { OwnProof, ProveOwn } from "../second-factor/own-proof.ts";
import type { CreateUser, UpdateUser, User } from "../users/user.ts";
import type { Contact, ContactUpdate, Choices } from "./contact.ts";
import {
  createLinkMails,
  createProofs,
  type AuthMail,
  type LinkHolder,
  type LinkMails,
  type ProofClaims,
  type Proofs,
} from "./mails.ts";
import type { Users } from "../users/service.ts";
import type { ContactRepository } from "./repository.ts";
import { asciiLower } from "../../lib/ascii-lower.ts";

type Deps = Core & {
  repository: ContactRepository;
  users: Users;
  mail: AuthMail;
  prove: ProveOwn;
  /** Sets the password of the built-in administrator. `also` runs in its transaction, with the former hash. */
  resetAdminPassword(
    plain: string,
    changedBy: string,
    also: (tx: ChangeTransaction, formerHash: string) => Promise<void>,
  ): Promise<void>;
};

export type Contacts = ReturnType<typeof createContacts>;

export function createContacts(deps: Deps) {
  const { repository, users, mail, changes, config, clock } = deps;
  const proofs = createProofs(() => config.get("api.jwt_secret"));
  const linkMails = createLinkMails({ ...deps, proofs });
  const { holderOf, saveAddress, ...uses } = createProofUses({ ...deps, proofs, linkMails });

  const proofWhenNew = (before: User | null) => async (tx: ChangeTransaction, user: User) => {
    if (user.email === null || user.email === before?.email || !mail.isOffered()) return;
    await linkMails.requestProof(tx, { ...user, hash: user.passwordHash }, user.email);
  };

  /** Empty: the instance. */
  async function inviterOf(db: Db, { name, accountId, via }: Actor): Promise<string> {
    if (accountId === null) return "";
    const { displayName } = await repository.find(accountId, db);
    return displayName ?? (accountId === BUILT_IN_ADMIN.id || via === "token" ? "" : name);
  }

  return {
    isOffered: mail.isOffered,
    ...uses,

    /** @throws BadRequest, Conflict when a name or address is taken, or no mail can be sent */
    async createUser(
      { password, invite: invited = false, ...fields }: CreateUser,
      actor: Actor = SYSTEM,
    ): Promise<User> {
      if (!invited) {
        if (password === undefined)
          throw appError("BadRequest", "password is required without invite.", { field: "password" });
        return users.create({ ...fields, password }, actor, proofWhenNew(null));
      }
      if (password !== undefined)
        throw appError("BadRequest", "password must be absent with invite.", { field: "password" });
      if (!fields.email) throw appError("BadRequest", "email is required with invite.", { field: "email" });
      if (!mail.isOffered()) throw mailUnavailable();
      return users.create({ ...fields, password: null }, actor, async (tx, user) =>
        linkMails.invite(tx, user, await inviterOf(tx.db, actor)),
      );
    },

    updateUser: (id: number, fields: UpdateUser, actor: Actor): Promise<User> =>
      users.update(id, fields, actor, (tx, after, before) => proofWhenNew(before)(tx, after)),

    /** Anew, by administrators. @throws NotFound, Conflict */
    async inviteAgain(id: number, actor: Actor): Promise<User> {
      const user = await users.get(id);
      if (user.email === null) throw appError("Conflict", "The account has no e-mail address.");
      if (user.disabled) throw appError("Conflict", "The account is disabled.");
      if (!mail.isOffered()) throw mailUnavailable();
      await changes.write(async (tx) => linkMails.invite(tx, user, await inviterOf(tx.db, actor)));
      return user;
    },

    /** Whom a mail of the kind is for. Null without a verified address, or if it is turned off. */
    async recipientOf<K extends keyof Choices>(db: Db, accountId: number, kind: K) {
      const contact = await repository.reachable(accountId, db);
      if (contact === null) return null;
      const { email, language, choices } = contact;
      const every = choices[kind];
      if (every === "off") return null;
      return { to: { accountId, email, language }, every: every as Exclude<Choices[K], "off"> };
    },

    administrators: (db?: Db): Promise<number[]> => repository.administrators(db),

    get: (accountId: number): Promise<Contact> => repository.find(accountId),

    async change(accountId: number, { language, mails }: ContactUpdate): Promise<Contact> {
      return changes.write(async (tx) => {
        const before = await lockContact(deps, tx, accountId);
        const choices: Choices = { ...before.choices, ...given(mails ?? {}) };
        const after = { ...before, choices, language: language ?? before.language };
        await repository.save(tx.db, accountId, after, clock.now());
        return after;
      });
    },

    /** Null: none. */
    async rename(
      { id, username }: Pick<Account, "id" | "username">,
      actor: Actor,
      displayName: string | null,
    ): Promise<void> {
      await changes.write(async (tx) => {
        const now = clock.now();
        const before = await lockContact(deps, tx, id);
        await repository.save(tx.db, id, { ...before, displayName }, now);
        const after = { ...before, displayName };
        if (before.displayName !== displayName)
          await recordContact(deps, tx, { id, username, before, after, actor });
      });
    },

    /** Sends a link there; the address counts once it was followed. @throws AuthFailed, Conflict */
    async setAddress(
      account: Account,
      { email, ...proof }: OwnProof & { email: string | null },
      address: string,
    ): Promise<void> {
      if (email !== null && !mail.isOffered()) throw mailUnavailable();
      await deps.prove(account, proof, address);
      const holder = await holderOf(account.id);
      if (holder === null) throw linkExpired();
      if (email === null) return changes.write((tx) => saveAddress(tx, holder, null));
      await changes.write((tx) => linkMails.requestProof(tx, holder, email));
    },
  };
}

/** Whoever stores a contact writes all of it, so it is read under the lock of its account. */
async function lockContact(
  { repository, database }: Pick<Deps, "repository" | "database">,
  tx: ChangeTransaction,
  id: number,
): Promise<Contact> {
  await lockAccount(tx.db, database, id);
  return repository.find(id, tx.db);
}

type ContactChange = {
  id: number;
  username: string;
  before: Contact;
  after: Contact;
  actor: Pick<Actor, "name" | "via">;
};

async function recordContact(
  { record, clock }: Pick<Deps, "record" | "clock">,
  tx: ChangeTransaction,
  { id, username, before, after, actor }: ContactChange,
): Promise<void> {
  const differing = ({ email, displayName }: Contact) => ({
    ...(before.email !== after.email && { email }),
    ...(before.displayName !== after.displayName && { display_name: displayName }),
  });
  const states = { before: differing(before), after: differing(after) };
  await record(tx.db, [{ at: clock.now(), actor, action: "account.update", subject: username, ...states }]);
  tx.changed("users", [String(id)]);
}

type ProofUseDeps = Deps & { linkMails: LinkMails; proofs: Proofs };

type Holder = Contact & LinkHolder;

const mailUnavailable = () =>
  appError("Conflict", "No mail can be sent: an administrator has to set [mail].");

const linkExpired = () =>
  appError("NotFound", "This link was already used, is too old or not whole. Ask for a new one.");

/** Resolves a NotFound to null. */
function nullIfNotFound(error: unknown): null {
  if (error instanceof AppError && error.kind === "not_found") return null;
  throw error;
}

/** What the links of mails do, for people who are not signed in. */
function createProofUses(deps: ProofUseDeps) {
  const { repository, users, mail, linkMails, proofs, changes, clock } = deps;

  /** Returns null for an account that is deleted or disabled. */
  async function holderOf(accountId: number): Promise<Holder | null> {
    const contact = await repository.find(accountId);
    const { id, username } = BUILT_IN_ADMIN;
    if (accountId === id) return { ...contact, id, username, hash: deps.config.get("api.admin_token") };
    const user = await users.get(accountId).catch(nullIfNotFound);
    if (user === null || user.disabled) return null;
    return { ...contact, id: user.id, username: user.username, hash: user.passwordHash };
  }

  /** @throws NotFound */
  async function requireProof(token: string, what: ProofClaims["for"]) {
    const claims = proofs.read(token);
    const holder = claims?.for === what ? await holderOf(claims.account) : null;
    if (claims === null || holder === null || !proofs.isValid(token, holder, clock.now()))
      throw linkExpired();
    return { claims, holder };
  }

  /** Finds an account by username or address. */
  async function findHolder(account: string): Promise<Holder | null> {
    const name = asciiLower(account.trim());
    if (name === BUILT_IN_ADMIN.username) return holderOf(BUILT_IN_ADMIN.id);
    const id = name.includes("@") ? await repository.ownerOf(name) : null;
    const user = id === null ? await users.getByUsername(name).catch(nullIfNotFound) : null;
    const accountId = id ?? user?.id;
    return accountId === undefined ? null : holderOf(accountId);
  }

  async function sendReset(account: string): Promise<void> {
    const holder = await findHolder(account);
    if (holder === null || holder.email === null || !holder.emailVerified) return;
    const { email } = holder;
    await changes.write((tx) => linkMails.sendReset(tx, holder, email));
  }

  async function saveAddress(
    tx: ChangeTransaction,
    { id, username }: Pick<Holder, "id" | "username">,
    email: string | null,
    displayName?: string | null,
  ): Promise<void> {
    const now = clock.now();
    const before = await lockContact(deps, tx, id);
    const after = { ...before, ...given({ displayName }), email, emailVerified: email !== null };
    await repository.save(tx.db, id, after, now);
    if (before.email === email && before.displayName === after.displayName) return;
    await recordContact(deps, tx, { id, username, before, after, actor: { name: username, via: "panel" } });
  }

  /** Lets one of two concurrent uses pass. The account is locked; `hash` is its stored one. @throws NotFound */
  async function requireUnused(tx: ChangeTransaction, token: string, id: number, hash: string | null) {
    const contact = await repository.find(id, tx.db);
    if (hash === null || !proofs.isValid(token, { ...contact, hash }, clock.now())) throw linkExpired();
    return contact;
  }

  return {
    holderOf,
    saveAddress,

    /** @throws NotFound, Conflict when another account has proved it first */
    async confirmAddress(token: string): Promise<string> {
      const { claims, holder } = await requireProof(token, "address");
      await changes.write(async (tx) => {
        await requireUnused(tx, token, holder.id, await lockPasswordHash(tx.db, deps.database, holder.id));
        await saveAddress(tx, holder, claims.email);
      });
      return claims.email;
    },

    /** Returns at once: neither response nor time reveal whether there is such an account. @throws Conflict */
    requestPassword(account: string): void {
      if (!mail.isOffered()) throw mailUnavailable();
      sendReset(account).catch((err: unknown) =>
        deps.logger.warn({ err }, "a mail for a new password could not be queued"),
      );
    },

    /** Ends the sessions of the account, and returns its username. @throws NotFound */
    async setPassword(token: string, password: string, displayName?: string | null): Promise<string> {
      const { claims, holder } = await requireProof(token, "password");
      if (claims.email !== holder.email) throw linkExpired();
      async function take(tx: ChangeTransaction, formerHash: string): Promise<void> {
        const { email } = await requireUnused(tx, token, holder.id, formerHash);
        if (claims.email !== email) throw linkExpired();
        await saveAddress(tx, holder, email, displayName);
      }
      if (claims.account === BUILT_IN_ADMIN.id) {
        await deps.resetAdminPassword(password, holder.username, take);
      } else {
        const actor: Actor = {
          name: holder.username,
          via: "panel",
          accountId: claims.account,
          ownOnly: true,
        };
        await users.update(claims.account, { password }, actor, (tx, _, { passwordHash }) =>
          take(tx, passwordHash),
        );
      }
      return holder.username;
    },
  };
}
