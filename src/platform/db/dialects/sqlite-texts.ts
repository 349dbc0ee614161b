/**
 * Finds links by a part of their texts in an index of trigrams without positions and contents, about 150 bytes a link.
 * Triggers only note the links that it lacks and those with other texts, with what it has of them; `indexLinkTexts`
 * does the rest later, so writes stay fast. Candidates include the noted links.
 */
import { type Kysely, type RawBuilder, sql } from "kysely";
import type { Dialect } from "../dialect.ts";
import { anyLike, likePatterns, SEARCHED_COLUMNS, writtenForms } from "../text-search.ts";
import { GRAM, matchingGrams } from "./sqlite-names.ts";

const TEXTS = SEARCHED_COLUMNS.map((column) => column.slice("links.".length));

const textsOf = (row: "new" | "old" | "links") =>
  sql.raw(TEXTS.map((column) => `coalesce(${row}.${column}, '')`).join(" || char(10) || "));

async function createLinkSearch(db: Kysely<unknown>): Promise<void> {
  await sql`
    create virtual table if not exists link_texts
    using fts5(texts, content='', columnsize=0, detail=none, tokenize='trigram')`.execute(db);
  // `indexed`: the link's texts in the index; null: none.
  await sql`
    create table if not exists link_texts_due (link_id integer primary key, indexed text)`.execute(db);
  const note = (row: "new" | "old", indexed: RawBuilder<unknown>) =>
    sql`insert into link_texts_due (link_id, indexed) values (${sql.raw(row)}.id, ${indexed}) on conflict do nothing;`;
  const changes = sql.raw(TEXTS.map((column) => `new.${column} is not old.${column}`).join(" or "));
  await sql`
    create trigger if not exists links_texts_added after insert on links
    begin ${note("new", sql`null`)} end`.execute(db);
  await sql`
    create trigger if not exists links_texts_removed after delete on links
    begin ${note("old", textsOf("old"))} end`.execute(db);
  await sql`
    create trigger if not exists links_texts_changed after update of ${sql.raw(TEXTS.join(", "))} on links
    when ${changes} begin ${note("old", textsOf("old"))} end`.execute(db);
}

const indexLinkTexts: NonNullable<Dialect["indexLinkTexts"]> = async (tx, most) => {
  const due = sql`(select link_id from link_texts_due order by link_id limit ${sql.lit(most)})`;
  await sql`
    insert into link_texts (link_texts, rowid, texts)
    select 'delete', link_id, indexed from link_texts_due where link_id in ${due} and indexed is not null`.execute(
    tx,
  );
  await sql`
    insert into link_texts (rowid, texts) select id, ${textsOf("links")} from links where id in ${due}`.execute(
    tx,
  );
  const done = await sql`delete from link_texts_due where link_id in ${due}`.execute(tx);
  return Number(done.numAffectedRows ?? 0);
};

const linkCandidates: Dialect["linkCandidates"] = (needle, most) => {
  const forms = writtenForms(needle);
  if (forms.some((form) => [...form].length < GRAM)) return null;
  return sql`
    (select id from (select rowid as id from link_texts where link_texts match ${matchingGrams(forms)}
    union all select link_id from link_texts_due) limit ${sql.lit(most)})`;
};

/** Kept off indexes by its form, so a query that `usesIndex` starts with the candidates. */
const linkContains: Dialect["linkContains"] = (needle, { usesIndex = false } = {}) => {
  const columns = SEARCHED_COLUMNS.map((column) => sql.ref(column));
  const candidates = usesIndex ? linkCandidates(needle, -1) : null;
  const among = candidates === null ? sql`` : sql`links.id in ${candidates} and `;
  return sql`(${among}${anyLike(columns, likePatterns(needle))})`;
};

export const sqliteTexts = {
  /** For the schema. */
  schema: { createLinkSearch },
  /** For the dialect. */
  dialect: { linkContains, linkCandidates, indexLinkTexts },
};
