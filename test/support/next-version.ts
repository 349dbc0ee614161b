/**
 * Preloaded, makes a next version out of this one: more steps of the schema. With WAYMARK_TEST_NEXT the step after the
 * first one fails ("fail") or kills the process ("die").
 */
import { sql } from "kysely";
import { MIGRATIONS } from "../../src/platform/db/migrate.ts";
import { createTable, type Step } from "../../src/platform/db/migrations/step.ts";

const how = process.env["WAYMARK_TEST_NEXT"];

const NEXT: readonly Step[] = [
  {
    name: "9001_links_mood",
    up: async (db, words) => {
      const tables = await db.introspection.getTables();
      const links = tables.find(({ name }) => name === "links");
      if (links?.columns.some(({ name }) => name === "mood")) return;
      await sql.raw(`alter table links add column mood ${words.int} not null default 0`).execute(db);
    },
  },
  {
    name: "9002_trouble",
    up: async () => {
      if (how === "fail") throw new RangeError("the step of the next version fails");
      if (how === "die") process.kill(process.pid, "SIGKILL");
    },
  },
  {
    name: "9003_links_mood_now",
    up: async (db) => void (await sql`update links set mood = 1 where mood = 0`.execute(db)),
  },
  {
    name: "9004_links_mood_index",
    up: (db, words) => words.createIndex(db, { name: "links_mood", table: "links", columns: "mood, id" }),
  },
  // A table that this version does not know.
  createTable("9005_moods", "moods" as "links", { id: "serial", mood: "int" }, ["index moods_mood (mood)"]),
];

(MIGRATIONS as Step[]).push(...NEXT);
