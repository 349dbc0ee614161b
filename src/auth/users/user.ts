/** The built-in administrator has no row. */
import type { RowFields } from "../../platform/db/schema.ts";
import { z } from "zod";
import { ROLES, type Role } from "../../lib/access.ts";
import { emailSchema } from "../../lib/email-address.ts";
import { LANGUAGES, type Language } from "../../lib/language.ts";
import { createView } from "../../lib/case-names.ts";
import { type Account, BUILT_IN_ADMIN } from "../account.ts";
import { queryText } from "../../lib/query-text.ts";
import { namedObject } from "../../lib/named-object.ts";
import { COMMAND, SYSTEM, type Actor } from "../../lib/actor.ts";
import { visibleName } from "../visible-name.ts";
import { asciiLower } from "../../lib/ascii-lower.ts";
import type { EventRecord } from "../../lib/event.ts";

export type User = RowFields<"users", { role: Role; disabled: boolean }> & {
  /** Unique; gets mails once it is verified. */
  email: string | null;
  /** Somebody has followed a link sent there. */
  emailVerified: boolean;
  /** The language of mails. */
  language: Language;
  /** Shown to people in place of the username. */
  displayName: string | null;
};

export type UserFilter = {
  /** A part of the username or display name. */
  search?: string | undefined;
  role?: Role | undefined;
  disabled?: boolean | undefined;
};

export type ListedUser = User & { usedBytes: number; secondFactor: boolean; invited: boolean };

export type Belongings = { bytes: number; files: number; folders: number; tokens: number; links: number };

/** An account of that name would look like them in events and `created_by`. */
export const NOT_ACCOUNTS: ReadonlySet<string> = new Set([COMMAND.name, SYSTEM.name]);

/** Stored for accounts that have no password. No password matches it. */
export const NO_PASSWORD = "";

const INVITED = "invited ";

/** Stored until an invited account chooses its password. The link that it follows is bound to the random end. */
export const invitedHash = (): string => INVITED + crypto.randomUUID() + crypto.randomUUID();

const isInvitedHash = (hash: string): boolean => hash.startsWith(INVITED);

/** Whether a password can match it. */
export const canMatchPassword = (hash: string): boolean => hash !== NO_PASSWORD && !isInvitedHash(hash);

/** An account that signs in otherwise has a proved address. */
export const isInvited = ({ passwordHash, emailVerified }: User): boolean =>
  isInvitedHash(passwordHash) && !emailVerified;

const PASSWORD_MIN_CHARACTERS = 8;
export const PASSWORD_MAX_BYTES = 1024;

const USERNAME = /^[a-z0-9._@-]{1,64}$/;

export const usernameSchema = z
  .string()
  .overwrite(asciiLower)
  .regex(USERNAME, "must have 1 to 64 characters of a-z 0-9 . _ @ -")
  .describe("1 to 64 characters of a-z 0-9 . _ @ -; stored in lower case")
  .meta({ pattern: USERNAME.source.replace("a-z", "a-zA-Z") });

export const newPasswordSchema = z
  .string()
  .min(PASSWORD_MIN_CHARACTERS, `must have at least ${PASSWORD_MIN_CHARACTERS} characters`)
  .refine(
    (text) => Buffer.byteLength(text) <= PASSWORD_MAX_BYTES,
    `must have at most ${PASSWORD_MAX_BYTES} bytes`,
  )
  .refine((text) => text.isWellFormed(), "must not contain a lone surrogate")
  .describe(`at least ${PASSWORD_MIN_CHARACTERS} characters, at most ${PASSWORD_MAX_BYTES} bytes`)
  .meta({ maxLength: PASSWORD_MAX_BYTES });

export const displayNameSchema = visibleName(100)
  .nullish()
  .describe("shown to people in place of the username; null: none");

const languageSchema = z.enum(LANGUAGES).describe("of mails");

const roleSchema = z.enum(ROLES);
export const quotaSchema = z.int().min(0).describe("limit in bytes for all files together; 0: unlimited");

export const transferQuery = z.object({
  transfer_to: queryText(100)
    .optional()
    .describe("account, or team:{name}, that gets links, files and domains"),
});

