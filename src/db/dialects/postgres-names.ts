/** Finds entries by a part of their names with an index of trigrams, if the account may create the extension. */
import { type Kysely, sql, type SqlBool } from "kysely";
import type { Dialect } from "../dialect.ts";
import { LIKE_ESCAPE, likePatterns, spellings } from "../text-search.ts";

/** The index uses exactly this expression. Collation C folds ASCII only. */
const FOLDED = sql`lower(entries.name collate "C")`;
/** Beyond ASCII the locale of the database says what a letter is. */
const TRIGRAM = /[a-z0-9]{3}/i;

async function createNameIndex(db: Kysely<unknown>): Promise<void> {
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

/** Keeps the planner off the index: the caller reads names in order, or has the candidates. */
const nameContains: Dialect["nameContains"] = (needle) =>
  sql<SqlBool>`coalesce(${containing(needle)}, false)`;

const nameCandidates: Dialect["nameCandidates"] = async (db, needle, limit) => {
  if (!spellings(needle).every((text) => TRIGRAM.test(text))) return null;
  const { rows: known } = await sql<{ here: boolean }>`
    select to_regclass('entries_search') is not null as here`.execute(db);
  if (known[0]?.here !== true) return null;
  const { rows } = await sql<{ id: number }>`
    select entries.id from entries where ${containing(needle)} limit ${limit}`.execute(db);
  return rows.map(({ id }) => id);
};

export const postgresNames = {
  /** For the schema. */
  schema: { createNameIndex, fillNameIndex: async () => {} },
  /** For the dialect. */
  dialect: { nameContains, nameCandidates },
};
