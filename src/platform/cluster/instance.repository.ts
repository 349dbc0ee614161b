import type { Database } from "../db/database.ts";

/** The installation's UUID from the first migration. */
export async function readInstance({ read }: Database): Promise<string> {
  const { uuid } = await read.selectFrom("instance").select("uuid").executeTakeFirstOrThrow();
  return uuid;
}
