/**
 * Makes, lists, changes and ends reports for their owners. A report is a link with a row of its own, so title, password,
 * end, owner, history and QR code are the link's. It shows what its owner may see, when somebody looks.
 */
import type { Db } from "../platform/db/dialect.ts";
import { type Actor, ownersReadBy } from "../lib/actor.ts";
import type { Clock } from "../lib/clock.ts";
import type { Link, PatchInput } from "../links/link/link.ts";
import { common, ownersIn } from "../links/list/filter.ts";
import {
  type AlsoWrite,
  createReportChanges,
  REPORT_TARGET,
  type ReportDeps,
  reportNotFound,
} from "./changes.ts";
import { createReportEditing } from "./editing.ts";
import { BUILT_IN_ADMIN_ID } from "./eyes.ts";
import { daysAfter, type NewReport, type ReportChange, type ReportRecord, servedReport } from "./report.ts";

export type ReportPages = ReturnType<typeof createReportPages>;

export function createReportPages(deps: ReportDeps & { clock: Clock }) {
  const { repository, links, changes, clock } = deps;
  const { checkedFilter, describe, carryOut, change } = createReportChanges(deps);

  /** @throws NotFound */
  async function linkOf(id: number, actor: Actor): Promise<Link> {
    const key = await repository.keyOf(id);
    const link = key === null ? null : await links.by(actor).find(key);
    if (link === null) throw reportNotFound();
    return link;
  }

  return {
    /** @throws LinkAlreadyExists, LinkInvalidCode, LinkReservedCode, LinkInvalidExpireTime, LinkNotFound, BadRequest, Forbidden */
    async create(
      { filter = {}, domain, owner, ...input }: NewReport,
      actor: Actor,
      also?: AlsoWrite,
    ): Promise<ReportRecord> {
      const ownerId = (await links.owners.newOwner(actor, owner)) ?? actor.accountId ?? BUILT_IN_ADMIN_ID;
      const { days, from, to, ...link } = input;
      const report = { ...(await checkedFilter(ownerId, filter)), ...daysAfter(null, { days, from, to }) };
      const checked = await links.internal.check(link, links.domains.idOf(domain));
      return links.internal.inTurn(checked.code, () =>
        changes.write(async (tx) => {
          const use = { target: REPORT_TARGET, before: null, after: servedReport(report) };
          const made = await links.internal.create(tx, { ...checked, ownerId }, use, actor);
          await repository.insert(tx.db, made.id, report);
          const record = await describe(made, report, actor, tx.db);
          await also?.(tx, record);
          return record;
        }),
      );
    },

    /** @throws NotFound */
    async get(id: number, actor: Actor, db?: Db): Promise<ReportRecord> {
      const link = await linkOf(id, actor);
      const report = await repository.find(id, db);
      if (report === null) throw reportNotFound();
      return describe(link, report, actor, db);
    },

    /** Locks its row until the transaction ends. @throws NotFound */
    async locked(id: number, actor: Actor, tx: Db): Promise<ReportRecord> {
      await repository.lock(tx, id);
      return this.get(id, actor, tx);
    },

    /** Newest first, below an id. `next`: null on the last page. */
    async page(
      query: { search?: string | undefined; owner?: string | undefined },
      before: number | null,
      limit: number,
      actor: Actor,
    ): Promise<{ reports: ReportRecord[]; next: number | null }> {
      const owners = common(ownersIn(await links.owners.resolved(query)), ownersReadBy(actor));
      const found = await repository.page({ owners, search: query.search || null }, before, limit + 1);
      const shown = found.slice(0, limit);
      const reports: ReportRecord[] = [];
      for (const { id, key } of shown) {
        const [link, report] = [await links.by(actor).find(key), await repository.find(id)];
        if (link !== null && report !== null) reports.push(await describe(link, report, actor));
      }
      return { reports, next: found.length > limit ? shown.at(-1)!.id : null };
    },

    /** With `target` its code redirects from now on, and its mails end. @throws NotFound and like `create` */
    change: async (
      id: number,
      input: ReportChange,
      actor: Actor,
      also?: AlsoWrite,
    ): Promise<ReportRecord | Link> =>
      change(await linkOf(id, actor), input as ReportChange & PatchInput, actor, also),

    /** Frees its code, and ends its mails. @throws NotFound, Forbidden */
    async remove(id: number, actor: Actor): Promise<void> {
      await links.by(actor).remove((await linkOf(id, actor)).code);
    },

    /** Changes any link, with what its code shows. `next`: changes those that are no report. */
    editing: createReportEditing({ repository, links, carryOut, change, clock }),
  };
}
