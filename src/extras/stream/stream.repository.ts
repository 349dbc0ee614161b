import type { Database } from "../../platform/db/database.ts";

type StreamedClick = { id: number } & Record<string, string | number>;

type NameOf = (key: string) => { code: string; domain: string | null };

/** Its row among the positions of journals. */
const POSITION = "clickhouse";

export const createStreamRepository = ({ read, write, dialect }: Database, nameOf: NameOf) => ({
  /** The last row that was sent; 0: none. */
  async position(): Promise<number> {
    const row = await read
      .selectFrom("journals")
      .select("position")
      .where("id", "=", POSITION)
      .executeTakeFirst();
    return row?.position ?? 0;
  },

  move: (position: number, now: number): Promise<void> =>
    dialect.upsert(write, { table: "journals", keys: ["id"], set: ["position", "updated_at"] }, [
      { id: POSITION, position, updated_at: now },
    ]),

  /** 0 without rows. */
  async newest(): Promise<number> {
    const row = await read
      .selectFrom("click_log")
      .select("id")
      .orderBy("id", "desc")
      .limit(1)
      .executeTakeFirst();
    return row?.id ?? 0;
  },

  /** When the click of the next row was; null without one. */
  async timeOfNext(after: number): Promise<number | null> {
    const row = await read
      .selectFrom("click_log")
      .select("clicked_at")
      .where("id", ">", after)
      .orderBy("id")
      .limit(1)
      .executeTakeFirst();
    return row?.clicked_at ?? null;
  },

  /** Among the rows of clicks before an instant; 0 without any. */
  async newestBefore(at: number): Promise<number> {
    const row = await read
      .selectFrom("click_log")
      .select((eb) => eb.fn.max("id").as("id"))
      .where("clicked_at", "<", at)
      .executeTakeFirstOrThrow();
    return Number(row.id ?? 0);
  },

  /** The next rows by number, `until` included; limit ≤ 1,000. */
  async page(after: number, until: number, limit: number): Promise<StreamedClick[]> {
    const rows = await read
      .selectFrom("click_log as c")
      .leftJoin("links", "links.id", "c.link_id")
      .leftJoin("deleted_links", "deleted_links.link_id", "c.link_id")
      .leftJoin("user_agents", "user_agents.id", "c.user_agent_id")
      .selectAll("c")
      .select((eb) => [
        eb.fn.coalesce("links.code", "deleted_links.code").as("key"),
        "user_agents.text as user_agent",
      ])
      .where("c.id", ">", after)
      .where("c.id", "<=", until)
      .orderBy("c.id")
      .limit(limit)
      .execute();
    return rows.map(({ key, clicked_at, ...row }) => {
      const { code, domain } = key === null ? { code: "", domain: "" } : nameOf(key);
      const columns = Object.entries(row).filter(([name]) => name !== "user_agent_id");
      const texts = Object.fromEntries(columns.map(([name, value]) => [name, value ?? ""]));
      return {
        ...texts,
        id: row.id,
        code,
        domain: domain ?? "",
        clicked_at: Math.floor(clicked_at / 1000),
        millisecond: clicked_at % 1000,
      };
    });
  },
});
