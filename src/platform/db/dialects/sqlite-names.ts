/**
 * Finds entries by a part of their names in an index of trigrams without positions and contents, 27 bytes a name, kept
 * by triggers. Two characters that no name has follow each name, so that each of its letters begins a trigram and a
 * range of trigrams serves shorter needles.
 */
import { type Kysely, sql } from "kysely";
import type { Dialect } from "../dialect.ts";
import { anyLike, likePatterns, spellings } from "../text-search.ts";

export const GRAM = 3;
/** More trigrams of a needle only cost. */
const MOST_GRAMS = 24;
const AFTER_ALL = "\u{10ffff}";

const indexed = (row: "new" | "old") => sql.raw(`${row}.name || char(1, 1)`);

async function createNameSearch(db: Kysely<unknown>): Promise<void> {
  await sql`
    create virtual table if not exists entry_names
    using fts5(name, content='', columnsize=0, detail=none, tokenize='trigram')`.execute(db);
  await sql`
    create virtual table if not exists entry_name_grams using fts5vocab(entry_names, instance)`.execute(db);
  const add = sql`insert into entry_names(rowid, name) values (new.id, ${indexed("new")});`;
  const remove = sql`
    insert into entry_names(entry_names, rowid, name) values ('delete', old.id, ${indexed("old")});`;
  await sql`
    create trigger if not exists entries_name_added after insert on entries begin ${add} end`.execute(db);
  await sql`
    create trigger if not exists entries_name_removed after delete on entries begin ${remove} end`.execute(
    db,
  );
  await sql`
    create trigger if not exists entries_name_changed after update of name on entries
    when new.name <> old.name begin ${remove} ${add} end`.execute(db);
}

const nameContains: Dialect["nameContains"] = (needle, { usesIndex = false } = {}) => {
  const among = usesIndex ? sql`entries.id in (${candidates(needle)}) and ` : sql``;
  return sql`(${among}${anyLike([sql.ref("entries.name")], likePatterns(needle))})`;
};

const hasFewNames: Dialect["hasFewNames"] = async (db, needle, most) => {
  const { rows } = await sql<{ n: number }>`
    select count(*) as n from (${candidates(needle)} limit ${most + 1})`.execute(db);
  return rows[0]!.n <= most;
};

const candidates = (needle: string) =>
  [...needle].length < GRAM
    ? startingWith(needle)
    : sql`select rowid from entry_names where entry_names match ${matchingGrams(spellings(needle))}`;

/** Texts that have all trigrams of one of the forms. */
export const matchingGrams = (forms: readonly string[]): string =>
  forms
    .map((form) => gramsOf(form).map(quoted))
    .filter((grams) => grams.length > 0)
    .map((grams) => `(${grams.join(" AND ")})`)
    .join(" OR ");

function startingWith(needle: string) {
  // The index folds more letters than SQL does.
  const folded = [needle.toLowerCase(), needle.toUpperCase().toLowerCase()];
  const ranges = [...new Set(folded)].map((text) => sql`(term >= ${text} and term < ${text + AFTER_ALL})`);
  return sql`select distinct doc from entry_name_grams where ${sql.join(ranges, sql` or `)}`;
}

function gramsOf(text: string): string[] {
  const letters = [...text];
  const all = letters.slice(GRAM - 1).map((_, at) => letters.slice(at, at + GRAM).join(""));
  const every = Math.ceil(all.length / MOST_GRAMS);
  return [...new Set(all.filter((_, at) => at % every === 0))];
}

const quoted = (gram: string): string => `"${gram.replaceAll('"', '""')}"`;

export const sqliteNames = {
  schema: { createNameSearch },
  dialect: { nameContains, hasFewNames },
};
