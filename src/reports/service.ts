/**
 * Makes, lists, changes and ends reports for their owners. A report is a link with a row of its own, so title, password,
 * end, owner, history and QR code are the link's. It shows what its owner may see, when somebody looks.
 */
import type { Db } from "../platform/db/dialect.ts";
import type { Changes, ChangeTransaction } from "../platform/cluster/changes.ts";
import { type Actor, ownersReadBy } from "../lib/actor.ts";
import { BUILT_IN_ADMIN_ID } from "./eyes.ts";
import type { Clock } from "../lib/clock.ts";
import { appError, badField } from "../lib/errors.ts";
import { internalTarget, isInternal, isReport } from "../links/link/internal-target.ts";
import type { Link, PatchInput, ShownLink } from "../links/link/link.ts";
import type { LinkEditing } from "../links/links.routes.ts";
import type { LinkService } from "../links/links.service.ts";
import type { PlannedChange } from "../links/write/internal-links.ts";
import { common, ownersIn } from "../links/list/filter.ts";
import { validated } from "../lib/validated.ts";
import type { Eyes } from "./eyes.ts";
import {
  daysAfter,
  type DaysInput,
  type NewReport,
  pastReport,
  type ReportChange,
  type ReportFilter,
  type ReportRecord,
  reportUse,
  servedReport,
  type StoredFilter,
  type StoredReport,
} from "./report.ts";
import type { ReportsRepository } from "./repository.ts";

type Deps = {
  repository: ReportsRepository;
  links: Pick<LinkService, "by" | "internal" | "domains" | "owners">;
  changes: Pick<Changes, "write">;
  eyes: Eyes;
  clock: Clock;
};

export type Reports = ReturnType<typeof createReports>;

const TARGET = internalTarget("report", 0);