export const createUserSchema = namedObject("NewAccount", {
  username: usernameSchema,
  password: newPasswordSchema.optional().describe("needed without invite"),
  display_name: displayNameSchema,
  role: roleSchema.default("user"),
  disabled: z.boolean().default(false),
  quota_bytes: quotaSchema.optional(),
  email: emailSchema.nullish().describe("unique; gets mails once a link sent there was followed"),
  invite: z
    .boolean()
    .optional()
    .describe("send a link, valid for 24 hours, by which the account chooses its password"),
  language: languageSchema.optional().describe("of mails; default: the one of Accept-Language"),
});
export type CreateUser = z.output<typeof createUserSchema>;

export const updateUserSchema = namedObject("AccountUpdate", {
  username: usernameSchema.optional(),
  display_name: displayNameSchema,
  password: newPasswordSchema.optional().describe("ends the account's sessions, like role and disabled"),
  role: roleSchema.optional(),
  disabled: z.boolean().optional(),
  quota_bytes: quotaSchema.optional(),
  email: emailSchema.nullish().describe("a new address gets mails once a link sent there was followed"),
  language: languageSchema.optional(),
});
export type UpdateUser = z.output<typeof updateUserSchema>;

export const userView = namedObject("Account", {
  id: z.int(),
  username: z.string(),
  display_name: z.string().nullable().describe("shown to people in place of the username"),
  role: roleSchema,
  disabled: z.boolean(),
  quota_bytes: quotaSchema,
  email: z.string().nullable(),
  email_verified: z.boolean().describe("somebody has followed a link sent there"),
  language: languageSchema,
  created_at: z.iso.datetime().nullable().describe("null for the built-in administrator"),
  updated_at: z.iso.datetime().nullable(),
});
type UserView = z.output<typeof userView>;

export const listedUserView = userView.extend({
  used_bytes: z.int().describe("of the account's files"),
  second_factor: z.boolean().describe("has an authenticator app or a passkey"),
  invited: z.boolean().describe("by mail, and has not chosen a password yet"),
});
listedUserView.register(z.globalRegistry, { id: "ListedAccount" });

export const personView = namedObject("Person", {
  username: z.string(),
  display_name: z.string().nullable(),
});
export type NamedPerson = { username: string; displayName: string | null };

export const viewPerson = createView(personView);

export const viewListedUser = createView(listedUserView);

export const belongingsView = namedObject("AccountBelongings", {
  used_bytes: z.int(),
  files: z.int().describe("with those in the trash; they go with the account, like folders and tokens"),
  folders: z.int(),
  tokens: z.int(),
  links: z.int().describe("with its shares; links to targets stay when the account is deleted"),
});

export const viewUser = createView(userView);

export const viewBuiltIn = (
  contact: Pick<User, "email" | "emailVerified" | "language" | "displayName">,
): UserView => ({
  id: BUILT_IN_ADMIN.id,
  username: BUILT_IN_ADMIN.username,
  display_name: contact.displayName,
  role: BUILT_IN_ADMIN.role,
  disabled: false,
  quota_bytes: 0,
  email: contact.email,
  email_verified: contact.emailVerified,
  language: contact.language,
  created_at: null,
  updated_at: null,
});

export const toAccount = ({ id, username, role }: User): Account => ({ id, username, role });

const MASK = "[REDACTED]";

type UserState = Omit<User, "id">;
type Doing = {
  actor: Pick<Actor, "name" | "via">;
  now: number;
  verb: "create" | "update" | "delete";
  transferTo?: string | undefined;
};

/** At least one state is given. */
export function userEvent(
  { actor, now, verb, transferTo }: Doing,
  before: UserState | null,
  after: UserState | null,
): EventRecord {
  const isNewPassword = before !== null && after !== null && before.passwordHash !== after.passwordHash;
  return {
    at: now,
    actor,
    action: `account.${verb}`,
    subject: (after ?? before)!.username,
    before: before && { ...stateOf(before), ...(transferTo && { transfer_to: transferTo }) },
    after: after && { ...stateOf(after), ...(isNewPassword && { password: MASK }) },
  };
}

const stateOf = ({ username, displayName, role, disabled, quotaBytes, email }: UserState) => ({
  username,
  role,
  disabled,
  quota_bytes: quotaBytes,
  ...(displayName !== null && { display_name: displayName }),
  ...(email !== null && { email }),
});
