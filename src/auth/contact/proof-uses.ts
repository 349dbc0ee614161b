/** What the links of mails do, for people who are not signed in. */
import type { Db } from "../../db/dialect.ts";
import type { Actor } from "../../lib/actor.ts";
import type { Clock } from "../../lib/clock.ts";
import { AppError, appError } from "../../lib/errors.ts";
import type { RecordEvents } from "../../lib/event.ts";
import type { Logger } from "../../lib/logger.ts";
import { BUILT_IN_ADMIN } from "../account.ts";
import type { AuthChanges } from "../changes.ts";
import type { Users } from "../users/service.ts";
import type { Contact } from "./contact.ts";
import type { AuthMail, LinkHolder, LinkMails } from "./link-mails.ts";
import type { ProofClaims, Proofs } from "./proof.ts";
import type { ContactRepository } from "./repository.ts";

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
  setAdminPassword(plain: string): Promise<void>;
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
    if (claims === null || holder === null || !proofs.holds(token, holder.hash, clock.now())) throw gone();
    return { claims, holder };
  }

  /** By username or address. */
  async function named(account: string): Promise<Holder | null> {
    const name = account.trim().toLowerCase();
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

  async function saveAddress(accountId: number, username: string, email: string | null): Promise<void> {
    const now = clock.now();
    await changes.write(async (tx) => {
      const before = await repository.find(accountId, tx.db);
      await repository.save(tx.db, accountId, { ...before, email, emailVerified: email !== null }, now);
      if (before.email === email) return;
      const actor = { name: username, via: "panel" } as const;
      const [was, is] = [before.email, email].map((one) => ({ email: one }));
      await deps.record(tx.db, [
        { at: now, actor, action: "account.update", subject: username, before: was!, after: is! },
      ]);
      tx.changed("users", [String(accountId)]);
    });
  }

  return {
    holderOf,
    saveAddress,

    /** @throws NotFound, Conflict when another account has proved it first */
    async confirmAddress(token: string): Promise<string> {
      const { claims, holder } = await proven(token, "address");
      await saveAddress(claims.account, holder.username, claims.email);
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
      if (claims.account === BUILT_IN_ADMIN.id) await deps.setAdminPassword(password);
      else {
        const actor: Actor = {
          name: holder.username,
          via: "panel",
          accountId: claims.account,
          ownOnly: true,
        };
        await users.update(claims.account, { password }, actor, async (_, __, before) => {
          // Of two at once one was first.
          if (!proofs.holds(token, before.passwordHash, clock.now())) throw gone();
        });
      }
      await saveAddress(claims.account, holder.username, claims.email);
      return holder.username;
    },
  };
}
