/**
 * This room is about the people whom a share is for: their list, the mails to them, the proof of their address, and
 * what they did. Here are the fields of requests, responses and events.
 */
import { z } from "zod";
import { appError, badField } from "../../lib/errors.ts";
import { emailSchema } from "../../lib/email-address.ts";
import { createSchema } from "../../links/link/link.ts";

export const MOST_RECIPIENTS = 100;

/** The message of a share or drop box to its visitors, like a note of a link. */
export const messageField = createSchema.shape.note.describe(
  "shown to visitors above the files, and in mails",
);

export const recipientFields = {
  message: messageField,
  recipients: z
    .array(emailSchema)
    .max(MOST_RECIPIENTS)
    .nullish()
    .describe("mail addresses; who is new on the list gets a mail with the link, without the password"),
  verify: z
    .boolean()
    .nullish()
    .describe("only recipients see the share, once they have given a code that was mailed to them"),
};
const fieldsSchema = z.object(recipientFields);
export type RecipientInput = z.output<typeof fieldsSchema>;

export type Recipients = {
  message: string | null;
  verify: boolean;
  /** Addresses in lower case, each once. */
  recipients: readonly string[];
};

export const NO_RECIPIENTS: Recipients = { message: null, verify: false, recipients: [] };

/** Absent fields keep what they are. */
export function recipientsAfter(
  before: Recipients,
  { message, recipients, verify }: RecipientInput,
): Recipients {
  return {
    message: message === undefined ? before.message : message || null,
    verify: verify === undefined ? before.verify : verify === true,
    recipients: recipients === undefined ? before.recipients : [...new Set(recipients ?? [])],
  };
}

/** @throws BadRequest, Conflict */
export function checkRecipients(before: Recipients, after: Recipients, mailsAreSent: boolean): void {
  if (after.verify && after.recipients.length === 0) {
    throw badField("verify", "verify needs recipients: nobody could open the share. List their addresses.");
  }
  const isNew = addedRecipients(before, after).length > 0;
  if (mailsAreSent || (!isNew && (!after.verify || before.verify))) return;
  throw noShareMail(isNew ? "recipients" : "verify");
}

export const noShareMail = (field: string) =>
  appError("Conflict", "Recipients get mails, and this server can send none: an administrator sets [mail].", {
    field,
  });

export const addedRecipients = (before: Pick<Recipients, "recipients">, after: Recipients): string[] =>
  after.recipients.filter((email) => !before.recipients.includes(email));

/** The fields of events, without what is not set. */
export const recipientEventFields = ({ message, verify, recipients }: Recipients) => ({
  ...(message !== null && { message }),
  ...(verify && { verify }),
  ...(recipients.length > 0 && { recipients: [...recipients] }),
});

const pastFields = z.object({
  message: z.string().nullish(),
  verify: z.boolean().nullish(),
  recipients: z.array(z.string()).nullish(),
});

/** Without addresses that were erased since. */
export function pastRecipients(state: unknown): Recipients {
  const { message = null, verify, recipients } = pastFields.parse(state);
  const emails = (recipients ?? []).filter((email) => emailSchema.safeParse(email).success);
  return { message, verify: verify === true, recipients: emails };
}
