/** How far back clicks are kept. */
import type { Database } from "../../platform/db/database.ts";
import { BUCKETS, type Span } from "../rollups/time-buckets.ts";

export type AgeRepository = ReturnType<typeof createAgeRepository>;

export function createAgeRepository({ read }: Pick<Database, "read">) {
  return {
    /** In the rollups, or null. */
    async oldest(): Promise<{ hour: number | null; day: number | null }> {
      const [hour, day] = await Promise.all([
        read.selectFrom("click_hours").select("hour").orderBy("hour").limit(1).executeTakeFirst(),
        read.selectFrom("click_days").select("day").orderBy("day").limit(1).executeTakeFirst(),
      ]);
      return { hour: hour?.hour ?? null, day: day?.day ?? null };
    },

    async oldestDetail(): Promise<number | null> {
      const oldest = read.selectFrom("click_log").select("clicked_at").orderBy("clicked_at").limit(1);
      return (await oldest.executeTakeFirst())?.clicked_at ?? null;
    },

    /** Of any links, by whole days and the hours that are kept. */
    async hasClicks({ from, to }: Span): Promise<boolean> {
      const { day, hour } = BUCKETS;
      const ofDays = read
        .selectFrom("click_days")
        .where("day", ">=", day.of(from))
        .where("day", "<", day.of(to));
      const ofHours = read
        .selectFrom("click_hours")
        .where("hour", ">=", hour.of(from))
        .where("hour", "<", hour.of(to));
      const found = await Promise.all([
        ofDays.select("day").limit(1).executeTakeFirst(),
        ofHours.select("hour").limit(1).executeTakeFirst(),
      ]);
      return found.some((row) => row !== undefined);
    },
  };
}
