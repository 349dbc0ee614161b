/** Finds entries by a part of their names with an index of trigrams, if the account may create the extension. */
import { type Kysely, sql, type SqlBool } from "kysely";
import type { Dialect } from "../dialect.ts";
import { anyLike, likePatterns, spellings } from "../text-search.ts";

/** The index uses exactly this expression. Collation C folds ASCII only. */
const FOLDED = sql`lower(entries.name collate "C")`;
/** Beyond ASCII the locale of the database says what a letter is. */
export const TRIGRAM = /[a-z0-9]{3}/i;

async function createNameSearch(db: Kysely<unknown>): Promise<void> {
  await sql`
    do $$ begin
      create extension if not exists pg_trgm;
      create index if not exists entries_search on entries using gin (${FOLDED} gin_trgm_ops);
    exception when insufficient_privilege or undefined_file or feature_not_supported then
      raise notice 'pg_trgm is not available: %', sqlerrm;
    end $$`.execute(db);
}

export const smallPatterns = (needle: string): string[] =>
  likePatterns(needle).map((text) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase()));

const containing = (needle: string) => anyLike([FOLDED], smallPatterns(needle));

/** Coalesce keeps the planner off the index. */
const nameContains: Dialect["nameContains"] = (needle, { usesIndex = false } = {}) =>
  usesIndex ? containing(needle) : sql<SqlBool>`coalesce(${containing(needle)}, false)`;

const hasFewNames: Dialect["hasFewNames"] = async (db, needle, most) => {
  if (!spellings(needle).every((text) => TRIGRAM.test(text))) return false;
  const { rows } = await sql<{ few: boolean }>`
    select case when to_regclass('entries_search') is null then false else (
      select count(*) from (select 1 from entries where ${containing(needle)} limit ${most + 1}) as found
    ) <= ${most} end as few`.execute(db);
  return rows[0]!.few;
};

export const postgresNames = {
  /** For the schema. */
  schema: { createNameSearch },
  /** For the dialect. */
  dialect: { nameContains, hasFewNames },
};
