/** Changes of any link by its code, when it is a report or becomes one. */
import { appError } from "../lib/errors.ts";
import { validated } from "../lib/validated.ts";
import { validateInternalFields } from "../links/link/internal-fields.ts";
import { isInternal, isReport } from "../links/link/internal-target.ts";
import type { PatchInput, ShownLink } from "../links/link/link.ts";
import type { LinkEditing } from "../links/links.routes.ts";
import { oneUse, type ReportChanges, type ReportDeps, withOwner } from "./changes.ts";
import { BUILT_IN_ADMIN_ID } from "./eyes.ts";
import {
  type DaysInput,
  pastReport,
  type ReportChange,
  type ReportFilter,
  reportUse,
  servedReport,
} from "./report.ts";

type Deps = Pick<ReportDeps, "repository" | "links"> &
  Pick<ReportChanges, "carryOut" | "change"> & { clock: { now(): number } };

/** @returns what changes links, by what changes those that are no report */
export const createReportEditing =
  ({ repository, links, carryOut, change, clock }: Deps) =>
  (next: LinkEditing): LinkEditing => ({
    async patchLink(accountId, key, { report, ...input }, actor): Promise<ShownLink> {
      const link = await links.by(actor).find(key);
      const isReportNow = link !== null && isReport(link.target);
      if (link === null || (report === undefined && !isReportNow))
        return next.patchLink(accountId, key, input, actor);
      if (OTHER_USES.some((use) => input[use] !== undefined)) throw oneUse();
      if (input.target === undefined) validateInternalFields(input as PatchInput, "report");
      if (!isReportNow && isInternal(link.target)) throw urlFirst();
      if (report === undefined) return change(link, input as PatchInput & ReportChange, actor);
      if (input.target !== undefined) throw oneUse();
      const use = validated(reportUse, report, "report") as DaysInput & { filter?: ReportFilter };
      return change(link, { ...input, ...use } as PatchInput & ReportChange, actor);
    },

    async revertLink(accountId, key, which, by): Promise<ShownLink> {
      const { actor, mayReport } = by;
      const link = await links.by(actor).get(key);
      const report = await repository.find(link.id);
      const served = report && servedReport(report);
      if (report === null && isInternal(link.target)) return next.revertLink(accountId, key, which, by);
      const {
        change: past,
        state,
        hasPasswordOfState,
      } = await links.by(actor).past({ ...link, serves: served }, which);
      const wasReport = isReport(past.target);
      if (report === null && !wasReport) return next.revertLink(accountId, key, which, by);
      if (isInternal(past.target) && !wasReport) throw urlFirst();
      if (wasReport) mayReport();
      const earlier = wasReport ? pastReport(state) : null;
      if (wasReport && earlier === null) throw appError("Conflict", "This state can't be read any more.");
      const ownerId = link.ownerId ?? BUILT_IN_ADMIN_ID;
      const planned = { link, change: past, now: clock.now(), hasPasswordOfState };
      return carryOut(withOwner(planned, ownerId), actor, () => earlier);
    },
  });

const OTHER_USES = ["file_id", "folder_id", "drop", "items"] as const;

const urlFirst = () =>
  appError("Conflict", "A share becomes no report, and a report no share: make it a link to a URL first.");
