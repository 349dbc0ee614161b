/** Reviews of administrators, and reports of visitors. */
import type { Database } from "../../platform/db/database.ts";
import { type Actor } from "../../lib/actor.ts";
import type { Clock } from "../../lib/clock.ts";
import { AppError, appError } from "../../lib/errors.ts";
import { formatRfc3339 } from "../../lib/rfc3339.ts";
import { linkNotFound } from "../link/code.ts";
import type { RecordLinkEvents, ReviewVerb } from "../link/events.ts";
import type { Held, HeldState } from "../link/held.ts";
import { codeOf } from "../link/key.ts";
import { readOptions } from "../link/field-values.ts";
import type { LinkRepository } from "../write/repository.ts";
import type { LinkWriter } from "../write/writer.ts";
import type { VisitorReport, ReportReason } from "./report.ts";
import { createSafetyRepository } from "./repository.ts";

export type LinkReview = {
  action: ReviewVerb;
  reason: string | null;
  /** `updated_at` of the link that was reviewed; null accepts any. */
  updatedAt: string | null;
};

export type LinkSafety = ReturnType<typeof createLinkSafety>;

type Deps = {
  database: Database;
  links: Pick<LinkRepository, "findByAnyCode">;
  writer: Pick<LinkWriter, "update">;
  record: RecordLinkEvents;
  clock: Clock;
};

/** From which states a decision leads where; null: not held. */
const WAYS: Record<ReviewVerb, { from: readonly (HeldState | null)[]; to: HeldState | null; else: string }> =
  {
    approve: { from: ["waiting", "refused"], to: null, else: "does not wait for approval" },
    refuse: { from: ["waiting"], to: "refused", else: "does not wait for approval" },
    take_down: { from: [null, "waiting", "refused"], to: "taken_down", else: "is taken down already" },
    reinstate: { from: ["taken_down"], to: null, else: "is not taken down" },
  };

const MOST_OF_LINK = 50;
const MOST_OPEN = 10_000;
/** Concurrent reports may exceed the bound by so many; the next report makes up for it. */
const MOST_BEYOND = 50;

export function createLinkSafety({ database, links, writer, record, clock }: Deps) {
  const reports = createSafetyRepository(database);

  /** @throws LinkNotFound, Conflict */
  async function review(actor: Actor, key: string, { action, reason, updatedAt }: LinkReview): Promise<void> {
    const now = clock.now();
    const way = WAYS[action];
    const held: Held | null = way.to && { state: way.to, at: now, by: actor.name, reason };
    const refusal = (link: { code: string; updatedAt: number; options: string | null }): AppError | null => {
      const code = codeOf(link.code);
      if (updatedAt !== null && updatedAt !== formatRfc3339(link.updatedAt)) {
        return appError("Conflict", `"${code}" has changed since you looked at it; look again.`);
      }
      const state = readOptions(link.options).held?.state ?? null;
      return way.from.includes(state) ? null : appError("Conflict", `"${code}" ${way.else}.`);
    };
    const by = { actor, now, review: { verb: action, refusal } };
    const [outcome] = await writer.update([{ code: key, options: { held } }], by);
    if (outcome instanceof AppError) throw outcome;
    const link = action === "take_down" ? await links.findByAnyCode(key) : null;
    if (link !== null) {
      await database.transaction((tx) => reports.resolve(tx, { link_id: link.id }, now, actor.name));
    }
  }

  return {
    review,

    /** Open or resolved ones, newest first, before an id. */
    reports: reports.page,

    /** False if there are enough of this link. Where all are too many, it takes the place of the noisiest link's oldest. */
    report: (
      link: { id: number; code: string },
      { reason, details }: { reason: ReportReason; details: string | null },
    ): Promise<boolean> =>
      database.transaction(async (tx) => {
        const at = clock.now();
        const { ofLink, all } = await reports.open(tx, link.id, MOST_OPEN + MOST_BEYOND);
        if (ofLink >= MOST_OF_LINK) return false;
        if (all >= MOST_OPEN) await reports.dropFromNoisiest(tx, all - MOST_OPEN + 1);
        await reports.add(tx, { linkId: link.id, at, reason, details });
        const actor = { name: "visitor", via: "system" } as const;
        // Without the id of the link: its history is for owners, too.
        const subject = codeOf(link.code);
        await record(tx, [{ at, actor, action: "link.report", subject, after: { reason, details } }]);
        return true;
      }),

    /** `takesDown`: the link, too, which resolves all its reports. @throws NotFound, Conflict */
    async resolve(
      actor: Actor,
      id: number,
      takesDown: boolean,
      reason: string | null,
    ): Promise<VisitorReport> {
      const report = await reports.find(id);
      if (report === null) throw appError("NotFound", "There is no report with this id.");
      if (report.resolvedAt !== null) throw appError("Conflict", "This report is resolved already.");
      if (takesDown) {
        await review(actor, report.code, { action: "take_down", reason, updatedAt: null });
      } else {
        await database.transaction(async (tx) => {
          const at = clock.now();
          await reports.resolve(tx, { id }, at, actor.name);
          const subject = codeOf(report.code);
          const after = { report: id, reason: report.reason };
          await record(tx, [{ at, actor, action: "link.report_dismiss", subject, after }]);
        });
      }
      const resolved = await reports.find(id);
      if (resolved === null) throw linkNotFound(codeOf(report.code));
      return resolved;
    },
  };
}
