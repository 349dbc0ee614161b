import type { Db } from "../db/dialect.ts";
import { addToTotal } from "./query.repository.ts";

/**
 * At most 1,000 links, with their counts and shares. `deleted_links` keeps their codes for analytics. Unknown keys are
 * skipped.
 */
export async function deleteLinks<K extends "id" | "code">(
  tx: Db,
  key: K,
  values: readonly { id: number; code: string }[K][],
  now: number,
): Promise<void> {
  if (values.length === 0) return;
  await tx
    .insertInto("deleted_links")
    .columns(["link_id", "code", "deleted_at"])
    .expression(
      tx
        .selectFrom("links")
        .select((eb) => ["id", "code", eb.lit(now).as("deleted_at")])
        .where(key, "in", values as never),
    )
    .execute();
  const { numDeletedRows } = await tx
    .deleteFrom("links")
    .where(key, "in", values as never)
    .executeTakeFirstOrThrow();
  await addToTotal(tx, -Number(numDeletedRows));
}
