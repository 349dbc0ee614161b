import type { Db } from "../../db/dialect.ts";

/** The columns of `links`, as fields of the entity. */
export const LINK_COLUMNS = [
  "links.id",
  "links.code",
  "links.target",
  "links.created_at as createdAt",
  "links.updated_at as updatedAt",
  "links.expires_at as expiresAt",
  "links.password_hash as passwordHash",
  "links.title",
  "links.note",
  "links.options",
  "links.owner_id as ownerId",
  "links.created_by as createdBy",
] as const;

/** With their clicks. */
export const linksIn = (db: Db) =>
  db
    .selectFrom("links")
    .leftJoin("link_clicks", "link_clicks.link_id", "links.id")
    .select(LINK_COLUMNS)
    .select((eb) => [
      eb.fn.coalesce("link_clicks.clicks", eb.lit(0)).as("clickCount"),
      eb.fn.coalesce("link_clicks.automated", eb.lit(0)).as("automatedClicks"),
    ]);

/**
 * The number of all links is a sum: call it in each transaction that inserts links, or deletes them (negative). So it
 * is exact in every snapshot, no writer waits for another, and a list need not count the links.
 */
export async function addToTotal(db: Db, links: number): Promise<void> {
  if (links !== 0) await db.insertInto("link_totals").values({ links }).execute();
}

export const readingTotal = (db: Db) =>
  db.selectFrom("link_totals").select((eb) => eb.fn.sum<number | null>("links").as("links"));

export const readTotal = async (db: Db): Promise<number> =>
  Number((await readingTotal(db).executeTakeFirstOrThrow()).links ?? 0);
