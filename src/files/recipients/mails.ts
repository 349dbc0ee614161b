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
        /** Empty for a drop box without one, and for a share that is called by its files. */
        title: string;
        /** Files of a share without a title of its own: how many, and the first names. */
        count: number;
        names: string[];
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

type ShareKind = "file" | "folder" | "drop" | "items" | "url";

type InvitedShare = Recipients & {
  id: number;
  code: string;
  title: string | null;
  expiresAt: number | null;
  passwordHash: string | null;
  kind: ShareKind;
  entry: { id: number; name: string } | null;
  owner: { id: number; username: string | null } | null;
};

type Deps = {
  mail: ShareMail;
  clock: Clock;
  /** Names of all files of a folder or of several items; null if there are folders or more than `most`. */
  filesOf(db: Db, share: InvitedShare, most: number): Promise<string[] | null>;
};

export type Invitations = ReturnType<typeof createInvitations>;

const DAY_MS = 86_400_000;
/** The most mails that an account sends to recipients in a day. */
const MOST_A_DAY = 500;
const MOST_SHOWN = 500;
/** More files are called by their folder. */
const MOST_FILES = 1_000;
const MOST_NAMES = 10;

const keyOf = (accountId: number, linkId: number): string => `share ${accountId} ${linkId} `;

export function createInvitations({ mail, clock, filesOf }: Deps) {
  /** What a mail calls the share. Visitors of a drop box don't see the name of its folder. */
  async function namesOf(db: Db, share: InvitedShare) {
    const { title, kind, entry, code } = share;
    const files = title === null ? await filesOf(db, share, MOST_FILES) : null;
    if (files !== null && files.length > 1)
      return { title: "", count: files.length, names: files.slice(0, MOST_NAMES) };
    const name = kind === "drop" ? "" : (files?.[0] ?? entry?.name ?? code);
    return { title: title ?? name, count: 0, names: [] };
  }

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
      const { message, expiresAt: endsAt, passwordHash, verify } = share;
      const content = {
        ...(await namesOf(tx.db, share)),
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
