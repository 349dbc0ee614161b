/** The click log for rebuild.ts. */
import type { RowFields } from "../../platform/db/schema.ts";
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import type { ClickSum } from "../../lib/visitors.ts";
import { COLUMN_DIMENSIONS, COLUMN_OF, type ColumnValues } from "./dimensions.ts";
import type { Span } from "./time-buckets.ts";

export type RawClick = ColumnValues &
  Pick<
    RowFields<"click_log">,
    "id" | "linkId" | "clickedAt" | "source" | "country" | "city" | "userAgentId" | "automated"
  >;

const PAGE = 1_000;
const COLUMNS = COLUMN_DIMENSIONS.map((name) => `${COLUMN_OF[name]} as ${name}` as const);

export function createRawRepository({ read }: Pick<Database, "read">) {
  return {
    /** Null without raw rows. */
    async firstClick({ from, to }: Span): Promise<number | null> {
      const row = await read
        .selectFrom("click_log")
        .select("clicked_at")
        .where("clicked_at", ">=", from)
        .where("clicked_at", "<", to)
        .orderBy("clicked_at")
        .limit(1)
        .executeTakeFirst();
      return row?.clicked_at ?? null;
    },

    async lastClick(): Promise<number | null> {
      const query = read.selectFrom("click_log").select("clicked_at").orderBy("clicked_at", "desc");
      return (await query.limit(1).executeTakeFirst())?.clicked_at ?? null;
    },

    /** In pages. */
    async *clicks(db: Db, { from, to }: Span): AsyncGenerator<RawClick[], void> {
      let last: RawClick | undefined;
      for (;;) {
        const after = last;
        const page: RawClick[] = await db
          .selectFrom("click_log")
          .select(["id", "link_id as linkId", "clicked_at as clickedAt", "source", "country", "city"])
          .select(["user_agent_id as userAgentId", "automated", ...COLUMNS])
          .where("clicked_at", ">=", after?.clickedAt ?? from)
          .where("clicked_at", "<", to)
          .$if(after !== undefined, (query) =>
            query.where((eb) => {
              const { clickedAt, linkId, id } = after!;
              const later = eb.and([eb("link_id", "=", linkId), eb("id", ">", id)]);
              return eb.or([eb("clicked_at", ">", clickedAt), eb("link_id", ">", linkId), later]);
            }),
          )
          .orderBy("clicked_at")
          .orderBy("link_id")
          .orderBy("id")
          .limit(PAGE)
          .execute();
        if (page.length > 0) yield page;
        if (page.length < PAGE) return;
        last = page.at(-1)!;
      }
    },

    async sumClicks(db: Db, { from, to }: Span): Promise<ClickSum> {
      const { clicks, automated } = await db
        .selectFrom("click_log")
        .select((eb) => [
          eb.fn.countAll<number>().as("clicks"),
          eb.fn.sum<number | null>("automated").as("automated"),
        ])
        .where("clicked_at", ">=", from)
        .where("clicked_at", "<", to)
        .executeTakeFirstOrThrow();
      return { clicks: Number(clicks), automated: Number(automated ?? 0) };
    },

    /** `text`: empty if it was deleted; `profile` stays. */
    userAgents: (ids: readonly number[]) =>
      read
        .selectFrom("user_agents")
        .leftJoin("click_values as value", "value.id", "user_agents.value_id")
        .select(["user_agents.id", "text", "value_id as valueId", "user_agents.seen_day as seenDay"])
        .select("value.value as profile")
        .where("user_agents.id", "in", ids)
        .execute(),
  };
}
