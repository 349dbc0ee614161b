import type { QueryClient } from "@tanstack/react-query";
import { answerOf, api, type TopLink } from "../../base/api.ts";
import { ADMIN_PREFIX, SERVER_URL } from "../../base/place.ts";
import { endOfBucket, isoDay, startOfBucket } from "../buckets.ts";
import { DIMENSIONS } from "../dimensions.ts";
import { datesOf } from "../range.ts";
import { listQuery, type Place } from "../report-queries.ts";
import { csvOf, download, follow } from "./csv.ts";
import type { Report } from "../use-report.ts";

/** Requests something first, which renews the session: a download can't. */
export async function exportClicks({ shown, visitors }: Report): Promise<void> {
  await answerOf(api.GET("/admin/v1/auth/me"));
  const query = new URLSearchParams({ ...datesOf(shown), visitors, columns: "all" });
  follow(`${SERVER_URL}${ADMIN_PREFIX}/v1/analytics/export?${query}`, "");
}

/** The shown report as CSV, of a link or of all. */
export async function downloadSums(
  queries: QueryClient,
  place: Place | null,
  report: Report,
  top: readonly TopLink[] = [],
): Promise<void> {
  const { span, shown, visitors } = report;
  const lists = await Promise.all(
    DIMENSIONS.map(async (dimension) => {
      const { data } = await queries.fetchQuery(listQuery(dimension, place, { span: shown, visitors }));
      return data.map(({ value, count, human = "", automated = "" }) => [
        dimension,
        value,
        "",
        "",
        count,
        human,
        automated,
      ]);
    }),
  );
  const name = (place?.code ?? "clicks").replaceAll(/[^\p{L}\p{N}._-]+/gu, "-");
  download(
    `${name}_${isoDay(span.start)}_${isoDay(span.end - 1)}.csv`,
    csvOf([
      ["list", "name", "from", "to", "clicks", "people", "machines"],
      ...bucketsOf(report),
      ...top.map((link) => [
        "link",
        [link.domain, link.code].filter(Boolean).join("/"),
        "",
        "",
        link.clicks,
        link.human_clicks,
        link.automated_clicks,
      ]),
      ...lists.flat(),
    ]),
  );
}

const bucketsOf = ({ trend, unit }: Report) =>
  (trend?.labels ?? []).map((label, at) => {
    const start = startOfBucket(label);
    const [from, to] = [start, endOfBucket(start, unit)].map((time) => new Date(time).toISOString());
    const people = trend!.human_clicks[at] ?? 0;
    const machines = trend!.automated_clicks[at] ?? 0;
    return [unit, label, from!, to!, people + machines, people, machines];
  });
