/**
 * The job that makes the mails of reports at their hours. Each is marked as sent in the transaction that queues it, so
 * that it comes once, whatever stops or restarts. After a standstill only the last one of each is made.
 */
import type { Changes } from "../../../platform/cluster/changes.ts";
import type { Clock } from "../../../lib/clock.ts";
import { knownLanguage, type Language } from "../../../lib/language.ts";
import type { Logger } from "../../../lib/logger.ts";
import { fault } from "../../../lib/fault.ts";
import { filled } from "../../../lib/message.ts";
import { codeOf } from "../../../links/link/key.ts";
import { changeOf, changeText, daysText, nameIn } from "../../../reports/report-page.ts";
import { type Figures, LISTS, type MakeFigures } from "../../../reports/figures.ts";
import type { ReportsRepository, VisitedReport } from "../../../reports/reports.repository.ts";
import type { Look } from "../../../visitors/look.ts";
import { countText } from "../../../visitors/quantity-text.ts";
import type { MailContents } from "../mail.ts";
import type { MailOutbox } from "../outbox.ts";
import { lastDue, nextDue, type StoredReportMail } from "./report-mail.ts";
import type { ReportMailsRepository } from "./report-mails.repository.ts";

type Deps = {
  repository: ReportMailsRepository;
  pages: Pick<ReportsRepository, "visited">;
  figures: MakeFigures;
  changes: Pick<Changes, "write">;
  outbox: Pick<MailOutbox, "isEnabled" | "queue">;
  texts(language: Language): Pick<Look, "language" | "texts">;
  pageUrl(key: string): string;
  readerUrl(token: string): string;
  zone(): string;
  clock: Clock;
  logger: Logger;
};

const EVERY_MS = 30_000;
const AT_ONCE = 20;
/** For so long a mail waits for figures that can't be made. */
const TRIED_MS = 3_600_000;
/** Rows of each list in a mail. */
const MOST_ROWS = 5;

export function createReportMailJob(deps: Deps) {
  const { repository, pages, figures, changes, outbox, zone, clock, logger } = deps;

  async function figuresOf(report: VisitedReport | null, until: string): Promise<Figures | null> {
    const isOver = report !== null && report.expiresAt !== null && report.expiresAt <= clock.now();
    return report === null || report.days === null || isOver ? null : figures.of(report, until);
  }

  /** False: it stays due, because its figures can't be made now. */
  async function send(mail: StoredReportMail): Promise<boolean> {
    const now = clock.now();
    const due = lastDue(mail, zone(), now);
    const report = await pages.visited(mail.linkId);
    let made: Figures | null = null;
    try {
      made = await figuresOf(report, due.day);
    } catch (err) {
      logger.warn({ err, link: mail.linkId }, "the figures of a mail could not be made");
      if (now - due.at < TRIED_MS) return false;
    }
    const found = made;
    const readers = (await repository.readers(mail.id)).filter(({ state }) => state === "active");
    const accounts = await repository.accountsWith(readers.map(({ email }) => email));
    const next = nextDue(mail, zone(), now);
    const isSent = found !== null && readers.length > 0 && outbox.isEnabled();
    await changes.write(async (tx) => {
      if (!(await repository.pass(tx.db, mail, next, isSent ? now : null)) || !isSent) return;
      for (const { id, email, language: own, token } of readers) {
        const language = accounts.get(email) ?? knownLanguage(own);
        const content = contentOf(deps.texts(language), report!, found, {
          every: mail.every,
          url: deps.pageUrl(report!.key),
          end: deps.readerUrl(token),
        });
        const to = { accountId: null, email, language };
        const onceKey = `report ${mail.id} ${id} ${due.at}`;
        await outbox.queue(tx, to, { kind: "report", content }, { onceKey });
        fault("report-queuing");
      }
    });
    fault("report-queued");
    return true;
  }

  return {
    name: "report-mails",
    everyMs: () => EVERY_MS,
    async run(signal: AbortSignal): Promise<void> {
      for (;;) {
        const due = await repository.due(clock.now(), AT_ONCE);
        let areAllDone = true;
        for (const mail of due) {
          if (signal.aborted) return;
          areAllDone = (await send(mail)) && areAllDone;
        }
        if (due.length < AT_ONCE || !areAllDone) return;
      }
    },
  };
}

/** The figures in the words of the reader's language. */
function contentOf(
  look: Pick<Look, "language" | "texts">,
  report: VisitedReport,
  figures: Figures,
  more: Pick<MailContents["report"], "every" | "url" | "end">,
): MailContents["report"] {
  const { language, texts } = look;
  const words = texts.report;
  const count = (clicks: number) => countText(language, clicks);
  const change = changeOf(figures);
  const fact = (name: string, clicks: number) => filled(words.fact, { name, count: count(clicks) });
  const facts = [
    fact(words.human, figures.human),
    ...(change === null ? [] : [changeText(look, change, figures)]),
    ...(figures.visits === null ? [] : [fact(words.visits, figures.visits)]),
    fact(words.before, figures.before),
    fact(words.bots, figures.automated),
  ];
  const lists = LISTS.flatMap((name) => {
    const rows = figures.lists[name].rows.slice(0, MOST_ROWS);
    if (rows.length === 0) return [];
    const lines = rows.map((row) => `• ${fact(nameIn(look, name, row.name), row.clicks)}`);
    return ["", words.lists[name], ...lines];
  });
  return {
    ...more,
    title: report.title ?? codeOf(report.key),
    period: daysText(language, figures.firstDay, figures.lastDay),
    facts,
    lists: figures.human === 0 ? [words.nothing] : lists.slice(1),
  };
}
