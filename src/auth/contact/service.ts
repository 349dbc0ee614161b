/**
 * Addresses of accounts and what their mails are for: invitation, new password, proof of an address. A new address
 * counts once its owner has followed a link, so nobody gets mails of somebody else's account.
 */
import type { Db } from "../../platform/db/dialect.ts";
import { type Actor, SYSTEM } from "../../lib/actor.ts";
import { appError } from "../../lib/errors.ts";
import type { Account } from "../account.ts";
import type { AuthTransaction } from "../changes.ts";
import type { OwnProof } from "../second-factor/own-proof.ts";
import type { CreateUser, UpdateUser, User } from "../users/user.ts";
import type { Contact, ContactUpdate, Choices } from "./contact.ts";
import { createLinkMails } from "./link-mails.ts";
import { createProofUses, gone, noMail, type ProofUseDeps } from "./proof-uses.ts";
import { createProofs } from "./proof.ts";

type Deps = Omit<ProofUseDeps, "linkMails" | "proofs"> & {
  secret(): string;
  /** @throws AuthFailed */
  prove(account: Account, proof: OwnProof, address: string): Promise<void>;
};

export type Contacts = ReturnType<typeof createContacts>;

export function createContacts(deps: Deps) {
  const { repository, users, mail, changes, clock } = deps;
  const proofs = createProofs(deps.secret);
  const linkMails = createLinkMails({ mail, proofs, clock });
  const { holderOf, saveAddress, ...uses } = createProofUses({ ...deps, proofs, linkMails });

  const proofWhenNew = (before: User | null) => async (tx: AuthTransaction, user: User) => {
    if (user.email === null || user.email === before?.email || !mail.isOffered()) return;
    await linkMails.askForProof(tx, { ...user, hash: user.passwordHash }, user.email);
  };

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
      if (!mail.isOffered()) throw noMail();
      const unusable = crypto.randomUUID() + crypto.randomUUID();
      return users.create({ ...fields, password: unusable }, actor, (tx, user) =>
        linkMails.invite(tx, user, actor),
      );
    },

    updateUser: (id: number, fields: UpdateUser, actor: Actor): Promise<User> =>
      users.update(id, fields, actor, (tx, after, before) => proofWhenNew(before)(tx, after)),

    /** Anew, by administrators. @throws NotFound, Conflict */
    async inviteAgain(id: number, actor: Actor): Promise<User> {
      const user = await users.get(id);
      if (user.email === null) throw appError("Conflict", "The account has no e-mail address.");
      if (user.disabled) throw appError("Conflict", "The account is disabled.");
      if (!mail.isOffered()) throw noMail();
      await changes.write((tx) => linkMails.invite(tx, user, actor));
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
        const before = await repository.find(accountId, tx.db);
        const given = Object.fromEntries(Object.entries(mails ?? {}).filter(([, one]) => one !== undefined));
        const choices: Choices = { ...before.choices, ...given };
        const after = { ...before, choices, language: language ?? before.language };
        await repository.save(tx.db, accountId, after, clock.now());
        return after;
      });
    },

    /** Sends a link there; the address counts once it was followed. @throws AuthFailed, Conflict */
    async setAddress(
      account: Account,
      { email, ...proof }: OwnProof & { email: string | null },
      address: string,
    ): Promise<void> {
      if (email !== null && !mail.isOffered()) throw noMail();
      await deps.prove(account, proof, address);
      const holder = await holderOf(account.id);
      if (holder === null) throw gone();
      if (email === null) return changes.write((tx) => saveAddress(tx, holder, null));
      await changes.write((tx) => linkMails.askForProof(tx, holder, email));
    },
  };
}
