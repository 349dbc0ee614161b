import { answerOf, api, type TopLink } from "../../base/api.ts";
import { ADMIN_PREFIX, SERVER_URL } from "../../base/place.ts";
import { endOfBucket, isoDay, startOfBucket } from "../buckets.ts";
import { datesOf } from "../range.ts";
import { csvOf, download, follow } from "./csv.ts";
import type { Report } from "../use-report.ts";

/** Requests something first, which renews the session: a download can't. */
export async function exportClicks({ shown, visitors }: Report): Promise<void> {
  await answerOf(api.GET("/admin/v1/auth/me"));
  const query = new URLSearchParams({ ...datesOf(shown), visitors, columns: "all" });
  follow(`${SERVER_URL}${ADMIN_PREFIX}/v1/analytics/export?${query}`, "");
}

/** The shown report as CSV. `name` is of one link. */
export const downloadSums = (report: Report, name = "clicks", top?: readonly TopLink[]): void =>
  download(
    `${name.replaceAll(/[^\p{L}\p{N}._-]+/gu, "-")}_${isoDay(report.span.start)}_${isoDay(report.span.end - 1)}.csv`,
    csvOf(rowsOf(report, top)),
  );

/** One table for all lists: which list, the name, and its numbers. */
function rowsOf(
  { trend, unit, referrers = [], countries = [], devices }: Report,
  top: readonly TopLink[] = [],
) {
  const buckets = (trend?.labels ?? []).map((label, at) => {
    const start = startOfBucket(label);
    const [from, to] = [start, endOfBucket(start, unit)].map((time) => new Date(time).toISOString());
    const people = trend!.human_clicks[at] ?? 0;
    const machines = trend!.automated_clicks[at] ?? 0;
    return [unit, label, from!, to!, people + machines, people, machines];
  });
  const counted = (list: string, names: readonly { name: string; count: number }[] = []) =>
    names.map(({ name, count }) => [list, name, "", "", count, "", ""]);
  const both = (list: string, label: string, all: { human_clicks: number; automated_clicks: number }) => {
    const { human_clicks: people, automated_clicks: machines } = all;
    return [list, label, "", "", people + machines, people, machines];
  };
  return [
    ["list", "name", "from", "to", "clicks", "people", "machines"],
    ...buckets,
    ...top.map((link) => both("link", [link.domain, link.code].filter(Boolean).join("/"), link)),
    ...referrers.map((item) => both("referrer", item.referrer, item)),
    ...countries.map((item) => both("country", item.country, item)),
    ...counted("device", devices?.devices),
    ...counted("browser", devices?.browsers),
    ...counted("system", devices?.operating_systems),
  ];
}
