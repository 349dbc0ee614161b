/** The report on codes that lead nowhere. */
import type { Database } from "../../platform/db/database.ts";
import { formatRfc3339 } from "../../lib/rfc3339.ts";
import type { Visitors } from "../../lib/visitors.ts";
import type { LinkName } from "../../links/domains/registry.ts";
import type { DateRange } from "../analytics/range.ts";
import { createCalendars } from "../rollups/calendar.repository.ts";
import { createMissingRepository } from "./repository.ts";

export type MissingReport = ReturnType<typeof createMissingReport>;

export function createMissingReport(database: Database, nameOf: (key: string) => LinkName) {
  const repository = createMissingRepository(database);
  const calendars = createCalendars(database);

  /** Of the days that the range touches; limit ≤ 1,000. An end without a time is the day before it. */
  return async ({ start, end }: DateRange, visitors: Visitors, limit: number) => {
    const { day } = await calendars.current();
    const from = day.of(start);
    const to = Math.max(from, day.of(end - 1));
    const { codes, further } = await repository.seen(from, to, visitors, limit);
    const shown = codes.map(({ key, human, automated, seenAt }) => ({
      ...nameOf(key),
      human,
      automated,
      seen_at: formatRfc3339(seenAt),
    }));
    return { codes: shown, further };
  };
}
