/** The mails to recipients of shares: what invites them, and codes that prove their address. */
import type { Db } from "../../platform/db/dialect.ts";
import type { Clock } from "../../lib/clock.ts";
import { appError } from "../../lib/errors.ts";
import type { Language } from "../../lib/language.ts";
import { addedRecipients, checkRecipients, noShareMail, type Recipients } from "./recipients.ts";

export type ShareMailContent =
  | {
      kind: "share";
      content: {
        title: string;
        message: string | null;
        by: string;
        endsAt: number | null;
        password: boolean;
        verify: boolean;
        /** It asks for files: a drop box. */
        asks: boolean;
        url: string;
      };
    }
  | { kind: "share_code"; content: { title: string; code: string; minutes: number } };

export type ShareMailTransaction = {
  readonly db: Db;
  changed(topic: "mails", keys: readonly string[]): void;
};
type To = { accountId: null; email: string; language: Language };
type Options = { usefulUntil?: number | null; onceKey?: string };

type QueuedMail = {
  recipient: string;
  state: "waiting" | "sending" | "sent" | "failed";
  error: string | null;
  createdAt: number;
  sentAt: number | null;
};

export const SHARE_MAIL_STATES = ["queued", "accepted", "refused"] as const;
const STATES = { waiting: "queued", sending: "queued", sent: "accepted", failed: "refused" } as const;

/** The outbox, as shares use it. */
export type ShareMail = {
  isOffered(): boolean;
  /** The URL of a code, as people outside reach it. */
  shareUrl(code: string): string;
  /** The language of an account's mails, and what it is called. */
  senderOf(accountId: number): Promise<{ language: Language; displayName: string | null }>;
  /** Enqueues a mail and returns its id; null if the outbox is full. */
  queue(tx: ShareMailTransaction, to: To, mail: ShareMailContent, options?: Options): Promise<number | null>;
  /** The newest mails whose key begins with `begin`. */
  sent(begin: string, most: number): Promise<QueuedMail[]>;
  /** Whether more than so many mails were queued since then whose key begins with `begin`. */
  hasMore(db: Db, begin: string, since: number, most: number): Promise<boolean>;
};

/** Sends nothing. */
export const NO_SHARE_MAIL: Omit<ShareMail, "senderOf"> = {
  isOffered: () => false,
  shareUrl: (code) => `/${code}`,
  queue: async () => null,
  sent: async () => [],
  hasMore: async () => false,
};

type InvitedShare = Recipients & {
  id: number;
  code: string;
  title: string | null;
  expiresAt: number | null;
  passwordHash: string | null;
  kind: string;
  entry: { name: string } | null;
  owner: { id: number; username: string | null } | null;
};

type Deps = { mail: ShareMail; clock: Clock };

export type Invitations = ReturnType<typeof createInvitations>;

const DAY_MS = 86_400_000;
/** The most mails that an account sends to recipients in a day. */
const MOST_A_DAY = 500;
const MOST_SHOWN = 500;

const keyOf = (accountId: number, linkId: number): string => `share ${accountId} ${linkId} `;

export function createInvitations({ mail, clock }: Deps) {
  return {
    isOffered: mail.isOffered,

    /** @throws BadRequest, Conflict */
    check: (before: Recipients, after: Recipients): void => checkRecipients(before, after, mail.isOffered()),

    added: addedRecipients,

    /** What became of the mails of a share, newest first. */
    async sent(accountId: number, linkId: number) {
      const mails = await mail.sent(keyOf(accountId, linkId), MOST_SHOWN);
      return mails.map(({ recipient, state, error, createdAt, sentAt }) => ({
        email: recipient,
        state: STATES[state],
        error: state === "failed" ? error : null,
        queuedAt: createdAt,
        acceptedAt: sentAt,
      }));
    },

    /** Call it in the transaction that lists them. @throws RateLimitExceeded, Conflict (the outbox is full) */
    async send(tx: ShareMailTransaction, share: InvitedShare, emails: readonly string[]): Promise<void> {
      if (emails.length === 0) return;
      if (!mail.isOffered()) throw noShareMail("recipients");
      const now = clock.now();
      const accountId = share.owner?.id ?? 0;
      const begin = `share ${accountId} `;
      if (await mail.hasMore(tx.db, begin, now - DAY_MS, MOST_A_DAY - emails.length)) {
        throw appError(
          "RateLimitExceeded",
          `An account sends at most ${MOST_A_DAY} mails a day to recipients.`,
          {
            field: "recipients",
            details: { retryAfterSeconds: DAY_MS / 24 / 1000 },
          },
        );
      }
      const { language, displayName } = await mail.senderOf(accountId);
      const { title, message, expiresAt: endsAt, passwordHash, verify } = share;
      const content = {
        title: title ?? share.entry?.name ?? share.code,
        message,
        // The built-in administrator speaks for the instance.
        by: displayName ?? (accountId === 0 ? "" : (share.owner?.username ?? "")),
        endsAt,
        password: passwordHash !== null,
        verify,
        asks: share.kind === "drop",
        url: mail.shareUrl(share.code),
      };
      for (const [nth, email] of emails.entries()) {
        const options = {
          usefulUntil: endsAt,
          onceKey: `${keyOf(accountId, share.id)}${now} ${nth} ${crypto.randomUUID()}`,
        };
        const to = { accountId: null, email, language };
        if ((await mail.queue(tx, to, { kind: "share", content }, options)) === null) {
          throw appError("Conflict", "Too many mails wait to be sent. Try again later.", {
            field: "recipients",
          });
        }
      }
    },
  };
}
