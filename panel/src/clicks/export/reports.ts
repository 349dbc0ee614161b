import type { QueryClient } from "@tanstack/react-query";
import { responseOf, api } from "../../base/api.ts";
import { ADMIN_PREFIX, SERVER_URL } from "../../base/place.ts";
import { instantOf } from "../zone.ts";
import { endOfBucket, isoDay, type Span, startOfBucket } from "../buckets.ts";
import type { Dimension } from "../dimensions.ts";
import { conditionsIn } from "../filter.ts";
import type { Frame } from "../frame.ts";
import { itemsOf, NONE } from "../list-items.ts";
import { datesOf } from "../range.ts";
import { listQuery, MOST_ROWS } from "../report-queries.ts";
import { csvOf, download, follow } from "./csv.ts";
import type { Report } from "../use-report.ts";

/** Requests something first, which renews the session: a download can't. */
export async function exportClicks({ shown, visitors, filter }: Report): Promise<void> {
  await responseOf(api.GET("/admin/v1/auth/me"));
  const query = new URLSearchParams({ ...datesOf(shown), visitors, columns: "all", bom: "true" });
  for (const { name, value } of conditionsIn(filter)) query.append(name, value);
  follow(`${SERVER_URL}${ADMIN_PREFIX}/v1/analytics/export?${query}`, "");
}

/** The shown report as CSV. @param name of the file; `dimensions`: its lists */
export async function downloadSums(
  queries: QueryClient,
  report: Report,
  name: string,
  dimensions: readonly Dimension[],
): Promise<void> {
  const lists = await Promise.all(
    dimensions.map(async (by) => {
      const rows = await rowsOf(queries, report, by);
      return rows.map(({ value, counts }) => [by, value, "", "", ...counts]);
    }),
  );
  const head = ["list", "name", "from", "to", ...COUNTS];
  download(fileName(name, report.span), csvOf([head, ...bucketsOf(report), ...lists.flat()]));
}

/** One list as CSV. @param title names it in the file's name */
export async function downloadList(
  queries: QueryClient,
  frame: Frame,
  by: Dimension,
  title: string,
): Promise<void> {
  const rows = await rowsOf(queries, frame, by, MOST_ROWS);
  const { code = [] } = frame.filter;
  download(
    fileName([...(code.length === 1 ? code : []), title].join("-"), frame.shown),
    csvOf([
      [by, "name", ...COUNTS, "share_percent"],
      ...rows.map(({ value, name, counts, percentage }) => [value, name, ...counts, percentage.toFixed(1)]),
    ]),
  );
}

const COUNTS = ["human_clicks", "bot_clicks", "all_clicks"];

const fileName = (name: string, { start, end }: Span): string =>
  `${name.replaceAll(/[^\p{L}\p{N}._-]+/gu, "-")}_${isoDay(start)}_${isoDay(end - 1)}.csv`;

/** The rows of a list as the page shows them. Clicks of no value, or of too many, are one count. */
async function rowsOf(queries: QueryClient, frame: Frame, by: Dimension, most?: number) {
  const { shown, visitors, filter } = frame;
  const listOf = (whose: typeof visitors) =>
    queries.fetchQuery(listQuery(by, { span: shown, visitors: whose, filter }, most));
  const list = await listOf(visitors);
  const whole = ["human", "automated", "all"] as const;
  const none =
    (list.none ?? 0) === 0
      ? []
      : await Promise.all(whole.map(async (whose) => (await listOf(whose)).none ?? 0));
  return itemsOf(by, list).map(({ key, name, value: row, count, percentage }) => ({
    value: row === undefined ? name : [row.domain ?? row.country, row.value].filter(Boolean).join("/"),
    name: row?.title ?? name,
    counts:
      row !== undefined
        ? [row.human, row.automated, row.human + row.automated]
        : key === NONE
          ? none
          : whole.map((whose) => (whose === visitors ? count : null)),
    percentage,
  }));
}

const bucketsOf = ({ trend, unit }: Report) =>
  (trend?.labels ?? []).map((label, at) => {
    const start = startOfBucket(label);
    const [from, to] = [start, endOfBucket(start, unit)].map((time) =>
      new Date(instantOf(time)).toISOString(),
    );
    const human = trend!.human_clicks[at] ?? 0;
    const bots = trend!.automated_clicks[at] ?? 0;
    return [unit, label, from!, to!, human, bots, human + bots];
  });
