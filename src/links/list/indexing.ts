/** The job that indexes the texts of new and changed links, where the database has that done later. */
import type { Database } from "../../platform/db/database.ts";
import { rest } from "../../lib/rest.ts";

const EVERY_MS = 30_000;
/** Texts have up to 10,000 characters, and other writers wait for a portion. */
const LINKS_AT_ONCE = 200;
/** Rests this many times as long as it works. */
const REST_FACTOR = 3;

/** Null for a database that needs none. */
export function createSearchIndexJob({ transaction, dialect }: Pick<Database, "transaction" | "dialect">) {
  const { indexLinkTexts } = dialect;
  if (indexLinkTexts === null) return null;

  const run = async (signal: AbortSignal): Promise<void> => {
    while (!signal.aborted) {
      const begun = performance.now();
      const indexed = await transaction((tx) => indexLinkTexts(tx, LINKS_AT_ONCE));
      if (indexed < LINKS_AT_ONCE) return;
      await rest((performance.now() - begun) * REST_FACTOR, signal);
    }
  };
  return { name: "link-search-index", everyMs: () => EVERY_MS, run };
}
