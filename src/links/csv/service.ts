import type { Database } from "../../platform/db/database.ts";
import { createCodeRule } from "../link/code.ts";
import { createOwners } from "../link/owners.repository.ts";
import { createLinkBulkRepository } from "./repository.ts";
import { createLinkImport, type LinkImportDeps } from "./import.ts";
import { createMatchesByCode, type MatchesByCode } from "../list/by-code.ts";
import { createLinkListRepository } from "../list/repository.ts";
import { ownersByAnyCase } from "../write/refusals.ts";
import { createLinkRepository } from "../write/repository.ts";
import type { Clock } from "../../lib/clock.ts";
import { createSweeper } from "../../lib/sweeper.ts";
import type { LinkFilter } from "../list/filter.ts";
import type { Link } from "../link/link.ts";
import { CSV_HEADER, csvLineOf, WHOLE_CSV_HEADER, wholeCsvLineOf } from "./columns.ts";

type Deps = Omit<LinkImportDeps, "repository" | "bulk" | "owners" | "rule" | "hasOneWriter"> & {
  database: Database;
  domains: {
    /** The ids of domains that ignore case. */
    withoutCase(): readonly number[];
    /** The key under which a link with this key is stored. */
    stored(key: string): string;
  };
  /** With or without slash. */
  routePrefixes(): readonly string[];
  /** Of targets besides http and https. */
  targetSchemes?: () => readonly string[];
};

export type LinkCsv = ReturnType<typeof createLinkCsv>;

export function createLinkCsv(deps: Deps) {
  const { database, domains, clock } = deps;
  const owners = createOwners(database);
  const repository = createLinkRepository(database);
  const matches = createMatchesByCode(createLinkListRepository({ ...database, read: database.reports }));
  return {
    domainOf: domains.filterOf,
    owners,
    export: createLinkExport({ matches, clock, hostOf: domains.hostOf }),
    import: createLinkImport({
      ...deps,
      owners,
      hasOneWriter: database.dialect.hasOneWriter,
      repository: { ...repository, shareOwners: ownersByAnyCase(repository, domains.stored) },
      bulk: createLinkBulkRepository(database),
      rule: createCodeRule(deps.routePrefixes, deps.targetSchemes, () => domains.withoutCase().length > 0),
    }),
  };
}

export type ExportPage = { text: string; links: number };

const MOST_LINKS = 500;
const FEWEST_LINKS = 10;
const PAGE_CHARACTERS = 64 * 1024;
const SWEPT_CHARACTERS = 3 * 1024 * 1024;

type ExportDeps = { matches: MatchesByCode; clock: Clock; hostOf(domain: number): string | null };

/** `withPasswords`: with their hashes, else the column is empty. `whole`: with all columns. */
type ExportOptions = { withPasswords?: boolean; whole?: boolean };

/**
 * Exports links by code, in pages that shrink for long links, so that each blocks the event loop for about a
 * millisecond. Each link is as it was when its page was read.
 */
function createLinkExport({ matches, clock, hostOf }: ExportDeps) {
  return {
    /** The header, even without matches, then the matches. Rejects if the database does. */
    async *pages(
      filter: LinkFilter,
      { withPasswords = true, whole = false }: ExportOptions = {},
    ): AsyncGenerator<ExportPage, void> {
      const lineOf = (link: Link) => (whole ? wholeCsvLineOf(link, hostOf) : csvLineOf(link));
      let text = whole ? WHOLE_CSV_HEADER : CSV_HEADER;
      let limit = MOST_LINKS;
      const sweeper = createSweeper(SWEPT_CHARACTERS);
      const read = await matches.reader(filter);
      for (;;) {
        const links = await read(limit);
        for (const link of links) text += lineOf(withPasswords ? link : { ...link, passwordHash: null });
        if (text !== "") yield { text, links: links.length };
        if (links.length === 0) return;
        limit = clamp(Math.floor((PAGE_CHARACTERS * links.length) / text.length));
        sweeper.worked(text.length);
        text = "";
      }
    },

    count: matches.count,

    /** `shortlinks_export_20261120_130000.csv`, in UTC. */
    filename(): string {
      const [date, time] = new Date(clock.now())
        .toISOString()
        .slice(0, 19)
        .replaceAll(/[-:]/g, "")
        .split("T");
      return `shortlinks_export_${date}_${time}.csv`;
    },
  };
}

const clamp = (limit: number): number => Math.min(Math.max(limit, FEWEST_LINKS), MOST_LINKS);