export function createReports(deps: Deps) {
  const { repository, links, changes, eyes } = deps;

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
    if (!isNamed) return { by: ownerId, links: null, filter: rest };
    const named = await links.by(seen).chosen({ code, ...(rest.domain && { domain: rest.domain }) });
    if (chosen === null || named === null || !("ids" in named)) throw tooMany();
    return { by: ownerId, links: [...named.ids], filter: rest };
  }

  async function describe(link: Link, report: StoredReport, db?: Db): Promise<ReportRecord> {
    const codes = report.links === null ? null : await repository.codesOf(report.links, db);
    const mails = (await repository.mailsOf([link.id], db)).get(link.id) ?? 0;
    return { ...link, ...report, codes, mails };
  }

  /** @throws NotFound */
  async function linkOf(id: number, actor: Actor): Promise<Link> {
    const key = await repository.keyOf(id);
    const link = key === null ? null : await links.by(actor).find(key);
    if (link === null) throw reportNotFound();
    return link;
  }

  /** Writes a planned change. @param after what the code shows then; null: it redirects */
  const carryOut = (
    planned: PlannedChange,
    actor: Actor,
    after: (before: StoredReport | null) => StoredReport | null,
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
        if (before !== null && next === null) await repository.remove(tx.db, id);
        else if (before === null && next !== null) await repository.insert(tx.db, id, next);
        else if (next !== null) await repository.update(tx.db, id, next);
        const use = {
          target: next === null ? planned.change.target! : TARGET,
          before: before && servedReport(before),
          after: next && servedReport(next),
        };
        const link = await links.internal.change(tx, locked, planned, use, actor);
        return next === null ? link : describe(link, next, tx.db);
      }),
    );

  /** Changes a link that is a report, or becomes one by `use`. */
  async function change(
    link: Link,
    { filter, days, from, to, ...input }: ReportChange & PatchInput,
    actor: Actor,
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
    return carryOut(isNew ? withOwner(planned, ownerId) : planned, actor, (now) => {
      const known = stored ?? now;
      if (known === null) throw changedMeanwhile();
      return { ...known, ...daysAfter(now, { days, from, to }) };
    });
  }

  return {
    /** @throws LinkAlreadyExists, LinkInvalidCode, LinkReservedCode, LinkInvalidExpireTime, LinkNotFound, BadRequest, Forbidden */
    async create({ filter = {}, domain, owner, ...input }: NewReport, actor: Actor): Promise<ReportRecord> {
      const ownerId = (await links.owners.newOwner(actor, owner)) ?? actor.accountId ?? BUILT_IN_ADMIN_ID;
      const { days, from, to, ...link } = input;
      const report = { ...(await checkedFilter(ownerId, filter)), ...daysAfter(null, { days, from, to }) };
      const checked = await links.internal.check(link, links.domains.idOf(domain));
      return links.internal.inTurn(checked.code, () =>
        changes.write(async (tx) => {
          const use = { target: TARGET, before: null, after: servedReport(report) };
          const made = await links.internal.create(tx, { ...checked, ownerId }, use, actor);
          await repository.insert(tx.db, made.id, report);
          return describe(made, report, tx.db);
        }),
      );
    },

    /** @throws NotFound */
    async get(id: number, actor: Actor, db?: Db): Promise<ReportRecord> {
      const link = await linkOf(id, actor);
      const report = await repository.find(id, db);
      if (report === null) throw reportNotFound();
      return describe(link, report, db);
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
        if (link !== null && report !== null) reports.push(await describe(link, report));
      }
      return { reports, next: found.length > limit ? shown.at(-1)!.id : null };
    },

    /** With `target` its code redirects from now on, and its mails end. @throws NotFound and like `create` */
    change: async (id: number, input: ReportChange, actor: Actor): Promise<ReportRecord | Link> =>
      change(await linkOf(id, actor), input as ReportChange & PatchInput, actor),

    /** Frees its code, and ends its mails. @throws NotFound, Forbidden */
    async remove(id: number, actor: Actor): Promise<void> {
      await links.by(actor).remove((await linkOf(id, actor)).code);
    },

    /** Changes any link, with what its code shows. `next`: changes those that are no report. */
    editing: (next: LinkEditing): LinkEditing => ({
      async patchLink(accountId, key, { report, ...input }, actor): Promise<ShownLink> {
        const link = await links.by(actor).find(key);
        const isReportNow = link !== null && isReport(link.target);
        if (link === null || (report === undefined && !isReportNow))
          return next.patchLink(accountId, key, input, actor);
        if (OTHER_USES.some((use) => input[use] !== undefined)) throw oneUse();
        if (!isReportNow && isInternal(link.target)) throw urlFirst();
        if (report === undefined) return change(link, input as PatchInput & ReportChange, actor);
        if (input.target !== undefined) throw oneUse();
        const use = validated(reportUse, report, "report") as DaysInput & { filter?: ReportFilter };
        return change(link, { ...input, ...use } as PatchInput & ReportChange, actor);
      },

      async revertLink(accountId, key, which, by): Promise<ShownLink> {
        const { actor } = by;
        const link = await links.by(actor).get(key);
        const report = await repository.find(link.id);
        const served = report && servedReport(report);
        if (report === null && isInternal(link.target)) return next.revertLink(accountId, key, which, by);
        const { change: past, state } = await links.by(actor).past({ ...link, serves: served }, which);
        const wasReport = isReport(past.target);
        if (report === null && !wasReport) return next.revertLink(accountId, key, which, by);
        if (isInternal(past.target) && !wasReport) throw urlFirst();
        const earlier = wasReport ? pastReport(state) : null;
        if (wasReport && earlier === null) throw appError("Conflict", "This state can't be read any more.");
        const ownerId = link.ownerId ?? BUILT_IN_ADMIN_ID;
        const planned = { link, change: past, now: deps.clock.now() };
        return carryOut(withOwner(planned, ownerId), actor, () => earlier);
      },
    }),
  };
}

/** Older links have no owner. A report has one, through whose eyes it sees. */
const withOwner = (planned: PlannedChange, ownerId: number): PlannedChange =>
  planned.link.ownerId === null ? { ...planned, change: { ...planned.change, ownerId } } : planned;

const OTHER_USES = ["file_id", "folder_id", "drop", "items"] as const;

const reportNotFound = () => appError("NotFound", "There is no such report.");

const changedMeanwhile = () =>
  appError("Conflict", "Somebody else has changed what this code shows. Read it again, then retry.");

const oneUse = () =>
  appError("BadRequest", "A code shows one thing: give target, or what a report or a share is made of.");

const urlFirst = () =>
  appError("Conflict", "A share becomes no report, and a report no share: make it a link to a URL first.");

const tooMany = () => badField("filter", "The codes of the filter lead to too many links.");
