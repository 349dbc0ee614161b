/** Domains that a source has and Waymark lacks: named with the numbers of their links, and added on request. */
import { AppError } from "../../../lib/errors.ts";
import { keyOf } from "../../../links/link/key.ts";
import { isProblem, type SourceLink, type SourceProblem } from "../readers/reader.ts";
import type { StoredImport } from "./repository.ts";
import type { ImportReport } from "./state.ts";

export type MoveDomains = {
  /** As it is stored; null if it is none, or the default one. */
  hostOf(text: string | undefined): string | null;
  /** When it was added; null: unknown. */
  addedAt(host: string): number | null;
  /** @throws AppError if there are too many */
  add(host: string, by: string): Promise<void>;
  /** Unless it has links or is gone. */
  removeUnused(host: string, by: string): Promise<void>;
  /** @throws BadRequest for an unknown host */
  keyOf(code: string, host: string | undefined): string;
};

type Moved = Pick<StoredImport, "createdAt" | "createdBy" | "options">;

const MOST = 100;
/** Number of the first domain that a preview adds. */
const FORESEEN = 1_000_000_000_000;

export function createNewDomains(
  domains: MoveDomains,
  { createdAt, createdBy, options }: Moved,
  { report, isPreview }: { report: () => ImportReport; isPreview: boolean },
) {
  const refused = new Set<string>();
  return {
    /** Before the link is prepared. */
    async admit(found: SourceLink | SourceProblem): Promise<void> {
      const host = isProblem(found) ? null : domains.hostOf(found.cells["domain"]);
      if (host === null) return;
      const addedAt = domains.addedAt(host);
      // One that this import added before it was killed is younger.
      if (addedAt !== null && (!options.add_domains || addedAt < createdAt)) return;
      const { domains: named } = report();
      let counted = named.find((one) => one.host === host);
      if (counted === undefined) {
        if (named.length === MOST) return;
        named.push((counted = { host, links: 0 }));
      }
      counted.links++;
      if (!options.add_domains || isPreview || addedAt !== null || refused.has(host)) return;
      await domains.add(host, createdBy).catch((error: unknown) => {
        if (!(error instanceof AppError) || error.kind === "unavailable") throw error;
        refused.add(host);
      });
    },
    /** @throws BadRequest for a host that stays unknown */
    keyOf(code: string, host: string | undefined): string {
      const at = isPreview && options.add_domains ? foreseenAt(host) : -1;
      return at === -1 ? domains.keyOf(code, host) : keyOf(FORESEEN + at, code);
    },
  };

  function foreseenAt(text: string | undefined): number {
    const host = domains.hostOf(text);
    return report().domains.findIndex((one) => one.host === host);
  }
}

export async function removeNewDomains(
  domains: MoveDomains,
  { createdAt, createdBy, options, report }: Moved & Pick<StoredImport, "report">,
): Promise<void> {
  if (!options.add_domains) return;
  for (const { host } of report.domains) {
    if ((domains.addedAt(host) ?? 0) >= createdAt) await domains.removeUnused(host, createdBy);
  }
}
