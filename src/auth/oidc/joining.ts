/**
 * The account of somebody who signs in by OpenID Connect. It belongs to issuer and subject. The first sign-in takes the
 * account with the same e-mail address if both sides have proved it, else makes one.
 */
import type { Core } from "../../platform/core.ts";
import type { Role } from "../../lib/access.ts";
import { SYSTEM } from "../../lib/actor.ts";
import { knownLanguage } from "../../lib/language.ts";
import { BUILT_IN_ADMIN } from "../account.ts";
import type { ChangeTransaction } from "../../platform/cluster/changes.ts";
import type { Sessions } from "../sessions/service.ts";
import type { UsersRepository } from "../users/repository.ts";
import { displayNameSchema, NO_PASSWORD, NOT_ACCOUNTS, type User, userEvent } from "../users/user.ts";
import { type Admitted, type Claims, textIn } from "./admission.ts";
import type { OidcRepository, ProviderIdentity } from "./repository.ts";
import { randomCode } from "../../lib/random-code.ts";
import { asciiLower } from "../../lib/ascii-lower.ts";

type Deps = Core & { repository: OidcRepository; users: UsersRepository; sessions: Sessions };
type Newcomer = { identity: ProviderIdentity; claims: Claims; admitted: Admitted };

export const createJoining = ({ repository, users, sessions, record, clock }: Deps) => ({
  async findUser(tx: ChangeTransaction, identity: ProviderIdentity): Promise<User | null> {
    const id = await repository.findAccount(tx.db, identity);
    if (id === null) return null;
    await repository.markUsed(tx.db, identity, clock.now());
    return users.lock(tx.db, id);
  },

  /** The account becomes the person's own. Both sides have proved the address. */
  async joinByEmail(
    tx: ChangeTransaction,
    { identity, email }: { identity: ProviderIdentity; email: string | null },
  ): Promise<User | null> {
    const id = email === null ? null : await repository.findByEmail(tx.db, email);
    const user = id === null ? null : await users.lock(tx.db, id);
    if (user === null) return null;
    const now = clock.now();
    await repository.add(tx.db, user.id, identity, now);
    const actor = { name: user.username, via: "panel" } as const;
    const after = { oidc: identity.issuer };
    await record(tx.db, [{ at: now, actor, action: "account.update", subject: user.username, after }]);
    return user;
  },

  async createUser(tx: ChangeTransaction, { identity, claims, admitted }: Newcomer): Promise<User> {
    const now = clock.now();
    const choices = usernameChoices(usernameFrom(claims));
    const taken = await repository.takenNames(tx.db, choices);
    const isFree = (name: string) =>
      !taken.has(name) && !NOT_ACCOUNTS.has(name) && name !== BUILT_IN_ADMIN.username;
    const { email } = admitted;
    const isFreeAddress = email !== null && (await repository.isAddressFree(tx.db, email));
    const user = {
      username: choices.find(isFree) ?? choices.at(-1)!,
      passwordHash: NO_PASSWORD,
      role: admitted.role ?? ("user" as const),
      disabled: false,
      quotaBytes: 0,
      email: isFreeAddress ? email : null,
      emailVerified: isFreeAddress,
      displayName: displayNameSchema.safeParse(textIn(claims, "name")?.trim()).data ?? null,
      language: knownLanguage(textIn(claims, "locale")?.slice(0, 2) ?? null),
      createdAt: now,
      updatedAt: now,
    };
    const id = await users.insert(tx.db, user);
    await repository.add(tx.db, id, identity, now);
    await record(tx.db, [userEvent({ actor: SYSTEM, now, verb: "create" }, null, user)]);
    tx.changed("users", [String(id)]);
    return { id, ...user };
  },

  /** Another role ends the account's other sessions, like everywhere. */
  async applyRole(tx: ChangeTransaction, user: User, role: Role | null): Promise<User> {
    if (role === null || role === user.role) return user;
    const now = clock.now();
    const next = { ...user, role, updatedAt: now };
    await users.update(tx.db, next);
    await record(tx.db, [userEvent({ actor: SYSTEM, now, verb: "update" }, user, next)]);
    await sessions.endAllOf(tx, user.id);
    return next;
  },
});

/** Leaves room for a number. */
const LONGEST = 56;
const NUMBERED = 20;
const LONGEST_NAME = 1_000;

/** Makes a username of the name that the person prefers, else of the e-mail address, else `user`. */
function usernameFrom(claims: Claims): string {
  const [local] = textIn(claims, "email")?.split("@", 1) ?? [];
  for (const name of [textIn(claims, "preferred_username"), local, textIn(claims, "name")]) {
    const cleaned = clean(name ?? "");
    if (cleaned !== "") return cleaned;
  }
  return "user";
}

/** The name, then with numbers from 2 on, at last with a random part. */
const usernameChoices = (name: string): string[] => [
  name,
  ...Array.from({ length: NUMBERED }, (_, at) => `${name}-${at + 2}`),
  `${name.slice(0, LONGEST - 8)}-${asciiLower(randomCode(12))}`,
];

/** Latin letters without their accents; everything that a username can't have becomes a hyphen. */
function clean(text: string): string {
  const letters = text
    .slice(0, LONGEST_NAME)
    .normalize("NFKD")
    .replace(/[\u0300-\u036f]/g, "");
  const plain = asciiLower(letters);
  const parts = plain
    .slice(0, LONGEST)
    .split(/[^a-z0-9._@]/)
    .map((part) => part.replace(/^[.]+/, ""));
  return parts.filter((part) => part !== "").join("-");
}
