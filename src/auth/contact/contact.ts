/** What an account is called, where it gets mails, and which. */
import { z } from "zod";
import { LANGUAGES, type Language } from "../../lib/language.ts";
import { namedObject } from "../../lib/named-object.ts";
import { emailSchema } from "../../lib/email-address.ts";
import { ownProof } from "../second-factor/own-proof.ts";
import { messageResponse } from "../../platform/http/endpoint.ts";
import { displayNameSchema, newPasswordSchema } from "../users/user.ts";

/** Room for the longest name and address in the link of a mail. */
export const LONGEST_PROOF = 1_500;

export type Contact = {
  displayName: string | null;
  email: string | null;
  emailVerified: boolean;
  language: Language;
  choices: Choices;
};

const ON = ["on", "off"] as const;
/** One mail for all that happened in that time. */
const PACE = ["minute", "hour", "day", "off"] as const;

const choice = <const T extends readonly [string, ...string[]]>(options: T, meaning: string) =>
  z.enum(options).describe(meaning);

/** The choice for each kind of mail. */
export const choicesSchema = namedObject("MailPreferences", {
  sign_in: choice(ON, "a sign-in from a browser that was not seen before, and a new passkey"),
  drop: choice(PACE, "files arrived in a drop box: one mail for each span"),
  download: choice(PACE, "a share was downloaded: one mail for each span"),
  share_ending: choice(ON, "a share ends within a day, or has no downloads left"),
  link_threshold: choice(ON, "a link has reached 100, 1,000, 10,000 … clicks, or its `click_threshold`"),
  target_dead: choice(ON, "the target of a link does not answer"),
  backup: choice(ON, "a backup failed; for administrators"),
  webhook: choice(ON, "a webhook was disabled, because its receiver does not answer; for administrators"),
  certificate: choice(ON, "certificates could not be ordered or renewed; for administrators"),
});
export type Choices = z.output<typeof choicesSchema>;

export const DEFAULT_CHOICES: Choices = {
  sign_in: "on",
  drop: "hour",
  download: "off",
  share_ending: "on",
  link_threshold: "on",
  target_dead: "on",
  backup: "on",
  webhook: "on",
  certificate: "on",
};

export const contactView = namedObject("AccountMail", {
  email: z.string().nullable(),
  email_verified: z.boolean().describe("somebody has followed a link sent there; others get no mails"),
  language: z.enum(LANGUAGES).describe("of mails"),
  mails: choicesSchema,
  available: z.boolean().describe("mails can be sent"),
});

export const contactUpdate = namedObject("AccountMailUpdate", {
  language: z.enum(LANGUAGES).optional(),
  mails: choicesSchema.partial().optional(),
});
export type ContactUpdate = z.output<typeof contactUpdate>;

export const addressBody = namedObject("AccountAddress", {
  ...ownProof.shape,
  email: emailSchema.nullable().describe("null: no address any more"),
});

export const resetRequest = namedObject("PasswordResetRequest", {
  account: z.string().max(254).describe("username or e-mail address"),
});

export const newPasswordBody = namedObject("PasswordReset", {
  token: z.string().max(LONGEST_PROOF).describe("after the # of the address in the mail"),
  password: newPasswordSchema,
  display_name: displayNameSchema,
});

export const passwordSetView = messageResponse.extend({
  username: z.string().describe("with which the account signs in"),
});
passwordSetView.register(z.globalRegistry, { id: "PasswordSet" });

export const proofBody = namedObject("AddressConfirmation", { token: z.string().max(LONGEST_PROOF) });
