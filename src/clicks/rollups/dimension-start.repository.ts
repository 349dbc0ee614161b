import type { Db } from "../../db/dialect.ts";

/** Epoch ms from which clicks have the dimensions of COLUMN_OF; 0: all have. */
export async function columnDimensionsFrom(db: Db): Promise<number> {
  const row = await db.selectFrom("instance").select("dimensions_from").executeTakeFirstOrThrow();
  return row.dimensions_from;
}
