/**
 * Preloaded, makes a next version out of this one: more steps of the schema. With WAYMARK_TEST_NEXT the step after the
 * first one fails ("fail") or kills the process ("die").
 */
import { sql } from "kysely";
import { MIGRATIONS } from "../../src/db/migrate.ts";
import { addColumn, createIndex, createTable, type Step } from "../../src/db/migrations/step.ts";

const how = process.env["WAYMARK_TEST_NEXT"];

const NEXT: readonly Step[] = [
  addColumn("9001_links_mood", "links", "mood", (w) => `${w.int} not null default 0`),
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
  createIndex("9004_links_mood_index", "links", "links_mood", "mood, id"),
  createTable(
    "9005_moods",
    // A table that this version does not know.
    "moods" as "links",
    (w) => [`id ${w.serial}`, `mood ${w.int} not null`],
    { moods_mood: "mood" },
  ),
];

(MIGRATIONS as Step[]).push(...NEXT);
