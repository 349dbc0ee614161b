import type { Queries } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { finds } from "../../platform/db/queries.ts";
import { ENDED } from "./webhook-events.ts";

export type ShareEndsRepository = ReturnType<typeof createShareEndsRepository>;

export type EndedShare = { linkId: number; key: string; title: string | null; endedAt: number };

export function createShareEndsRepository({ read }: Pick<Queries, "read">) {
  return {
    /** Shares and drop boxes that expired in that time, after a link, by time and link. */
    async expired(
      { after, to }: { after: { endedAt: number; linkId: number }; to: number },
      limit: number,
    ): Promise<EndedShare[]> {
      const rows = await read
        .selectFrom("links")
        .innerJoin("shares", "shares.link_id", "links.id")
        .select(["links.id as linkId", "links.code as key", "links.title", "links.expires_at as endedAt"])
        .where("links.expires_at", ">=", after.endedAt)
        .where("links.expires_at", "<=", to)
        .where((eb) => eb.or([eb("links.expires_at", ">", after.endedAt), eb("links.id", ">", after.linkId)]))
        .orderBy("links.expires_at")
        .orderBy("links.id")
        .limit(limit)
        .execute();
      return rows.map((row) => ({ ...row, endedAt: row.endedAt ?? 0 }));
    },

    /** The end was recorded with that state. */
    isTold: (db: Db, linkId: number, after: object): Promise<boolean> =>
      finds(
        db
          .selectFrom("events")
          .select("id")
          .where("subject_id", "=", linkId)
          .where("action", "=", ENDED)
          .where("after", "=", JSON.stringify(after)),
      ),
  };
}
