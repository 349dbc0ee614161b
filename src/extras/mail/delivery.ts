/**
 * The job that sends the outbox, on one process at a time and one mail after the other. A mail is marked before it is
 * handed over, so a process that dies leaves at most one of which nobody knows whether it went; that one is sent again.
 * A server in trouble is tried with one mail, with growing pauses.
 */
import { retryUntilAvailable } from "../../platform/db/retry-until-available.ts";
import type { Clock } from "../../lib/clock.ts";
import { fault } from "../../lib/fault.ts";
import type { Logger } from "../../lib/logger.ts";
import { knownLanguage, type Language } from "../../lib/language.ts";
import { inTime } from "../../lib/timeout.ts";
import { untilStopped } from "../../lib/until-stopped.ts";
import type { MailContent, TakenMail } from "./mail.ts";
import type { Letter } from "./letter.ts";
import type { DeliveryRepository, Outcome } from "./outbox.repository.ts";
import type { Smtp } from "./smtp.ts";

const [SECOND, MINUTE, HOUR, DAY] = [1_000, 60_000, 3_600_000, 86_400_000];

/** After the first, second … failure. After the last one the mail is given up. */
const PAUSES = [
  30 * SECOND,
  MINUTE,
  2 * MINUTE,
  5 * MINUTE,
  15 * MINUTE,
  30 * MINUTE,
  HOUR,
  2 * HOUR,
  4 * HOUR,
  8 * HOUR,
  16 * HOUR,
  24 * HOUR,
];
/** Other mails wait so long at most for a server in trouble. */
const LONGEST_BLOCK_MS = 5 * MINUTE;
/** How long the log keeps a mail. */
const KEPT_MS = 30 * DAY;
const EVERY_MS = 15 * SECOND;
const MOST_INTERRUPTED = 2;
/** A mail has so long when the process stops. Then it waits again, or counts as interrupted if it is handed over. */
const STOP_MS = 3 * SECOND;
const CUT_MS = SECOND;

type Deps = {
  repository: DeliveryRepository;
  isEnabled(): boolean;
  /** Of the settings in force. */
  smtp(): Smtp;
  /** Makes a mail of its content. */
  write(mail: MailContent, language: Language): Letter;
  /** A part of Message-ID, by which servers and programs know a repeated mail. */
  instance: string;
  count(status: "sent" | "delayed" | "failed"): void;
  clock: Clock;
  logger: Pick<Logger, "warn">;
};

export function createDelivery(deps: Deps) {
  const { repository, isEnabled, write, instance, count, clock, logger } = deps;

  async function resumeInterrupted(): Promise<void> {
    for (const { id, times } of await repository.interrupted()) {
      const isLast = times + 1 >= MOST_INTERRUPTED;
      const again = isLast ? "It is not sent again by itself." : "It is sent again, and may arrive twice.";
      const error = `Waymark ended while it sent this mail. ${again}`;
      logger.warn({ mail: id }, error);
      await repository.resume(id, { state: isLast ? "failed" : "waiting", error });
    }
  }

  type Trouble = Awaited<ReturnType<DeliveryRepository["trouble"]>>;

  function isBlocked(trouble: Trouble): boolean {
    if (trouble === null) return false;
    const pause = PAUSES[trouble.attempts - 1] ?? LONGEST_BLOCK_MS;
    return trouble.triedAt + Math.min(pause, LONGEST_BLOCK_MS) > clock.now();
  }

  async function attempt(smtp: Smtp, mail: TakenMail, cut: AbortSignal): Promise<Outcome> {
    const { id, kind, recipient, attempts, usefulUntil } = mail;
    const now = clock.now();
    if (usefulUntil !== null && usefulUntil <= now)
      return { state: "failed", error: "It was not sent while its link was valid." };
    const content = { kind, content: JSON.parse(mail.content) } as MailContent;
    const letter = write(content, knownLanguage(mail.language));
    const domain = smtp.from.split("@").at(-1) ?? "localhost";
    const messageId = `<${instance}.${id}@${domain}>`;
    const trouble = await smtp.send({ ...letter, to: recipient, messageId }, cut);
    fault("mail-sent");
    if (trouble === null) return { state: "sent", at: clock.now() };
    if (trouble.is === "stopped")
      return { state: "waiting", error: trouble.message, dueAt: clock.now(), isServerTrouble: false };
    const pause = PAUSES[attempts - 1];
    if (trouble.is === "refused" || pause === undefined) return { state: "failed", error: trouble.message };
    const isServerTrouble = trouble.is === "server";
    return { state: "waiting", error: trouble.message, dueAt: clock.now() + pause, isServerTrouble };
  }

  /** Returns the outcome, or null if nobody knows whether the server has the mail. */
  async function attemptUntil(smtp: Smtp, mail: TakenMail, stopping: AbortSignal): Promise<Outcome | null> {
    const cut = new AbortController();
    const attempting = attempt(smtp, mail, cut.signal);
    const outcome = await untilStopped(attempting, STOP_MS, stopping);
    if (outcome !== null) return outcome;
    cut.abort();
    return (await inTime(CUT_MS, attempting)) ?? null;
  }

  /** A mail under way goes on when the lease is lost, because its response comes only once. */
  async function run(signal: AbortSignal, stopping = signal): Promise<void> {
    if (!isEnabled()) return;
    const smtp = deps.smtp();
    await resumeInterrupted();
    let trouble = await repository.trouble();
    let onlyUrgent = isBlocked(trouble);
    try {
      while (!signal.aborted) {
        const mail = await repository.take(clock.now(), onlyUrgent);
        if (mail === null) break;
        const outcome = await attemptUntil(smtp, mail, stopping);
        if (outcome === null) break;
        await retryUntilAvailable(() => repository.finish(mail.id, outcome), stopping);
        if (stopping.aborted && outcome.state === "waiting") break;
        count(outcome.state === "waiting" ? "delayed" : outcome.state);
        if (outcome.state === "sent") {
          if (trouble !== null) await repository.endTrouble();
          trouble = null;
          onlyUrgent = false;
          continue;
        }
        logger.warn({ mail: mail.id, kind: mail.kind, error: outcome.error }, "a mail could not be sent");
        onlyUrgent ||= outcome.state === "waiting" && outcome.isServerTrouble;
      }
    } finally {
      await smtp.close();
    }
    await repository.removeBefore(clock.now() - KEPT_MS);
  }

  return { name: "mail", everyMs: () => EVERY_MS, run };
}
