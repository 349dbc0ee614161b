import { sql } from "kysely";
import type { Db, Dialect } from "../../platform/db/dialect.ts";
import { oncePer, prepared, preparedWrite } from "../../platform/db/prepared.ts";
import { ADMIN_NAME, TEAM_MARK } from "../../lib/owner.ts";
import { fieldKey } from "./field-kinds.ts";
import { FIELD_COLUMNS } from "./field-values.ts";
import { PREFIX_MARK } from "./key.ts";
import type { Link } from "./link.ts";

/** The columns of `links`, as fields of the entity. */
export const LINK_COLUMNS = [
  "links.id",
  "links.code",
  "links.target",
  "links.created_at as createdAt",
  "links.updated_at as updatedAt",
  "links.expires_at as expiresAt",
  "links.password_hash as passwordHash",
  ...FIELD_COLUMNS.map((name) => `links.${name} as ${fieldKey(name)}` as const),
  "links.options",
  "links.dead_since as deadSince",
  "links.owner_id as ownerId",
  "links.created_by as createdBy",
] as const;

/** The human clicks of a link, in queries of link_clicks. */
export const HUMAN_CLICKS = sql<number>`(${sql.ref("link_clicks.clicks")} - ${sql.ref("link_clicks.automated")})`;

/** With their clicks. */
export const linksIn = (db: Db) =>
  db
    .selectFrom("links")
    .leftJoin("link_clicks", "link_clicks.link_id", "links.id")
    .select(LINK_COLUMNS)
    .select((eb) => [
      eb.fn.coalesce("link_clicks.clicks", eb.lit(0)).as("clickCount"),
      eb.fn.coalesce("link_clicks.automated", eb.lit(0)).as("automatedClicks"),
      OWNER_NAME.as("ownerName"),
    ]);

/** The same with their tags, in lines. */
export const taggedLinksIn = (db: Db, { joinTexts }: Dialect) =>
  linksIn(db).select((eb) =>
    eb
      .selectFrom("link_tags")
      .innerJoin("tags", "tags.id", "link_tags.tag_id")
      .whereRef("link_tags.link_id", "=", "links.id")
      .select(joinTexts("tags.tag", "\n").as("joined"))
      .as("tags"),
  );

export const withTags = <L extends { tags: string | null }>(row: L) => ({
  ...row,
  tags: row.tags?.split("\n").sort() ?? [],
});

const linkByCode = oncePer((dialect: Dialect) =>
  prepared((db, code: string) => taggedLinksIn(db, dialect).where("links.code", "=", code)),
);

export async function findLink(db: Db, dialect: Dialect, code: string): Promise<Link | null> {
  const [row] = await linkByCode(dialect)(db, code);
  return row === undefined ? null : withTags(row);
}

const OWNER_NAME = sql<string | null>`case
  when links.owner_id = 0 then ${sql.lit(ADMIN_NAME)}
  when links.owner_id > 0 then (select users.username from users where users.id = links.owner_id)
  else (select concat(${sql.lit(TEAM_MARK)}, teams.name) from teams where teams.id = -1 - links.owner_id) end`;

/** `imported`: clicks from moves of other products that stand, with those of links that are gone. */
export type LinkTotals = { links: number; clicks: number; automated: number; imported?: number };

/**
 * The numbers of all links and of their clicks are sums: call it in each transaction that inserts links, deletes them
 * (negative) or sets their clicks; the flush adds its own. So they are exact in every snapshot, no writer waits for
 * another, and nobody need count.
 */
export async function addToTotal(db: Db, change: LinkTotals): Promise<void> {
  const { links, clicks, automated, imported = 0 } = change;
  if (links !== 0 || clicks !== 0 || automated !== 0 || imported !== 0)
    await insertTotal(db, links, clicks, automated, imported);
}

const insertTotal = preparedWrite((db, links: number, clicks: number, automated: number, imported: number) =>
  db.insertInto("link_totals").values({ links, clicks, automated, imported }),
);

/** `by`: 1 for added links, -1 for removed ones. */
export function totalsOf(
  links: readonly { clickCount: number; automatedClicks: number }[],
  by: 1 | -1 = 1,
): LinkTotals {
  const totals = { links: by * links.length, clicks: 0, automated: 0 };
  for (const { clickCount, automatedClicks } of links) {
    totals.clicks += by * clickCount;
    totals.automated += by * automatedClicks;
  }
  return totals;
}

export const readingTotal = (db: Db) =>
  db.selectFrom("link_totals").select((eb) => eb.fn.sum<number | null>("links").as("links"));

export const readTotal = async (db: Db): Promise<number> =>
  Number((await readingTotal(db).executeTakeFirstOrThrow()).links ?? 0);

export async function readTotals(db: Db): Promise<Required<LinkTotals>> {
  const sums = await readingTotal(db)
    .select((eb) => [
      eb.fn.sum<number | null>("clicks").as("clicks"),
      eb.fn.sum<number | null>("automated").as("automated"),
      eb.fn.sum<number | null>("imported").as("imported"),
    ])
    .executeTakeFirstOrThrow();
  return {
    links: Number(sums.links ?? 0),
    clicks: Number(sums.clicks ?? 0),
    automated: Number(sums.automated ?? 0),
    imported: Number(sums.imported ?? 0),
  };
}

/** Digits of a domain's id. */
const MOST_DIGITS = 12;

/** prefixOf the domain of the key in the column `code`. */
export const prefixOfKey = sql<string>`case when substr(code, 1, 1) <> ${sql.lit(PREFIX_MARK)} then '' ${sql.join(
  Array.from({ length: MOST_DIGITS }, (_, at) => {
    const end = sql.lit(at + 3);
    return sql`when substr(code, ${end}, 1) = ${sql.lit(PREFIX_MARK)} then substr(code, 1, ${end})`;
  }),
  sql` `,
)} else '' end`;
