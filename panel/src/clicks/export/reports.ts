import type { QueryClient } from "@tanstack/react-query";
import { responseOf, api } from "../../base/api.ts";
import { ADMIN_PREFIX, SERVER_URL } from "../../base/place.ts";
import { instantOf } from "../zone.ts";
import { endOfBucket, isoDay, startOfBucket } from "../buckets.ts";
import type { Dimension } from "../dimensions.ts";
import { conditionsIn } from "../filter.ts";
import { datesOf } from "../range.ts";
import { listQuery } from "../report-queries.ts";
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
  const { span, shown, visitors, filter } = report;
  const lists = await Promise.all(
    dimensions.map(async (by) => {
      const { rows } = await queries.fetchQuery(listQuery(by, { span: shown, visitors, filter }));
      return rows.map(({ value, country, domain, human, automated }) => {
        const shownValue = [domain ?? country, value].filter(Boolean).join("/");
        return [by, shownValue, "", "", human, automated, human + automated];
      });
    }),
  );
  const first = [span.start, span.end - 1].map(isoDay);
  download(
    `${name.replaceAll(/[^\p{L}\p{N}._-]+/gu, "-")}_${first.join("_")}.csv`,
    csvOf([
      ["list", "name", "from", "to", "human_clicks", "bot_clicks", "all_clicks"],
      ...bucketsOf(report),
      ...lists.flat(),
    ]),
  );
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
