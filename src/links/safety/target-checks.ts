/**
 * Requests each target at most once a day to see whether it responds: a round passes all links in the order of their
 * ids, keeps its place, and goes on there in whichever process runs the job. A target that has failed three times in a
 * row over two days is dead; one response revives it.
 */
import type { Clock } from "../../lib/clock.ts";
import { inHostTurns } from "../../lib/host-turns.ts";
import { type Outbound, OutboundFailure } from "../../lib/outbound.ts";
import { rest } from "../../lib/rest.ts";
import { isHttpUrl } from "../../lib/target-url.ts";
import { SYSTEM } from "../../lib/actor.ts";
import { VERSION } from "../../lib/version.ts";
import { isForeignKeyViolation } from "../../platform/db/failures.ts";
import type { RecordLinkEvents } from "../link/events.ts";
import { codeOf } from "../link/key.ts";
import { readOptions } from "../link/field-values.ts";
import type { LinkChanges } from "../write/changes.ts";
import type { CheckedLink, ChecksRepository } from "./repository.ts";

type Deps = {
  repository: ChecksRepository;
  changes: Pick<LinkChanges, "write">;
  record: RecordLinkEvents;
  outbound: Outbound;
  isEnabled(): boolean;
  /** Whether a URL leads to a link of ours: a request to it would count a click. */
  isOwn(url: string): boolean;
  clock: Clock;
  /** Between requests to one host. */
  restMs?: number;
};

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const PORTION = 100;
const REST_MS = 1_000;
const DEAD_AFTER = { failures: 3, ms: 2 * DAY_MS };
/** Others, such as 401 and 429, are responses of a page that is there. */
const MISSING = [404, 410];
const REQUEST = {
  timeoutMs: 10_000,
  mostBytes: 1_024,
  redirects: 5,
  headers: { "User-Agent": `Waymark/${VERSION} (checks the targets of short links)`, Accept: "*/*" },
};

export function createTargetChecks(deps: Deps) {
  const { repository, changes, record, outbound, isEnabled, isOwn, clock, restMs = REST_MS } = deps;

  /** The problem of a target; null if it responds, undefined if no request may be sent to it. */
  async function problemOf(url: string): Promise<string | null | undefined> {
    try {
      const head = await outbound({ ...REQUEST, url, method: "HEAD" }).catch((error: unknown) => {
        if (error instanceof OutboundFailure && error.reason === "failed") return null;
        throw error;
      });
      if (head !== null && head.status < 400) return null;
      // Some servers handle HEAD wrongly.
      const { status } = await outbound({ ...REQUEST, url, method: "GET" });
      return MISSING.includes(status) || status >= 500 ? `the answer is ${status}` : null;
    } catch (error) {
      if (!(error instanceof OutboundFailure)) throw error;
      return error.reason === "refused" ? undefined : error.message;
    }
  }

  const mark = (link: CheckedLink, deadSince: number | null, problem: string | null): Promise<void> =>
    changes.write(async (tx) => {
      if (!(await repository.mark(tx.db, link, deadSince))) return;
      tx.changed("links", [link.code]);
      const action = deadSince === null ? "link.target_alive" : "link.target_dead";
      const subject = { subject: codeOf(link.code), subjectId: link.id };
      const after = { target: link.target, ...(problem !== null && { problem }) };
      await record(tx.db, [{ at: clock.now(), actor: SYSTEM, action, ...subject, after }]);
    });

  async function check(link: CheckedLink): Promise<void> {
    const problem = await problemOf(link.target);
    if (problem === undefined) return;
    if (problem === null) {
      if (link.failures !== null) await repository.forget(link.id);
      if (link.deadSince !== null) await mark(link, null, null);
      return;
    }
    const now = clock.now();
    // A changed link may lead elsewhere.
    const isOld = link.checkedAt === null || link.updatedAt > link.checkedAt;
    const failures = isOld ? 1 : link.failures! + 1;
    const failedSince = isOld ? now : link.failedSince!;
    await repository.fail(link.id, { failures, failedSince, checkedAt: now, problem }).catch(unlessGone);
    const isDead = failures >= DEAD_AFTER.failures && now - failedSince >= DEAD_AFTER.ms;
    if (isDead && link.deadSince === null) await mark(link, failedSince, problem);
  }

  const isChecked = ({ target, options, expiresAt }: CheckedLink): boolean =>
    isHttpUrl(target) &&
    (expiresAt === null || expiresAt > clock.now()) &&
    readOptions(options).held === null &&
    !isOwn(target);

  return {
    name: "links-check-targets",
    everyMs: () => MINUTE_MS,
    async run(signal: AbortSignal): Promise<void> {
      if (!isEnabled()) return;
      const last = await repository.round();
      const now = clock.now();
      if (last !== null && last.linkId === null && now - last.startedAt < DAY_MS) return;
      const startedAt = last === null || last.linkId === null ? now : last.startedAt;
      const isOver = () => signal.aborted || !isEnabled();
      for (let linkId = last?.linkId ?? 0; ; ) {
        const links = await repository.portion(linkId, PORTION);
        await inHostTurns(links.filter(isChecked), isOver, async (link) => {
          await check(link);
          await rest(restMs, signal);
        });
        // What was not checked in the portion is checked again.
        if (isOver()) return;
        if (links.length < PORTION) return repository.keepRound({ startedAt, linkId: null });
        linkId = links.at(-1)!.id;
        await repository.keepRound({ startedAt, linkId });
      }
    },
  };
}

function unlessGone(error: unknown): void {
  if (!isForeignKeyViolation(error)) throw error;
}
