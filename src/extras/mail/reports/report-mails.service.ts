/**
 * Mails with the figures of a report page, for their owners and their readers. An address that is nobody's account
 * confirms once for an owner. Each reader can end them; only the owner asks again, and the reader confirms again.
 */
import type { Db } from "../../../platform/db/dialect.ts";
import type { Changes } from "../../../platform/cluster/changes.ts";
import { type Actor, mayChange, ownersReadBy } from "../../../lib/actor.ts";
import type { Clock } from "../../../lib/clock.ts";
import { appError, badField } from "../../../lib/errors.ts";
import type { RecordEvents } from "../../../lib/event.ts";
import { type Language, knownLanguage } from "../../../lib/language.ts";
import { codeOf } from "../../../links/link/key.ts";
import type { ReportPages } from "../../../reports/reports.service.ts";
import type { ReportRecord } from "../../../reports/report.ts";
import type { MailOutbox, MailTransaction } from "../outbox.ts";
import {
  DAYS_OF,
  minuteOf,
  type NewReportMail,
  nextDue,
  type ReportReader,
  type ReportMailChange,
  type StoredReportMail,
} from "./report-mail.ts";
import type { NewReader, ReportMailsRepository } from "./report-mails.repository.ts";

export type ReportMailRecord = StoredReportMail & { readers: ReportReader[]; page: ReportRecord };

type Deps = {
  repository: ReportMailsRepository;
  pages: Pick<ReportPages, "create" | "get" | "change">;
  changes: Pick<Changes, "write">;
  record: RecordEvents<Db>;
  outbox: Pick<MailOutbox, "isEnabled" | "queue" | "hasMore">;
  /** Where a reader confirms or ends the mails. */
  readerUrl(token: string): string;
  languageOf(accountId: number): Promise<Language>;
  zone(): string;
  clock: Clock;
};

export type ReportMails = ReturnType<typeof createReportMails>;

const DAY_MS = 86_400_000;
const MOST_OF_OWNER = 100;
/** Mails that ask for a confirmation, of an owner in a day. */
const MOST_CONFIRMATIONS_A_DAY = 100;
const TOKEN_BYTES = 24;

export function createReportMails(deps: Deps) {
  const { repository, pages, changes, outbox, zone, clock } = deps;
  const confirmations = createConfirmations(deps);
  const note = createNote(deps);

  /** @throws NotFound */
  async function get(id: number, actor: Actor, db?: Db): Promise<ReportMailRecord> {
    const mail = await repository.find(id, db);
    if (mail === null) throw mailNotFound();
    const page = await pages.get(mail.linkId, actor, db).catch((error: unknown) => {
      throw isNotFound(error) ? mailNotFound() : error;
    });
    return { ...mail, page, readers: await repository.readers(id, db) };
  }

  /** @throws NotFound, Forbidden */
  async function changeable(id: number, actor: Actor): Promise<ReportMailRecord> {
    const mail = await get(id, actor);
    requireChange(actor, mail.page);
    return mail;
  }

  return {
    get,

    /** @throws BadRequest, Conflict (no mail can be sent), RateLimitExceeded, and what makes a page */
    async create(input: NewReportMail, actor: Actor): Promise<ReportMailRecord> {
      if (!outbox.isEnabled()) throw noMail();
      const { every, language } = input;
      const minute = minuteOf(input.at);
      const now = clock.now();
      const id = await withPage(deps, input, actor, async (tx, page) => {
        const ownerId = page.ownerId ?? 0;
        if (await repository.hasMany(ownerId, MOST_OF_OWNER, tx.db)) throw tooMany();
        const made = await repository.insert(tx.db, {
          linkId: page.id,
          every,
          minute,
          nextAt: nextDue({ every, minute }, zone(), now),
          createdBy: actor.name,
          createdAt: now,
        });
        await confirmations.add(tx, { mailId: made, page, every }, [...new Set(input.to)], language);
        await note(tx.db, actor, "mail_create", page, { every, at: input.at, recipients: input.to });
        return made;
      });
      return get(id, actor);
    },

    /** Newest first, below an id. `next`: null on the last page. */
    async page(before: number | null, limit: number, actor: Actor) {
      const found = await repository.page(ownersReadBy(actor), before, limit + 1);
      const shown = found.slice(0, limit);
      const mails: ReportMailRecord[] = [];
      for (const { id } of shown) mails.push(await get(id, actor));
      return { mails, next: found.length > limit ? shown.at(-1)!.id : null };
    },

    /** @throws NotFound, Forbidden, BadRequest, Conflict, RateLimitExceeded */
    async change(id: number, input: ReportMailChange, actor: Actor): Promise<ReportMailRecord> {
      const { title, filter, days, to, language, ask_again: again = [] } = input;
      const before = await changeable(id, actor);
      if ((to !== undefined || again.length > 0) && !outbox.isEnabled()) throw noMail();
      const write = async (tx: MailTransaction): Promise<void> => {
        const mail = await repository.lock(tx.db, id);
        if (mail === null) throw mailNotFound();
        const every = input.every ?? mail.every;
        const minute = input.at === undefined ? mail.minute : minuteOf(input.at);
        if (every !== mail.every || minute !== mail.minute) {
          const nextAt = nextDue({ every, minute }, zone(), clock.now());
          await repository.plan(tx.db, id, { every, minute, nextAt });
        }
        const of = { mailId: id, page: before.page, every };
        const readers = await repository.readers(id, tx.db);
        if (to !== undefined) {
          const gone = readers.filter(({ email }) => !to.includes(email));
          await repository.removeReaders(tx.db, gone, clock.now());
          const known = readers.map(({ email }) => email);
          await confirmations.add(
            tx,
            of,
            [...new Set(to)].filter((email) => !known.includes(email)),
            language,
          );
        }
        await confirmations.again(tx, of, again, await repository.readers(id, tx.db));
        const { ask_again: _, to: recipients, ...rest } = input;
        await note(tx.db, actor, "mail_update", before.page, { ...rest, ...(recipients && { recipients }) });
      };
      if ((title ?? filter ?? days) === undefined) await changes.write(write);
      else await pages.change(before.linkId, { title, filter, days }, actor, write);
      return get(id, actor);
    },

    /** Ends it. Its page stays. @throws NotFound, Forbidden */
    async remove(id: number, actor: Actor): Promise<void> {
      const mail = await changeable(id, actor);
      await changes.write(async (tx) => {
        await repository.remove(tx.db, id);
        const { every, readers } = mail;
        await note(tx.db, actor, "mail_delete", mail.page, {
          every,
          recipients: readers.map(({ email }) => email),
        });
      });
    },

    ...createReaderDecisions(deps),
  };
}

