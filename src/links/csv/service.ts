import type { Database } from "../../platform/db/database.ts";
import { createCodeRule } from "../link/code.ts";
import { createOwners } from "../link/owners.repository.ts";
import { createLinkBulkRepository } from "./repository.ts";
import { createLinkExport } from "./export.ts";
import { createLinkImport, type LinkImportDeps } from "./import.ts";
import { createMatchesByCode } from "../list/by-code.ts";
import { createLinkListRepository } from "../list/repository.ts";
import { createLinkRepository } from "../write/repository.ts";

type Deps = Omit<LinkImportDeps, "repository" | "bulk" | "owners" | "rule" | "hasOneWriter"> & {
  database: Pick<Database, "read" | "reports" | "write" | "dialect">;
  /** With or without slash. */
  routePrefixes(): readonly string[];
};

export type LinkCsv = ReturnType<typeof createLinkCsv>;

export function createLinkCsv(deps: Deps) {
  const { database, domains, clock } = deps;
  const owners = createOwners(database);
  const matches = createMatchesByCode(createLinkListRepository({ ...database, read: database.reports }));
  return {
    domainOf: domains.filterOf,
    owners,
    export: createLinkExport({ matches, clock, hostOf: domains.hostOf }),
    import: createLinkImport({
      ...deps,
      owners,
      hasOneWriter: database.dialect.hasOneWriter,
      repository: createLinkRepository(database),
      bulk: createLinkBulkRepository(database),
      rule: createCodeRule(deps.routePrefixes),
    }),
  };
}
