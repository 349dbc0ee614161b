import type { Db } from "../../platform/db/dialect.ts";
import { DIMENSIONS } from "./dimensions.ts";

/** For all links together; hours without any are missing. Each click with details has a source. */
export async function detailedClicksOf(db: Db, hours: readonly number[]): Promise<Map<number, number>> {
  if (hours.length === 0) return new Map();
  const rows = await db
    .selectFrom("click_dim_hours")
    .select((eb) => ["hour", eb.fn.sum<number>("clicks").as("clicks")])
    .where("hour", "in", hours)
    .where("dimension", "=", DIMENSIONS.source)
    .groupBy("hour")
    .execute();
  return new Map(rows.map(({ hour, clicks }) => [hour, Number(clicks)]));
}
