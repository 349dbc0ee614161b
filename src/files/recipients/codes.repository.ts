import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";

export type RecipientCodesRepository = ReturnType<typeof createRecipientCodesRepository>;

export function createRecipientCodesRepository({ write }: Pick<Database, "write">) {
  return {
    /** Replaces the former code, if the bucket has room. Returns whether it did. */
    async setCode(
      tx: Db,
      { linkId, email }: { linkId: number; email: string },
      code: { hash: string; until: number; now: number; fullBefore: number; intervalMs: number },
    ): Promise<boolean> {
      const { hash, until, now, fullBefore, intervalMs } = code;
      const result = await tx
        .updateTable("share_recipients")
        .set((eb) => ({
          code_hash: hash,
          code_until: until,
          code_tries: 0,
          codes_full_at: eb
            .case()
            .when("codes_full_at", ">", now)
            .then(eb("codes_full_at", "+", intervalMs))
            .else(now + intervalMs)
            .end(),
        }))
        .where("link_id", "=", linkId)
        .where("email", "=", email)
        .where("codes_full_at", "<=", fullBefore)
        .executeTakeFirst();
      return Number(result.numUpdatedRows) === 1;
    },

    /** Takes a try of the code. Null if there is none, it is too old, or it has had its tries. */
    async tryCode(
      { linkId, email }: { linkId: number; email: string },
      { now, most }: { now: number; most: number },
    ): Promise<{ id: number; hash: string } | null> {
      const result = await write
        .updateTable("share_recipients")
        .set((eb) => ({ code_tries: eb("code_tries", "+", 1) }))
        .where("link_id", "=", linkId)
        .where("email", "=", email)
        .where("code_hash", "is not", null)
        .where("code_until", ">", now)
        .where("code_tries", "<", most)
        .executeTakeFirst();
      if (Number(result.numUpdatedRows) === 0) return null;
      const row = await write
        .selectFrom("share_recipients")
        .select(["id", "code_hash as hash"])
        .where("link_id", "=", linkId)
        .where("email", "=", email)
        .executeTakeFirst();
      return row === undefined || row.hash === null ? null : { id: row.id, hash: row.hash };
    },

    /** False if another request has used it. */
    async useCode(id: number, hash: string): Promise<boolean> {
      const result = await write
        .updateTable("share_recipients")
        .set({ code_hash: null })
        .where("id", "=", id)
        .where("code_hash", "=", hash)
        .executeTakeFirst();
      return Number(result.numUpdatedRows) === 1;
    },
  };
}
