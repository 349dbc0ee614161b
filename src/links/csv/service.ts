import type { Database } from "../../db/database.ts";
import type { Clock } from "../../lib/clock.ts";
import { createCodeRule } from "../link/code.ts";
import { createLinkBulkRepository } from "./repository.ts";
import { createLinkExport, type LinkExport } from "./export.ts";
import { createLinkImport, type LinkImport, type LinkImportDeps } from "./import.ts";
import type { DomainFilter } from "../list/filter.ts";
import { createMatchesByCode } from "../list/by-code.ts";
import { createLinkListRepository } from "../list/repository.ts";
import { createLinkRepository } from "../write/repository.ts";

export type LinkCsv = { export: LinkExport; import: LinkImport; domainOf: DomainFilter };

export type LinkCsvDeps = Pick<LinkImportDeps, "changes" | "events" | "hashPassword"> & {
  database: Pick<Database, "read" | "dialect">;
  /** With or without slash. */
  routePrefixes(): readonly string[];
  /** For filters. */
  domainOf: DomainFilter;
  /** Of domains; default: there is one. */
  hostOf?(domain: number): string | null;
  keyOf?(code: string, host: string | undefined): string;
  clock: Clock;
};

export function createLinkCsv(deps: LinkCsvDeps): LinkCsv {
  const {
    database,
    changes,
    events,
    hashPassword,
    routePrefixes,
    domainOf,
    hostOf = () => null,
    keyOf,
    clock,
  } = deps;
  return {
    domainOf,
    export: createLinkExport({
      matches: createMatchesByCode(createLinkListRepository(database)),
      clock,
      hostOf,
    }),
    import: createLinkImport({
      repository: createLinkRepository(database),
      bulk: createLinkBulkRepository(database),
      rule: createCodeRule(routePrefixes),
      ...(keyOf && { keyOf }),
      changes,
      events,
      hashPassword,
      clock,
    }),
  };
}
