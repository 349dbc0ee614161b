import type { Database } from "../db/database.ts";

/** The UUID from the first migration, one for the installation. */
export async function readInstance({ read }: Pick<Database, "read">): Promise<string> {
  const { uuid } = await read.selectFrom("instance").select("uuid").executeTakeFirstOrThrow();
  return uuid;
}
