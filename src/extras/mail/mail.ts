/** What a mail is, in the outbox and for administrators. */
import type { RowFields } from "../../platform/db/schema.ts";
import { z } from "zod";
import { createView } from "../../lib/case-names.ts";
import { cursorQuery } from "../../lib/cursor.ts";
import type { Language } from "../../lib/language.ts";
import { namedObject } from "../../lib/named-object.ts";
import { queryText } from "../../lib/query-text.ts";

/** A kind with its content. */
export type MailContent = { [K in MailKind]: { kind: K; content: MailContents[K] } }[MailKind];

export type Recipient = { accountId: number | null; email: string; language: Language };

export const MAIL_STATES = ["waiting", "sending", "sent", "failed"] as const;
export type MailState = (typeof MAIL_STATES)[number];

export type StoredMail = Pick<
  RowFields<"mails", { state: MailState; dueAt: number | null }>,
  "id" | "kind" | "recipient" | "state" | "attempts" | "error" | "createdAt" | "sentAt" | "dueAt"
>;

/** One that the delivery has taken. */
export type TakenMail = Pick<
  RowFields<"mails">,
  "id" | "kind" | "recipient" | "language" | "content" | "attempts" | "usefulUntil"
>;

export const mailView = namedObject("Mail", {
  id: z.int(),
  kind: z.string().describe("such as invitation or test"),
  recipient: z.string(),
  state: z
    .enum(MAIL_STATES)
    .describe(
      "waiting: for its next attempt. sending: now. sent: the mail server accepted it. failed: no attempt follows.",
    ),
  attempts: z.int(),
  error: z.string().nullable().describe("why the last attempt failed"),
  created_at: z.iso.datetime(),
  sent_at: z.iso.datetime().nullable(),
  due_at: z.iso.datetime().nullable().describe("next attempt, of a mail that waits"),
});
export const viewMail = createView(mailView);

export const mailQuery = z.object({
  ...cursorQuery,
  state: z.enum(["", ...MAIL_STATES], `must be one of ${MAIL_STATES.join(", ")}`).optional(),
  recipient: queryText(254).optional().describe("the whole address"),
});

export const mailServerView = namedObject("MailServer", {
  enabled: z.boolean().describe("a server is set"),
  from: z.string().describe("empty without a server"),
  message: z.string().describe("what keeps mails from being sent, and what to do; empty if nothing is known"),
});

/** The content of each kind of mail. Every text may come from strangers; `url` is ours. */
export type MailContents = {
  test: Record<string, never>;
  /** `by`: empty for the instance, like that of shares. */
  invitation: { username: string; by: string; url: string };
  reset: { username: string; url: string };
  address: { username: string; url: string };
  sign_in: { username: string; address: string; browser: string; at: number; url: string };
  passkey: { username: string; address: string; browser: string; at: number; url: string };
  drop: { title: string; count: number; names: string[]; url: string };
  download: { title: string; count: number; url: string };
  share_ending: { title: string; endsAt: number | null; url: string };
  /** To a recipient of a share. */
  share: {
    /** Empty: a drop box without one, or files that are named. */
    title: string;
    /** Files of a share without a title, and the first names. Absent in mails that waited over an upgrade. */
    count?: number;
    names?: string[];
    /** With its lines. */
    message: string | null;
    by: string;
    endsAt: number | null;
    password: boolean;
    verify: boolean;
    /** It asks for files. Absent in mails that waited over an upgrade. */
    asks?: boolean;
    url: string;
  };
  /** Proves that somebody gets the mails of a recipient. */
  share_code: { title: string; code: string; minutes: number };
  /** Figures in the words of the reader. `end`: where the reader ends the mails. */
  report: {
    title: string;
    every: "day" | "week" | "month";
    period: string;
    facts: string[];
    lists: string[];
    url: string;
    end: string;
  };
  /** Asks whether somebody wants a report. */
  report_confirm: { title: string; url: string };
  link_threshold: { link: string; clicks: number; url: string };
  target_dead: { link: string; target: string; reason: string; url: string };
  backup: { reason: string; at: number };
  /** `receiver`: its host. */
  webhook: { receiver: string; isGone: boolean; url: string };
  /** `names`: of all hosts. */
  certificate: { host: string; names: string; reason: string; url: string };
};
export type MailKind = keyof MailContents;

/** Why one gets a mail. `requested`: somebody entered the address. `chosen`: the account can turn such mails off. `report`: its reader can end them. */
type MailReason = "test" | "requested" | "chosen" | "share" | "report";
export const REASON_OF: Readonly<Record<MailKind, MailReason>> = {
  test: "test",
  invitation: "requested",
  reset: "requested",
  address: "requested",
  sign_in: "chosen",
  passkey: "chosen",
  drop: "chosen",
  download: "chosen",
  share_ending: "chosen",
  share: "share",
  share_code: "requested",
  report: "report",
  report_confirm: "requested",
  link_threshold: "chosen",
  target_dead: "chosen",
  backup: "chosen",
  webhook: "chosen",
  certificate: "chosen",
};
