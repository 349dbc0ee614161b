/** What the links of mails do, for people who are not signed in. */
import type { Db } from "../../platform/db/dialect.ts";
import type { Actor } from "../../lib/actor.ts";
import type { Clock } from "../../lib/clock.ts";
import { AppError, appError } from "../../lib/errors.ts";
import type { RecordEvents } from "../../lib/event.ts";
import type { Logger } from "../../lib/logger.ts";
import { BUILT_IN_ADMIN } from "../account.ts";
import type { AuthChanges, AuthTransaction } from "../changes.ts";
import type { Users } from "../users/service.ts";
import type { Contact } from "./contact.ts";
import type { AuthMail, LinkHolder, LinkMails } from "./link-mails.ts";
import type { ProofClaims, Proofs } from "./proof.ts";
import type { ContactRepository } from "./repository.ts";
import { asciiLower } from "../../lib/ascii-lower.ts";

export type ProofUseDeps = {
  repository: ContactRepository;
  users: Users;
  mail: AuthMail;
  linkMails: LinkMails;
  proofs: Proofs;
  changes: AuthChanges;
  record: RecordEvents<Db>;
  /** Of the built-in administrator. */
  adminPasswordHash(): string;
  /** `also` runs in its transaction, with the hash that the new one replaces. */
  setAdminPassword(
    plain: string,
    also: (tx: AuthTransaction, formerHash: string) => Promise<void>,
  ): Promise<void>;
  clock: Clock;
  logger: Pick<Logger, "warn">;
};

type Holder = Contact & LinkHolder;

export const noMail = () => appError("Conflict", "No mail can be sent: an administrator has to set [mail].");

export const gone = () =>
  appError("NotFound", "This link was already used, is too old or not whole. Ask for a new one.");

/** For what means that something is missing. */
function none(error: unknown): null {
  if (error instanceof AppError && error.kind === "not_found") return null;
  throw error;
}

export function createProofUses(deps: ProofUseDeps) {
  const { repository, users, mail, linkMails, proofs, changes, clock } = deps;

  /** Null when deleted or disabled. */
  async function holderOf(accountId: number): Promise<Holder | null> {
    const contact = await repository.find(accountId);
    const { id, username } = BUILT_IN_ADMIN;
    if (accountId === id) return { ...contact, id, username, hash: deps.adminPasswordHash() };
    const user = await users.get(accountId).catch(none);
    if (user === null || user.disabled) return null;
    return { ...contact, id: user.id, username: user.username, hash: user.passwordHash };
  }

  /** @throws NotFound */
  async function proven(token: string, what: ProofClaims["for"]) {
    const claims = proofs.read(token);
    const holder = claims?.for === what ? await holderOf(claims.account) : null;
    if (claims === null || holder === null || !proofs.holds(token, holder, clock.now())) throw gone();
    return { claims, holder };
  }

  /** By username or address. */
  async function named(account: string): Promise<Holder | null> {
    const name = asciiLower(account.trim());
    if (name === BUILT_IN_ADMIN.username) return holderOf(BUILT_IN_ADMIN.id);
    const id = name.includes("@") ? await repository.ownerOf(name) : null;
    const user = id === null ? await users.getByUsername(name).catch(none) : null;
    const accountId = id ?? user?.id;
    return accountId === undefined ? null : holderOf(accountId);
  }

  async function sendReset(account: string): Promise<void> {
    const holder = await named(account);
    if (holder === null || holder.email === null || !holder.emailVerified) return;
    const { email } = holder;
    await changes.write((tx) => linkMails.sendReset(tx, holder, email));
  }

  async function saveAddress(
    tx: AuthTransaction,
    { id, username }: Pick<Holder, "id" | "username">,
    email: string | null,
  ): Promise<void> {
    const now = clock.now();
    const before = await repository.find(id, tx.db);
    await repository.save(tx.db, id, { ...before, email, emailVerified: email !== null }, now);
    if (before.email === email) return;
    const actor = { name: username, via: "panel" } as const;
    const [was, is] = [before.email, email].map((one) => ({ email: one }));
    await deps.record(tx.db, [
      { at: now, actor, action: "account.update", subject: username, before: was!, after: is! },
    ]);
    tx.changed("users", [String(id)]);
  }

  /** Of two uses at once one is first. `hash`: as stored; the account is locked. @throws NotFound */
  async function requireUnused(tx: AuthTransaction, token: string, id: number, hash: string | null) {
    const contact = await repository.find(id, tx.db);
    if (hash === null || !proofs.holds(token, { ...contact, hash }, clock.now())) throw gone();
    return contact;
  }

  return {
    holderOf,
    saveAddress,

    /** @throws NotFound, Conflict when another account has proved it first */
    async confirmAddress(token: string): Promise<string> {
      const { claims, holder } = await proven(token, "address");
      await changes.write(async (tx) => {
        await requireUnused(tx, token, holder.id, await repository.lockHash(tx.db, holder.id));
        await saveAddress(tx, holder, claims.email);
      });
      return claims.email;
    },

    /** Resolves at once: neither answer nor time tell whether there is such an account. @throws Conflict */
    askForPassword(account: string): void {
      if (!mail.isOffered()) throw noMail();
      sendReset(account).catch((err: unknown) =>
        deps.logger.warn({ err }, "a mail for a new password could not be queued"),
      );
    },

    /** Ends the sessions of the account. @throws NotFound */
    async setPassword(token: string, password: string): Promise<string> {
      const { claims, holder } = await proven(token, "password");
      if (claims.email !== holder.email) throw gone();
      async function take(tx: AuthTransaction, formerHash: string): Promise<void> {
        const { email } = await requireUnused(tx, token, holder.id, formerHash);
        if (claims.email !== email) throw gone();
        await saveAddress(tx, holder, email);
      }
      if (claims.account === BUILT_IN_ADMIN.id) await deps.setAdminPassword(password, take);
      else {
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