function createReaderDecisions({ repository, changes, zone, clock }: Deps) {
  return {
    /** Who has the token; null without one. */
    reader: (token: string): Promise<ReportReader | null> => repository.readerWith(token),

    /** The reader ends the mails, or confirms those that wait for it. Returns the reader as after it; null: unknown. */
    decide: (token: string, decision: "end" | "confirm", language: Language): Promise<ReportReader | null> =>
      changes.write(async (tx) => {
        const reader = await repository.readerWith(token, tx.db);
        if (reader === null) return null;
        const state = decision === "end" ? "ended" : "active";
        if (reader.state === "ended" || (state === "active" && reader.state !== "waiting")) return reader;
        const now = clock.now();
        await repository.setState(tx.db, reader.id, { state, now, ...(state === "active" && { language }) });
        return { ...reader, state };
      }),

    /** Plans all anew, as the zone has changed. */
    async replan(): Promise<void> {
      for (let last = 0; ; ) {
        const mails = await repository.after(last, 500);
        if (mails.length === 0) return;
        for (const mail of mails) {
          const next = nextDue(mail, zone(), clock.now());
          if (mail.nextAt > clock.now())
            await changes.write(async (tx) => void (await repository.pass(tx.db, mail, next, null)));
        }
        last = mails.at(-1)!.id;
      }
    },
  };
}

/** Writes a new mail in one transaction with its new page, or for a page that the actor may change. */
async function withPage<T>(
  { pages, changes }: Pick<Deps, "pages" | "changes">,
  { page_id: pageId, title, filter, days, every, owner }: NewReportMail,
  actor: Actor,
  write: (tx: MailTransaction, page: ReportRecord) => Promise<T>,
): Promise<T> {
  if (pageId === undefined) {
    if (title === undefined) throw badField("title", "title is needed without page_id.");
    const written: T[] = [];
    const input = { title, filter, days: days ?? DAYS_OF[every], owner };
    await pages.create(input, actor, async (tx, page) => void written.push(await write(tx, page)));
    return written.at(-1)!;
  }
  if ((title ?? filter ?? days ?? owner) !== undefined)
    throw badField(
      "page_id",
      "The page has a title, a filter, days and an owner: leave these out with page_id.",
    );
  const page = await pages.get(pageId, actor);
  requireChange(actor, page);
  requireDays(page);
  return changes.write((tx) => write(tx, page));
}

