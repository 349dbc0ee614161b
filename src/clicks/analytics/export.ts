/**
 * Exports the click log as CSV in order of time, in pages that shrink for long rows, so none blocks the event loop.
 * Clicks of deleted links have their last code. Clicks recorded meanwhile may be missing.
 */
import type { Database } from "../../platform/db/database.ts";
import { csvLine } from "../../lib/csv.ts";
import { codeOf } from "../../links/link/key.ts";
import { formatRfc3339 } from "../../lib/rfc3339.ts";
import type { Visitors } from "../../lib/visitors.ts";
import { spreadsheetText } from "../../lib/spreadsheet-text.ts";
import type { Calendar } from "../rollups/calendar.ts";
import type { LogPosition } from "../rollups/rebuild.repository.ts";
import { createLogRepository, type LoggedClick, LOG_COLUMNS } from "./log.repository.ts";
import type { DateRange } from "./range.ts";
import { EVERY_CLICK, type SelectedClicks } from "./click-columns.repository.ts";
import type { NameOf } from "./views.ts";

export type ClickExport = ReturnType<typeof createClickExport>;

const COLUMNS = ["short_code", "clicked_at", "referrer", "source", "ip_address", "country", "city"];
const FIRST_ROWS = 100;
const MOST_ROWS = 500;
const FEWEST_ROWS = 25;
const PAGE_CHARACTERS = 64 * 1024;

export function createClickExport(database: Database) {
  const log = createLogRepository(database);
  return {
    /**
     * The header, even without rows, then the rows. Rejects when the database does. Visitors other than null add a
     * column with the class and leave out the others' clicks. `nameOf` adds the domain and the columns of campaigns.
     */
    async *pages(
      { start, end }: DateRange,
      selected: SelectedClicks = EVERY_CLICK,
      visitors: Visitors | null = null,
      nameOf: NameOf | null = null,
      order: "asc" | "desc" = "asc",
    ): AsyncGenerator<string, void> {
      const span = { from: start, to: end + 1 };
      const more = [
        ...(visitors === null ? [] : ["visitors"]),
        ...(nameOf === null ? [] : ["domain", ...LOG_COLUMNS, "user_agent"]),
      ];
      let text = csvLine([...COLUMNS, ...more]);
      let position: LogPosition | null = null;
      let limit = FIRST_ROWS;
      for (;;) {
        const rows = await log.after(selected, span, position, limit, nameOf !== null, order);
        const shown = rows.filter(({ automated }) => isShown(automated === 1, visitors));
        const codes = await log.codes([...new Set(shown.map((row) => row.linkId))]);
        const before = text.length;
        for (const row of shown) {
          const code = codes.get(row.linkId);
          if (code !== undefined) text += lineOf(code, row, visitors !== null, nameOf);
        }
        const isLast = rows.length < limit;
        const added = text.length - before;
        // A page of unknown links or other visitors only.
        if (text !== "") yield text;
        if (isLast) return;
        text = "";
        position = rows.at(-1)!;
        limit = added === 0 ? MOST_ROWS : clamp(Math.floor((PAGE_CHARACTERS * rows.length) / added));
      }
    },

    /** `analytics_20261021_20261120.csv` */
    filename: ({ start, end }: DateRange, { day }: Calendar): string =>
      `analytics_${[start, end].map((at) => day.label(day.of(at)).replaceAll("-", "")).join("_")}.csv`,
  };
}

const isShown = (isAutomated: boolean, visitors: Visitors | null): boolean =>
  visitors === null || visitors === "all" || (visitors === "automated") === isAutomated;

const lineOf = (key: string, click: LoggedClick, withVisitors: boolean, nameOf: NameOf | null): string =>
  csvLine([
    codeOf(key),
    formatRfc3339(click.clickedAt),
    spreadsheetText(click.referrer ?? ""),
    spreadsheetText(click.source),
    click.ipAddress ?? "",
    click.country ?? "",
    spreadsheetText(click.city ?? ""),
    ...(withVisitors ? [click.automated === 1 ? "automated" : "human"] : []),
    ...(nameOf === null
      ? []
      : [
          nameOf(key).domain ?? "",
          ...[...LOG_COLUMNS, "userAgent" as const].map((name) => spreadsheetText(click[name] ?? "")),
        ]),
  ]);

const clamp = (limit: number): number => Math.min(Math.max(limit, FEWEST_ROWS), MOST_ROWS);
