import type { Db } from "../db/dialect.ts";

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
    .select((eb) => eb.fn.coalesce("link_clicks.clicks", eb.lit(0)).as("clickCount"));
