/** Which installation a database holds. */
import type { Database } from "../db/database.ts";

/** The UUID that its first migration gave it; the same for every process and node. */
export async function readInstance({ read }: Pick<Database, "read">): Promise<string> {
  const { uuid } = await read.selectFrom("instance").select("uuid").executeTakeFirstOrThrow();
  return uuid;
}
