/**
 * The one way to change what a link shows as a report. The link is read once for the plan. Then one transaction locks it,
 * checks the plan, and writes.
 */
import { type Actor, ownersReadBy } from "../lib/actor.ts";
import { appError, badField } from "../lib/errors.ts";
import { internalTarget, isInternal, isReport } from "../links/link/internal-target.ts";
import type { Link, PatchInput } from "../links/link/link.ts";
import type { LinkService } from "../links/links.service.ts";
import type { PlannedChange } from "../links/write/internal-links.ts";
import type { Changes, ChangeTransaction } from "../platform/cluster/changes.ts";
import type { Db } from "../platform/db/dialect.ts";
import { BUILT_IN_ADMIN_ID, type Eyes } from "./eyes.ts";
import {
  daysAfter,
  type ReportChange,
  type ReportFilter,
  type ReportRecord,
  servedReport,
  type StoredFilter,
  type StoredReport,
} from "./report.ts";
import type { FilterNames } from "./filter-names.ts";
import type { ReportsRepository } from "./reports.repository.ts";

export type ReportDeps = {
  repository: ReportsRepository;
  links: Pick<LinkService, "by" | "internal" | "domains" | "owners">;
  changes: Pick<Changes, "write">;
  eyes: Eyes;
  names: FilterNames;
};

/** What is written in the transaction of a report, after it. */
export type AlsoWrite = (tx: ChangeTransaction, report: ReportRecord) => Promise<void>;

export type ReportChanges = ReturnType<typeof createReportChanges>;

export const REPORT_TARGET = internalTarget("report", 0);

export function createReportChanges({ repository, links, changes, eyes, names }: ReportDeps) {
  /** @throws LinkNotFound for a code that does not exist for the owner, BadRequest */
  async function checkedFilter(ownerId: number, filter: ReportFilter): Promise<StoredFilter> {
    const seen = await eyes.of(ownerId);
    if (seen === null) {
      throw appError("Forbidden", "Reports belong to editors, administrators and teams; name one as owner.", {
        field: "owner",
      });
    }
    const { code = [], ...rest } = filter;
    const chosen = await links.by(seen).chosen({ ...filter, code });
    const isNamed = code.some((text) => text !== "");
    const ids = await names.idsOf(rest, seen);
    if (!isNamed) return { by: ownerId, links: null, filter: rest, ids };
    const named = await links.by(seen).chosen({ code, ...(rest.domain && { domain: rest.domain }) });
    if (chosen === null || named === null || !("ids" in named)) throw tooMany();
    return { by: ownerId, links: [...named.ids], filter: rest, ids };
  }

  async function describe(link: Link, report: StoredReport, actor: Actor, db?: Db): Promise<ReportRecord> {
    const named = report.links;
    const codes = named === null ? null : await repository.codesOf(named, ownersReadBy(actor), db);
    const mails = (await repository.mailsOf([link.id], db)).get(link.id) ?? 0;
    const current = await names.current(report, db);
    const filter = current ?? report.filter;
    return { ...link, ...report, filter, lacksNamed: current === null, codes, mails };
  }

  /** Writes a planned change. @param after what the code shows then; null: it redirects */
  const carryOut = (
    planned: PlannedChange,
    actor: Actor,
    after: (before: StoredReport | null) => StoredReport | null,
    also?: AlsoWrite,
  ): Promise<ReportRecord | Link> =>
    links.internal.inTurn(planned.change.to ?? null, () =>
      changes.write(async (tx: ChangeTransaction) => {
        const locked = await links.internal.lock(tx, planned);
        if (locked === null) throw reportNotFound();
        const { id, target } = locked.stored;
        const before = await repository.lock(tx.db, id);
        if ((before === null) !== !isReport(target) || (before === null && isInternal(target)))
          throw changedMeanwhile();
        const next = after(before);
        // A page that shows a range already may change, with its mails.
        if (next?.days === null && before?.days !== null && (await repository.mailsOf([id], tx.db)).size > 0)
          throw hasMails();
        if (before !== null && next === null) await repository.remove(tx.db, id);
        else if (before === null && next !== null) await repository.insert(tx.db, id, next);
        else if (next !== null) await repository.update(tx.db, id, next);
        const use = {
          target: next === null ? planned.change.target! : REPORT_TARGET,
          before: before && servedReport(before),
          after: next && servedReport(next),
        };
        const link = await links.internal.change(tx, locked, planned, use, actor);
        if (next === null) return link;
        const report = await describe(link, next, actor, tx.db);
        await also?.(tx, report);
        return report;
      }),
    );

  /** Changes a link that is a report, or becomes one by `use`. */
  async function change(
    link: Link,
    { filter, days, from, to, ...input }: ReportChange & PatchInput,
    actor: Actor,
    also?: AlsoWrite,
  ): Promise<ReportRecord | Link> {
    const planned = await links.by(actor).prepare(link, input as PatchInput);
    if (input.target !== undefined) {
      if (filter !== undefined || (days ?? from ?? to ?? null) !== null) throw oneUse();
      return carryOut(planned, actor, () => null);
    }
    const ownerId = planned.change.ownerId ?? link.ownerId ?? BUILT_IN_ADMIN_ID;
    const before = await repository.find(link.id);
    const isNew = before === null;
    const stored = filter === undefined && !isNew ? null : await checkedFilter(ownerId, filter ?? {});
    const after = (now: StoredReport | null) => {
      const known = stored ?? now;
      if (known === null) throw changedMeanwhile();
      return { ...known, ...daysAfter(now, { days, from, to }) };
    };
    return carryOut(isNew ? withOwner(planned, ownerId) : planned, actor, after, also);
  }

  return { checkedFilter, describe, carryOut, change };
}

/** Older links have no owner. A report has one, through whose eyes it sees. */
export const withOwner = (planned: PlannedChange, ownerId: number): PlannedChange =>
  planned.link.ownerId === null ? { ...planned, change: { ...planned.change, ownerId } } : planned;

export const reportNotFound = () => appError("NotFound", "There is no such report.");

const changedMeanwhile = () =>
  appError("Conflict", "Somebody else has changed what this code shows. Read it again, then retry.");

const hasMails = () =>
  appError(
    "Conflict",
    "This page is sent by mail, which would bring a fixed range anew and anew: keep days, or end its mails first.",
    { field: "from" },
  );

export const oneUse = () =>
  appError("BadRequest", "A code shows one thing: give target, or what a report or a share is made of.");

const tooMany = () => badField("filter", "The codes of the filter lead to too many links.");
