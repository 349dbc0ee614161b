/** Which shares and drop boxes serve an entry: by itself, as a part of what it has, or in a folder around it. */
import type { Expression, ExpressionBuilder, SqlBool } from "kysely";
import type { Db } from "../../platform/db/dialect.ts";
import type { Schema } from "../../platform/db/schema.ts";
import type { EntriesFilter } from "./served.ts";
import { foldersAround, foldersInside } from "../tree/paths.repository.ts";

type Tables = ExpressionBuilder<Schema, "shares" | "links" | "entries" | "blobs">;

/** Whether what is served is one of the entries, in one, or with `around` a folder around one. */
export function servesAny(
  eb: Tables,
  accountId: number,
  { ids, around: isWide }: EntriesFilter,
): Expression<SqlBool> {
  const inside = foldersInside(accountId, ...ids);
  const around = foldersAround(accountId, ids);
  const items = eb
    .selectFrom("share_items")
    .innerJoin("entries as items", "items.id", "share_items.entry_id")
    .where((one) =>
      one.or([
        one("items.id", "in", inside),
        one("items.parent_id", "in", inside),
        ...(isWide ? [one("items.id", "in", around)] : []),
      ]),
    )
    .select("share_items.link_id");
  return eb.or([
    eb("entries.id", "in", inside),
    eb("entries.parent_id", "in", inside),
    ...(isWide ? [eb("entries.id", "in", around)] : []),
    eb("shares.link_id", "in", items),
  ]);
}

/** `id`: of the entry. */
export type ShareMark = { id: number; shares: number; drops: number };

/** Entries of a folder that codes serve by themselves now, without those whose codes have expired. */
export async function marksIn(
  db: Db,
  { accountId, parentId, asOf }: { accountId: number; parentId: number; asOf: number },
): Promise<ShareMark[]> {
  const served = db
    .selectFrom("shares")
    .innerJoin("links", "links.id", "shares.link_id")
    .where("shares.account_id", "=", accountId)
    .where((eb) => eb.or([eb("links.expires_at", "is", null), eb("links.expires_at", ">", asOf)]));
  const ofOne = served
    .innerJoin("entries", "entries.id", "shares.entry_id")
    .where("shares.several", "=", 0)
    .where("entries.account_id", "=", accountId)
    .where("entries.parent_id", "=", parentId)
    .select(["entries.id", "shares.max_files as most", "shares.two_way as twoWay"]);
  const ofItems = served
    .innerJoin("share_items", "share_items.link_id", "shares.link_id")
    .innerJoin("entries", "entries.id", "share_items.entry_id")
    .where("entries.account_id", "=", accountId)
    .where("entries.parent_id", "=", parentId)
    .select(["entries.id", "shares.max_files as most", "shares.two_way as twoWay"]);
  const marks = new Map<number, ShareMark>();
  for (const { id, most, twoWay } of [...(await ofOne.execute()), ...(await ofItems.execute())]) {
    const mark = marks.get(id) ?? { id, shares: 0, drops: 0 };
    if (most !== null && twoWay === 0) mark.drops++;
    else mark.shares++;
    marks.set(id, mark);
  }
  return [...marks.values()];
}
