/**
 * Finds entries by a part of their names: trigrams, if the account may create the extension, and letters, which serve
 * shorter needles and those without letters and digits.
 */
import { type Kysely, sql, type SqlBool } from "kysely";
import type { Dialect } from "../dialect.ts";
import { LIKE_ESCAPE, likePatterns, spellings } from "../text-search.ts";

/** The indexes use exactly these expressions. Collation C folds ASCII only. */
const FOLDED = sql`lower(entries.name collate "C")`;
const LETTERS = sql`string_to_array(lower(entries.name collate "C"), null)`;

async function createNameIndex(db: Kysely<unknown>): Promise<void> {
  await sql`create index if not exists entries_letters on entries using gin (${LETTERS})`.execute(db);
  await sql`
    do $$ begin
      create extension if not exists pg_trgm;
      create index if not exists entries_search on entries using gin (${FOLDED} gin_trgm_ops);
    exception when insufficient_privilege or undefined_file or feature_not_supported then
      raise notice 'pg_trgm is not available: %', sqlerrm;
    end $$`.execute(db);
}

const small = (text: string): string => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

const containing = (needle: string) => {
  const tests = likePatterns(needle).map(
    (pattern) => sql`${FOLDED} like ${small(pattern)} escape ${sql.lit(LIKE_ESCAPE)}`,
  );
  return sql<SqlBool>`(${sql.join(tests, sql` or `)})`;
};

/** Keeps the planner off the indexes: the caller reads names in order, or has the candidates. */
const nameContains: Dialect["nameContains"] = (needle) =>
  sql<SqlBool>`coalesce(${containing(needle)}, false)`;

/** One scan, if the letters of a short needle are frequent: its cores share it, reading in order takes five times as long. */
const nameCandidates: Dialect["nameCandidates"] = async (db, needle, limit) => {
  const letters = spellings(needle).map((text) => sql`${LETTERS} @> ${[...new Set(small(text))]}::text[]`);
  const { rows } = await sql<{ id: number }>`
    select entries.id from entries where (${sql.join(letters, sql` or `)})
    and ${containing(needle)} limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
};

export const postgresNames = {
  /** For the schema. */
  schema: { createNameIndex, fillNameIndex: async () => {} },
  /** For the dialect. */
  dialect: { nameContains, nameCandidates },
};
