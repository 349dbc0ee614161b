/** Preloaded, makes a next version out of this one: it adds a column to links, which this version does not know. */
import { sql } from "kysely";
import { MIGRATIONS } from "../../src/platform/db/migrate.ts";
import type { Step } from "../../src/platform/db/migrations/step.ts";

(MIGRATIONS as Step[]).push({
  name: "9001_links_mood",
  up: async (db) => void (await sql`alter table links add column mood int`.execute(db)),
});