const createNote =
  ({ record, clock }: Deps) =>
  (tx: Db, actor: Pick<Actor, "name" | "via">, action: string, { code }: ReportRecord, after: object) =>
    record(tx, [
      {
        at: clock.now(),
        actor,
        action: `report.${action}`,
        subject: codeOf(code),
        subjectId: null,
        before: null,
        after,
      },
    ]);

type Bringing = { mailId: number; page: ReportRecord; every: StoredReportMail["every"] };

/** Adds readers, and asks those who have to confirm. */
function createConfirmations({ repository, outbox, readerUrl, languageOf, clock }: Deps) {
  async function ask(
    tx: MailTransaction,
    { mailId, page }: Bringing,
    readers: readonly NewReader[],
  ): Promise<void> {
    const [begin, now] = [`report-ask ${page.ownerId ?? 0} `, clock.now()];
    if (readers.length === 0) return;
    if (await outbox.hasMore(tx.db, begin, now - DAY_MS, MOST_CONFIRMATIONS_A_DAY - readers.length)) {
      throw appError(
        "RateLimitExceeded",
        `An account asks at most ${MOST_CONFIRMATIONS_A_DAY} addresses a day whether they want a report.`,
        { field: "to", details: { retryAfterSeconds: DAY_MS / 24 / 1000 } },
      );
    }
    for (const { email, language, token } of readers) {
      const mail = {
        kind: "report_confirm",
        content: { title: page.title ?? codeOf(page.code), url: readerUrl(token) },
      } as const;
      const to = { accountId: null, email, language: knownLanguage(language) };
      const onceKey = `${begin}${mailId} ${now} ${crypto.randomUUID()}`;
      if ((await outbox.queue(tx, to, mail, { onceKey })) === null)
        throw appError("Conflict", "Too many mails wait to be sent. Try again later.", { field: "to" });
    }
  }

  async function setWaiting(tx: MailTransaction, readers: readonly ReportReader[]): Promise<void> {
    for (const { id } of readers)
      await repository.setState(tx.db, id, { state: "waiting", now: clock.now() });
  }

  return {
    /** Whoever was removed before the mails were confirmed, or after they were ended, confirms them. */
    async add(tx: MailTransaction, of: Bringing, emails: readonly string[], given?: Language): Promise<void> {
      const ownerId = of.page.ownerId ?? 0;
      const accounts = await repository.accountsWith(emails, tx.db);
      const confirmed = await repository.confirmedFor(ownerId, emails, tx.db);
      const standard = given ?? (ownerId < 0 ? "en" : await languageOf(ownerId));
      const former = await repository.removedReaders(tx.db, of.mailId, emails);
      const rest = emails.filter((email) => !former.some((reader) => reader.email === email));
      const readers = rest.map((email): NewReader => {
        const isKnown = accounts.has(email) || confirmed.has(email);
        const language = accounts.get(email) ?? standard;
        return { email, language, state: isKnown ? "active" : "waiting", token: newToken() };
      });
      await repository.addReaders(tx.db, of.mailId, readers, clock.now());
      await setWaiting(tx, former);
      await ask(tx, of, [...readers.filter(({ state }) => state === "waiting"), ...former]);
    },

    async again(
      tx: MailTransaction,
      of: Bringing,
      emails: readonly string[],
      readers: readonly ReportReader[],
    ): Promise<void> {
      const unconfirmed = readers.filter(({ email, state }) => emails.includes(email) && state !== "active");
      const stranger = emails.find((email) => !readers.some((reader) => reader.email === email));
      if (stranger !== undefined) throw badField("ask_again", `${stranger} is not in to; add it first.`);
      await setWaiting(tx, unconfirmed);
      await ask(tx, of, unconfirmed);
    },
  };
}

const newToken = (): string => crypto.getRandomValues(Buffer.alloc(TOKEN_BYTES)).toString("base64url");

/** @throws Forbidden */
function requireChange(actor: Actor, page: ReportRecord): void {
  if (!mayChange(actor, page.ownerId))
    throw appError("Forbidden", "You may only view this report; editors of its team may change it.");
}

/** @throws BadRequest */
function requireDays({ days }: ReportRecord): void {
  if (days === null)
    throw badField(
      "page_id",
      "This page shows a fixed range, which would come anew and anew: give it days first.",
    );
}

const isNotFound = (error: unknown): boolean => (error as { name?: string }).name === "NotFound";
const mailNotFound = () => appError("NotFound", "There is no such mail of a report.");
const noMail = () => appError("Conflict", "No mail can be sent: an administrator has to set [mail].");
const tooMany = () =>
  appError("Conflict", `An owner has at most ${MOST_OF_OWNER} mails of reports; end another one.`);
